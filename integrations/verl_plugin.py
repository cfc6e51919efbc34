"""What verl loads of us on `import verl` (entry point group `verl.plugins`): three names, and nothing yet behind them.

    estimator `verigate`            with verl.trainer.ppo.core_algos
    trainer `verigate_sync`         with verl.trainer.ppo.v1.trainer_sync
    reward manager `rewardgate`     with verl.experimental.reward_loop.reward_manager

Each is registered when verl itself imports the module that keeps the registry. verl is imported in every process of
Ray; loading its trainer there, and torch through ours, costs seconds that most of them have no use for. So this
module imports neither, and its import does one thing: it puts a finder in front of `sys.meta_path`.
"""

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

__all__ = ["REGISTRATIONS", "install"]


def _register_estimator(core_algos: ModuleType) -> None:
    register = core_algos.register_adv_est("verigate")
    from .verl_estimator import verigate_advantages

    register(verigate_advantages)


def _register_trainer(_: ModuleType) -> None:
    from verl.trainer.ppo.v1.trainer_base import register_trainer  # pyright: ignore[reportMissingImports]

    from .verl_trainer import GatedTrainerSync

    register_trainer("verigate_sync")(GatedTrainerSync)


def _register_reward_manager(reward_manager: ModuleType) -> None:
    from .verl_manager import GateRewardManager

    reward_manager.register("rewardgate")(GateRewardManager)


REGISTRATIONS: dict[str, Callable[[ModuleType], None]] = {
    "verl.trainer.ppo.core_algos": _register_estimator,
    "verl.trainer.ppo.v1.trainer_sync": _register_trainer,
    "verl.experimental.reward_loop.reward_manager": _register_reward_manager,
}
"""A module of verl, and what is done as soon as it has been imported."""


def install() -> None:
    """Register with what verl has imported already, and with the rest when it comes. A second call does nothing."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Finder())
    for name in REGISTRATIONS:
        if name in sys.modules:
            _register(sys.modules[name])


class _Finder(MetaPathFinder):
    """Finds the modules of `REGISTRATIONS`, as Python would, and nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in REGISTRATIONS:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Loads as `loader` does, then registers."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Whoever asks the module for its source or its data asks the loader that knows.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _register(module)


def _register(module: ModuleType) -> None:
    try:
        REGISTRATIONS[module.__name__](module)
    except Exception as error:  # verl must go on without us; its own words for a plug-in that fails go to DEBUG
        warnings.warn(f"rewardgate: not registered with {module.__name__}: {error}", RuntimeWarning, stacklevel=2)


install()
