"""What the gate did to a batch, under the names that every log has it by; docs/metrics.md explains each."""

from ..diagnostics import GroupKind
from .gate_report import GateReport

__all__ = ["gate_metrics"]

_OF_REPORT = ("opened_share", "gated_share", "coverage", "sign_balance", "length_bias", "scale_factor")


def gate_metrics(report: GateReport, *, asked: float, unscored: float | None = None) -> dict[str, float]:
    """One number a name.

    Args:
        report: of the batch.
        asked: share of the rows whose steps were scored and used.
        unscored: share of the rows without an outcome; None: told elsewhere, and left out here.
    """
    n_groups = sum(report.opened.values()) + sum(report.closed.values())
    kinds = {kind: report.opened.get(kind, 0) + report.closed.get(kind, 0) for kind in map(str, GroupKind)}
    found = {
        **{f"gate/groups/{kind}": count / n_groups for kind, count in kinds.items()},
        "gate/groups/opened": sum(report.opened.values()) / n_groups,
        "gate/groups/silent": report.silent / n_groups,
        "gate/rows/asked": asked,
        **{f"gate/{name}": getattr(report, name) for name in _OF_REPORT},
    }
    return found if unscored is None else {**found, "gate/rows/unscored": unscored}
