"""What `@pytest.mark.rewardgate` may say, and the checks that it stands for: one a test.

    @pytest.mark.rewardgate(
        accuracy,                                 # or "rewards.py:accuracy", "pkg.mod:fn", "math", get("numeric", …)
        laws={"never_raises": {}, "rejects_mutants": {"targets": ["12345"]}},  # or their names; True: all
        kinds=["integer"], anchors=["boxed"],     # of every law that takes it
        probes={"rollouts": "run.jsonl"},         # or False
        frozen="faults.jsonl",                    # or several
        correct_at=1.0, timeout_s=5.0,
    )

Relative paths are looked for beside the test's file, then in pytest's root folder.
"""

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..errors import ArgumentError
from ..verifiers.arguments import positive
from .pytest_check import Check
from .pytest_frozen import frozen_lines, replay_line
from .pytest_rewards import TIMEOUT_S, Reward, file_in, find_reward

__all__ = ["checks"]

LAWS = (
    "never_raises",
    "target_accepts_itself",
    "accepts_rewrites",
    "rejects_mutants",
    "order_independent",
    "bounded_time",
)
_OF_PROBES = {"rollouts", "baseline", "fail_on", "tries", "seed", "budget_s"}


def checks(mark: pytest.Mark, path: Path, config: pytest.Config) -> list[Check]:
    """The checks that a mark asks for.

    Args:
        mark: as the module's docstring says.
        path: of the test's file.
        config: of the session.

    Raises:
        ArgumentError: an option that there is not, or of another kind; a file that is not there; nothing to check.
        InputError: a file of frozen cases that cannot be read.
    """
    folders = (path.parent, config.rootpath)
    return _checks(*mark.args, folders=folders, config=config, **mark.kwargs)


def _checks(
    *rewards: Any,
    folders: Sequence[Path],
    config: pytest.Config,
    reward: Any = None,
    laws: bool | Sequence[str] | Mapping[str, Mapping[str, Any]] = (),
    probes: bool | Mapping[str, Any] = True,
    frozen: str | Path | Sequence[str | Path] = (),
    correct_at: float | None = None,
    timeout_s: float = TIMEOUT_S,
    **of_laws: Any,
) -> list[Check]:
    asked = rewards if reward is None else (*rewards, reward)
    if len(asked) != 1:
        raise ArgumentError(f"reward: expected one, got {len(asked)}")
    threshold = 1.0 if correct_at is None else positive("correct_at", correct_at)
    timeout_s = positive("timeout_s", timeout_s, what="number of seconds")
    tested = find_reward(asked[0], folders, correct_at=threshold, timeout_s=timeout_s)
    found = [
        Check(name, partial(_law, name, tested, config, options))
        for name, options in _options_of_laws(laws, of_laws).items()
    ]
    if probes is not False:
        options = _options_of_probes({} if probes is True else probes, folders)
        found.append(Check("probes", partial(_probes, tested, config, correct_at=correct_at, **options)))
    for file in [frozen] if isinstance(frozen, str | Path) else frozen:
        lines = frozen_lines(file_in(file, folders, name="frozen"))
        found += [Check(f"{line.path.name}:{line.name}", partial(replay_line, line, tested, config)) for line in lines]
    if not found:
        raise ArgumentError("laws, probes, frozen: expected something to check, got nothing")
    return found


def _options_of_laws(
    laws: bool | Sequence[str] | Mapping[str, Mapping[str, Any]], common: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """The options of each law by its name: the common ones that it takes, and its own."""
    names: Sequence[str] = (
        (LAWS if laws else ()) if isinstance(laws, bool) else [laws] if isinstance(laws, str) else [*laws]
    )
    unknown = [name for name in names if name not in LAWS]
    if unknown:
        raise ArgumentError(f"laws: expected some of {', '.join(LAWS)}, got {', '.join(map(repr, unknown))}")
    if not names:
        if common:
            raise ArgumentError(f"{next(iter(common))}: expected an option of the mark, got an unknown one")
        return {}
    from ..verifiers.testing import laws as room

    takes = {
        name: inspect.signature(getattr(room, name)).parameters.keys() - {"subject", "correct_at"} for name in LAWS
    }
    own = laws if isinstance(laws, Mapping) else {}
    for option in common:
        if not any(option in takes[name] for name in names):
            raise ArgumentError(f"{option}: expected an option of the mark or of one of its laws, got an unknown one")
    for name in names:
        for option in own.get(name, {}):
            if option not in takes[name]:
                raise ArgumentError(f"{name}: {option}: expected some of {', '.join(sorted(takes[name]))}")
    return {name: {**{key: common[key] for key in common if key in takes[name]}, **own.get(name, {})} for name in names}


def _options_of_probes(options: Mapping[str, Any], folders: Sequence[Path]) -> dict[str, Any]:
    unknown = set(options) - _OF_PROBES
    if unknown:
        raise ArgumentError(
            f"probes: expected some of {', '.join(sorted(_OF_PROBES))}, got {', '.join(sorted(unknown))}"
        )
    if options.get("fail_on", "fail") not in ("warn", "fail"):
        raise ArgumentError(f"probes: fail_on: expected warn or fail, got {options['fail_on']!r}")
    files = {key: file_in(options[key], folders, name=key) for key in ("rollouts", "baseline") if key in options}
    return {**options, **files}


def _law(name: str, tested: Reward, config: pytest.Config, options: Mapping[str, Any]) -> None:
    from ..verifiers.testing import laws

    getattr(laws, name)(tested.verifier(config), correct_at=tested.correct_at, **options)


def _probes(
    tested: Reward,
    config: pytest.Config,
    *,
    correct_at: float | None,
    rollouts: Path | None = None,
    baseline: Path | None = None,
    fail_on: str = "fail",
    **options: Any,
) -> None:
    from ..audit.probes.baseline import new_findings, read_report
    from ..audit.probes.model import SEVERITIES
    from ..audit.probes.probing import probe
    from ..audit.probes.targets import targets_of
    from ..rollouts.reading import read
    from .pytest_failures import probes_text

    known = None if baseline is None else read_report(baseline)
    report = probe(
        tested.spec(config),
        None if rollouts is None else targets_of(read(rollouts)),
        targets_from="" if rollouts is None else str(rollouts),
        correct_at=correct_at,
        timeout_s=tested.timeout_s,
        **options,
    )
    grave = SEVERITIES[SEVERITIES.index(fail_on) :]
    failing = [finding for finding in new_findings(report, known) if finding.severity in grave]
    if failing or report.status == "inconclusive":
        pytest.fail(probes_text(report, failing, name=tested.name), pytrace=False)
