"""Tables and figures from the records of runs, written into docs/learning.md between its marks."""

import re
from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from arms import ARMS
from comparing import bootstrapped, correlation, mean_interval, rank_correlation
from figures import curves, scatter
from planning import (
    CORE,
    MAIN,
    RATES,
    SEEDS,
    SETTINGS,
    SHORT_ROLLOUTS,
    TUNING_SEEDS,
    WHOLE,
    Setting,
    chosen_rate,
    short_jobs,
)
from running import BINS, ROLLOUTS, TUNING_SEED
from tasks import task_of

Record = dict[str, Any]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "learning.md"
SHOWN = ("grpo", "grpo_x3", "dapo", "vg_none", "vg_sum", "ungated", "prm_outcome", "sign")


def report(rows: Sequence[Record], folder: Path) -> None:
    """Write every table into the page, and the figures beside the records."""
    parts = {
        "ran": ran(rows),
        **{f"arms {setting}": arm_table(rows, setting) for setting in SETTINGS},
        **{f"scorers {setting}": scorer_table(rows, setting) for setting in WHOLE},
        **{f"behaviour {setting}": behaviour_table(rows, setting) for setting in WHOLE},
        "early": early_table(rows),
        "rates": rate_table(rows),
        **dict(zip(("curves", "scatter"), drawn(rows, folder), strict=True)),
    }
    text = PAGE.read_text(encoding="utf-8")
    for name, said in parts.items():
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        text = marked.sub(lambda found, said=said: f"{found[1]}\n{said}\n\n{found[2]}", text)
    PAGE.write_text(text, encoding="utf-8")


def finals(rows: Iterable[Record], setting: Setting, arm: str) -> list[Record]:
    """The results of an arm in a setting, at the rate that is chosen for it, by seed."""
    rows = list(rows)
    rate, _ = chosen_rate(arm, task_of(setting.checkpoint).name, rows)
    wanted = (arm, *setting, rate, ROLLOUTS)
    named = ("arm", "checkpoint", "difficulty", "lr", "rollouts")
    found = [row for row in rows if tuple(row[name] for name in named) == wanted and row["seed"] < TUNING_SEED]
    return sorted(found, key=lambda row: row["seed"])


def ran(rows: Sequence[Record]) -> str:
    """How many runs there are of what was planned, and which arms have fewer."""
    lines = []
    for setting in SETTINGS:
        counts = {arm: len(finals(rows, setting, arm)) for arm in (ARMS if setting in WHOLE else (*CORE, "grpo_x3"))}
        few = [f"{arm} {count}" for arm, count in counts.items() if count < SEEDS]
        said = f"- {setting}: {sum(counts.values())} runs of {len(counts)} arms"
        lines.append(said + (f"; fewer than {SEEDS} seeds: {', '.join(few)}." if few else f", {SEEDS} seeds each."))
    short = [row for row in rows if row["rollouts"] == SHORT_ROLLOUTS]
    lines.append(f"- Short runs: {len(short)} of {sum(1 for _ in short_jobs())}.")
    lines.append(f"- Trials of learning rates: {sum(row['seed'] >= TUNING_SEED for row in rows)}.")
    return "\n".join(lines)


def arm_table(rows: Sequence[Record], setting: Setting) -> str:
    head = (
        "| arm | n | rate | final | lowest, highest | − GRPO, same seeds | greedy | natural | longer | take-off 0.1 | "
        "0.5 | updates | kilotokens | CPU-s |"
    )
    lines = [head, "|" + " --- |" * 14]
    plain = {row["seed"]: row["final"]["usual"] for row in finals(rows, setting, "grpo")}
    for arm in ARMS:
        found = finals(rows, setting, arm)
        if not found:
            continue
        usual = [row["final"]["usual"] for row in found]
        paired = [row["final"]["usual"] - plain[row["seed"]] for row in found if row["seed"] in plain]
        cells = [
            f"`{arm}`",
            f"{len(found)}",
            f"{found[0]['lr']:g}",
            _interval(usual),
            f"{min(usual):.3f}, {max(usual):.3f}",
            "" if arm == "grpo" or not paired else _interval(paired, sign=True),
            *(f"{fmean(row['final'][part] for row in found):.3f}" for part in ("greedy", "natural", "longer")),
            *(_take_off(found, level) for level in ("0.1", "0.5")),
            f"{fmean(row['updates'] for row in found):.0f}",
            f"{fmean(row['tokens'] for row in found) / 1000:.0f}",
            f"{fmean(row['cpu_s'] for row in found):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) if len(lines) > 2 else "Not run."


def scorer_table(rows: Sequence[Record], setting: Setting) -> str:
    """The same credit under scorers that err."""
    forms = {
        "gate, no sum": "vg_none",
        "gate, mean": "vg_mean",
        "gate, sum": "vg_sum",
        "gate, `rules`": "vg_rules",
        "no gate": "ungated",
        "step score as outcome": "prm_outcome",
    }
    kinds = {
        "exact": "",
        "to the end": "_end",
        "first error": "_first",
        "10 %": "_noisy10",
        "20 %": "_noisy20",
        "30 %": "_noisy30",
        "hackable": "_hackable",
    }
    lines = [f"| final success | {' | '.join(kinds)} |", "|" + " --- |" * (len(kinds) + 1)]
    for said, arm in forms.items():
        cells = []
        for ending in kinds.values():
            found = finals(rows, setting, arm + ending) if arm + ending in ARMS else []
            values = [row["final"]["usual"] for row in found]
            cells.append(
                f"{fmean(values):.3f} ({min(values):.3f}–{max(values):.3f}, n = {len(values)})" if values else "–"
            )
        lines.append(f"| {said} | {' | '.join(cells)} |")
    return "\n".join(lines)


def behaviour_table(rows: Sequence[Record], setting: Setting) -> str:
    """What the last twelfth of a run looks like: means over seeds."""
    names = {
        "valid": "right lines",
        "scored": "scorer's mean",
        "lines": "lines",
        "cut": "cut off",
        "entropy": "entropy",
        "degenerate": "ACR",
        "nonzero": "tokens with A ≠ 0",
    }
    lines = [f"| arm | n | {' | '.join(names.values())} |", "|" + " --- |" * (len(names) + 2)]
    for arm in ARMS:
        ends = [last for row in finals(rows, setting, arm) if (last := _last(row)) is not None]
        if ends:
            cells = [f"{fmean(end[name] for end in ends if name in end):.3f}" for name in names]
            lines.append(f"| `{arm}` | {len(ends)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def early_table(rows: Sequence[Record]) -> str:
    """How far what is seen early tells what a run ends at."""
    lines = [
        "| runs | n | seen early | Spearman [95 %] | R² [95 %] | sd of the final success |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for said, some in early_sets(rows).items():
        if len(some) < 10:
            continue
        final = [row["final"]["usual"] for row in some]
        for name, shown in (("degenerate", "ACR"), ("nonzero", "tokens with A ≠ 0"), ("success", "success")):
            early = [row["early"][name] for row in some]
            low, high = bootstrapped(rank_correlation, early, final)
            squares = bootstrapped(lambda x, y: correlation(x, y) ** 2, early, final)
            lines.append(
                f"| {said} | {len(some)} | {shown} | {rank_correlation(early, final):+.2f} [{low:+.2f}, {high:+.2f}] | "
                f"{correlation(early, final) ** 2:.2f} [{squares[0]:.2f}, {squares[1]:.2f}] | {stdev(final):.3f} |"
            )
    return "\n".join(lines) if len(lines) > 2 else "Not run."


def early_sets(rows: Sequence[Record]) -> dict[str, list[Record]]:
    short = [row for row in rows if row["rollouts"] == SHORT_ROLLOUTS and row["early"]]
    whole, other = ([row for arm in ARMS for row in finals(rows, setting, arm) if row["early"]] for setting in WHOLE)
    levels = sorted({row["difficulty"] for row in short})
    return {
        "GRPO, short, all difficulties": short,
        **{f"GRPO, short, {level} carries": [row for row in short if row["difficulty"] == level] for level in levels},
        f"all arms, {MAIN.difficulty} carries, full length": whole,
        "of those, gated": [row for row in whole if row["arm"].startswith("vg_")],
        "of those, not gated": [row for row in whole if not row["arm"].startswith("vg_")],
        "all arms, insertion, full length": other,
    }


def rate_table(rows: Sequence[Record]) -> str:
    """Success at each rate, mean over the seeds for choosing; without a trial an arm has no line."""
    lines = [f"| arm | {' | '.join(f'{rate:g}' for rate in RATES)} | chosen |", "|" + " --- |" * (len(RATES) + 2)]
    trials = [row for row in rows if row["seed"] in TUNING_SEEDS]
    for task, arm in sorted({(row["task"], row["arm"]) for row in trials}, key=lambda pair: _place(*pair)):
        found = {
            rate: [
                row["final"]["tuning"] for row in trials if (row["task"], row["arm"], row["lr"]) == (task, arm, rate)
            ]
            for rate in RATES
        }
        cells = [f"{fmean(some):.3f}" if len(some) == len(TUNING_SEEDS) else "–" for some in found.values()]
        rate, whose = chosen_rate(arm, task, rows)
        own = "" if whose == arm else " (not all tried)"
        lines.append(f"| `{arm}`{'' if task == 'totals' else f', {task}'} | {' | '.join(cells)} | {rate:g}{own} |")
    return "\n".join(lines)


def _place(task: str, arm: str) -> tuple[bool, int]:
    return task != task_of(MAIN.checkpoint).name, list(ARMS).index(arm)


def drawn(rows: Sequence[Record], folder: Path) -> tuple[str, str]:
    """Draws curves and scatter plots, and returns the links to them."""
    arms = {arm: found for arm in SHOWN if (found := finals(rows, MAIN, arm))}
    if not arms:
        return "Not run.", "Not run."
    links = []
    for by, x in (("generated", "rollouts"), ("tokens", "generated tokens"), ("cpu_s", "CPU-seconds")):
        lines = {arm: [_points(row, by, "success") for row in found] for arm, found in arms.items()}
        curves(folder / f"success_by_{by}.svg", f"Success on fresh prompts, by {x}", x, "success", lines)
        links.append(_link(f"success by {x}", f"success_by_{by}"))
    lines = {arm: [_points(row, "generated", "nonzero") for row in found] for arm, found in arms.items()}
    curves(folder / "nonzero_by_generated.svg", "Tokens that have an advantage", "rollouts", "share", lines)
    links.append(_link("tokens that have an advantage", "nonzero_by_generated"))
    clouds = []
    for name, x in (("degenerate", "ACR"), ("nonzero", "share of tokens with an advantage")):
        points = {
            said: [(row["early"][name], row["final"]["usual"]) for row in some]
            for said, some in early_sets(rows).items()
            if some and ("carries" in said or "gated" in said) and "all arms" not in said
        }
        scatter(folder / f"early_{name}.svg", f"Early {x} and final success", f"{x}, first fifth", "final", points)
        clouds.append(_link(f"early {x} and the end", f"early_{name}"))
    return "\n".join(links), "\n".join(clouds)


def _link(said: str, name: str) -> str:
    return f"![{said}](../benchmarks/learning/{name}.svg)"


def _points(row: Record, by: str, name: str) -> list[tuple[float, float]]:
    return [(one[by], one[name]) for one in row["curve"] if one is not None and name in one]


def _last(row: Record) -> dict[str, float] | None:
    return next((one for one in reversed(row["curve"]) if one is not None), None) if len(row["curve"]) == BINS else None


def _interval(values: Sequence[float], *, sign: bool = False) -> str:
    mean, low, high = mean_interval(values)
    plus = "+" if sign else ""
    return f"{mean:{plus}.3f}" + ("" if isnan(low) else f" [{low:{plus}.3f}, {high:{plus}.3f}]")


def _take_off(found: Sequence[Record], level: str) -> str:
    reached = [row["take_off"][level] for row in found if row["take_off"][level] is not None]
    return f"{fmean(reached):,.0f} ({len(reached)}/{len(found)})" if reached else f"never (0/{len(found)})"
