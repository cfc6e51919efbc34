"""The plug-in against a package named verl that keeps the three registries where verl 0.9 keeps them."""

import subprocess
import sys
import tomllib
from pathlib import Path

from library_tree import ROOT

REGISTRY = """
import sys
REGISTRY = {}
def %s(name):
    return lambda entry: REGISTRY.setdefault(name, entry)
"""


def run(program: str, folder: Path) -> list[str]:
    """What the program prints, `folder` in front of its path."""
    lines = f"import sys; sys.path.insert(0, {str(folder)!r})\n{program}"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return [*done.stdout.splitlines(), *(line for line in done.stderr.splitlines() if "RuntimeWarning" in line)]


def a_verl(folder: Path) -> None:
    ppo = folder / "verl/trainer/ppo"
    ppo.mkdir(parents=True)
    for package in (ppo, ppo.parent, ppo.parent.parent):
        (package / "__init__.py").write_text("")
    (ppo.parent.parent / "__init__.py").write_text("import rewardgate.integrations.verl_plugin\n")
    (ppo / "core_algos.py").write_text(REGISTRY % "register_adv_est")


def test_it_is_what_verl_finds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["verl.plugins"] == {"rewardgate": "rewardgate.integrations.verl_plugin"}


def test_importing_it_loads_neither_torch_nor_verl_nor_a_verifier(tmp_path: Path) -> None:
    program = (
        "import rewardgate.integrations.verl_plugin\n"
        "print(*{'torch', 'verl', 'numpy', 'rewardgate.verifiers', 'rewardgate.grpo'} & set(sys.modules))"
    )
    assert run(program, tmp_path) == [""]


def test_the_estimator_is_registered_when_verl_loads_its_registry_and_not_before(tmp_path: Path) -> None:
    a_verl(tmp_path)
    program = (
        "import verl; print('torch' in sys.modules)\n"
        "from verl.trainer.ppo import core_algos\n"
        "print(*core_algos.REGISTRY, core_algos.REGISTRY['verigate'].__module__)\n"
        "import inspect; print('REGISTRY = {}' in inspect.getsource(core_algos), core_algos.__spec__.loader.name)"
    )
    assert run(program, tmp_path) == [
        "False",
        "verigate rewardgate.integrations.verl_estimator",
        "True verl.trainer.ppo.core_algos",
    ]


def test_it_registers_with_what_was_loaded_before_it_and_once_only(tmp_path: Path) -> None:
    a_verl(tmp_path)
    (tmp_path / "verl/__init__.py").write_text("")
    program = (
        "import types; stand_in = types.ModuleType('stand_in'); stand_in.verigate_advantages = len  # needs no torch\n"
        "sys.modules['rewardgate.integrations.verl_estimator'] = stand_in\n"
        "from verl.trainer.ppo import core_algos\n"
        "from rewardgate.integrations import verl_plugin\n"
        "verl_plugin.install(); verl_plugin.install()\n"
        "print(*core_algos.REGISTRY, sum(type(finder).__module__ == verl_plugin.__name__ for finder in sys.meta_path))"
    )
    assert run(program, tmp_path) == ["verigate 1"]


def test_a_verl_that_has_moved_its_registry_goes_on_without_us_and_says_so(tmp_path: Path) -> None:
    a_verl(tmp_path)
    (tmp_path / "verl/trainer/ppo/core_algos.py").write_text("elsewhere = True\n")
    printed = run("from verl.trainer.ppo import core_algos; print(core_algos.elsewhere)", tmp_path)
    assert printed[0] == "True"
    assert "rewardgate: not registered with verl.trainer.ppo.core_algos" in printed[1]


def test_modules_of_verl_that_do_not_exist_stay_missing(tmp_path: Path) -> None:
    a_verl(tmp_path)
    program = (
        "import verl.trainer.ppo\n"
        "try:\n    import verl.trainer.ppo.v1.trainer_sync\nexcept ModuleNotFoundError as error:\n    print(error.name)"
    )
    assert run(program, tmp_path) == ["verl.trainer.ppo.v1"]
