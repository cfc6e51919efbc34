"""Samples, labels and files of labels for the tests of labelling."""

from collections.abc import Sequence
from typing import Any

from rewardgate.audit.labels import Action, Draw, Drawn, LabelStratum, Unit, draw, stratum_sizes
from rewardgate.audit.labels.texts import LabelItem

PLAIN = LabelStratum("wrong", "all_wrong", False)
FLAGGED = LabelStratum("wrong", "all_wrong", True)
WRONG = LabelStratum("wrong", "mixed", False)
RIGHT = LabelStratum("correct", "mixed", False)
ALL_RIGHT = LabelStratum("correct", "all_correct", False)


def units_in(counts: dict[LabelStratum, int], size: int = 1) -> list[Unit]:
    """So many prompts in each stratum, each with `size` rollouts."""
    prompts = [(f"{stratum}-{p}", stratum) for stratum, count in counts.items() for p in range(count)]
    return [Unit(prompt, r, prompt, stratum) for prompt, stratum in prompts for r in range(size)]


def small_draw(units: Sequence[Unit] = (), **facts: Any) -> Draw:
    """A draw of `units`; without any, of one prompt in one stratum."""
    units = units or [Unit("g0", 0, "p0", PLAIN)]
    given = {
        "file": "rollouts.jsonl", "sha256": "digest", "scored_by": "as logged", "version": "", "correct_at": 1.0,
        "seed": 0, "n_prompts": 59, "rollouts_per_prompt": 1, "within": "",
    } | facts  # fmt: skip
    options = {name: given[name] for name in ("seed", "rollouts_per_prompt", "within")}
    return Draw(**given, strata=stratum_sizes(units), sample=draw(units, given["n_prompts"], **options))


def labels_of(given: dict[str, str], annotator: str = "ann") -> list[Action]:
    """Item -> label, as actions of one annotator."""
    return [
        Action(number, "2026-01-01T00:00:00+00:00", annotator, item, label, None, "as logged", "", 1.0)
        for number, (item, label) in enumerate(given.items(), start=1)
    ]


def label_item(
    drawn: Drawn,
    *,
    prompt: str = "2+2?",
    target: str = "4",
    response: str = "so 4",
    span: tuple[int, int] | None = None,
) -> LabelItem:
    """An item with these texts."""
    return LabelItem(drawn.key, prompt, target, response, span, drawn)
