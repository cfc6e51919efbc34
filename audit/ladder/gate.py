"""What the ladder says of a gate: open it, or not, by the credit of its step scorer on mixed groups.

It stands in the rung of exploration: a gate is asked for where there is no success to learn from, and is no remedy for
what the rungs below are about.
"""

from collections.abc import Iterator

from ..chance import OVER_CHANCE, interval, over_chance
from ..report.gate_trust import GateTrust
from ..report.ladder import Measure
from ..report.text import number
from .thresholds import measure

__all__ = ["of_gate"]


def of_gate(trust: GateTrust | None) -> Iterator[Measure]:
    """Does step credit speak truly where outcomes are known, or should the gate stay closed?"""
    if trust is None:
        return
    name, said = "step credit on mixed groups", f"a gate with {trust.scorer}"
    found = trust.deciding
    if found is None:
        why = "there is no mixed group to hold it against" if not trust.n_asked else "it said nothing of any step"
        yield measure(name, None, "warn", f"do not open {said}: {why}", "warn where nothing can be told")
        return
    status = over_chance(found.low, found.high)
    figure = f"AUC {number(found.auc)} {interval(found.low, found.high)} over {found.n_pairs} pairs"
    where = f"right rollouts of {found.n_groups} mixed groups above wrong ones"
    sentences = {
        "ok": f"{said} ranks {where}: {figure}",
        "warn": f"do not open {said}: it may rank {where} no better than chance, {figure}",
        "fail": f"do not open {said}: it does not rank {where} but below, {figure}",
    }
    yield measure(name, found.auc, status, sentences[status], OVER_CHANCE)
