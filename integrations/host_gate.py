"""The gate for a trainer that hands over rows: which group, which outcome, which token ids, which of them count.

For hosts that have no module of their own here; docs/worked_examples.md has one example a host. The rows come in the
host's order, groups may be ragged and interleaved, and the advantages go back row by row, one a token.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
import torch

from ..diagnostics import group_kinds
from ..errors import ArgumentError
from ..grpo import GateConfig, ScaleState, gate, gate_mode
from ..grpo.gate_metrics import gate_metrics
from ..prm.base import StepScorer
from ..prm.base import get as get_step_scorer
from ..prm.steps import Rule
from .group_numbers import group_numbers
from .scored_steps import CompletionIds, padded, scored_steps

__all__ = ["GatedRows", "HostGate", "HostRow"]


class HostRow(NamedTuple):
    """One rollout, as a host has it.

    Args:
        group: names the group, by whatever is equal for the rollouts of one prompt.
        outcome: the outcome verifier's reward alone; None, NaN or infinite = unknown.
        completion: prompt, target and the T token ids that were generated.
        mask: (T,) nonzero = counts; None: all do. A tool's answer does not.
    """

    group: Hashable
    outcome: float | None
    completion: CompletionIds
    mask: Sequence[int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GatedRows:
    """What the gate makes of a batch of B rows, in their order.

    Args:
        advantages: a number for each token of each row, 0 where its mask is.
        is_unscored: (B,) whether the row has no outcome; take it out of the loss where the host can.
        metrics: as docs/metrics.md explains them, `gate/rows/unscored` among them.
    """

    advantages: list[list[float]]
    is_unscored: list[bool]
    metrics: dict[str, float]


class HostGate:
    """Token advantages for batches of rows; keeps the scale of one batch for the next, and nothing else.

    Args:
        tokenizer: the policy's, as `prm.token_bytes` reads it.
        step_scorer: or the name of one; asked about the rows of open groups only, once a batch.
        config: of the gate, or the name of a mode.
        split: where steps begin, see `prm.steps.step_spans`.

    Raises:
        UnknownNameError: no step scorer, or no mode of the gate, has that name.

    Example:
        >>> text = {0: b"3 * 4 = 12.", 1: b"\\n\\n", 2: b"12 + 1 = 14.", 3: b"12 + 1 = 13."}
        >>> wrong, silent = (CompletionIds("", "15", ids) for ids in ([0, 1, 2], [0, 1, 3]))
        >>> rows = HostGate(tokenizer=text).gated([HostRow("p", 0.0, wrong), HostRow("p", 0.0, silent)])
        >>> rows.advantages
        [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        *,
        tokenizer: Any,
        step_scorer: str | StepScorer = "arithmetic",
        config: str | GateConfig = "rules",
        split: Rule = "auto",
    ) -> None:
        self._tokenizer = tokenizer
        self._scorer = get_step_scorer(step_scorer) if isinstance(step_scorer, str) else step_scorer
        self._config = gate_mode(config) if isinstance(config, str) else config
        self._split: Rule = split
        self._scale_state = ScaleState()

    def gated(self, rows: Sequence[HostRow]) -> GatedRows:
        """The advantages of the rows of one update.

        A row without an outcome gets 0 and leaves its group what it is without it.

        Raises:
            ArgumentError: no row; a mask of another length than its ids; a tokenizer of no known kind; or a scorer
                that does not answer with one score in [0, 1] or None for each step.
        """
        if not rows:
            raise ArgumentError("rows: expected at least one, got 0")
        config = self._config
        outcome = [row.outcome if row.outcome is not None and isfinite(row.outcome) else nan for row in rows]
        group_ids = group_numbers(row.group for row in rows)
        kinds = group_kinds(outcome, group_ids.tolist(), correct_at=config.correct_at, wrong_at=config.wrong_at)
        is_unscored = [bool(np.isnan(reward)) for reward in outcome]
        steps = scored_steps(
            [row.completion for row in rows],
            [config.opens(kinds.of(group)) for group in group_ids.tolist()],
            _mask(rows, is_unscored),
            tokenizer=self._tokenizer,
            scorer=self._scorer,
            split=self._split,
        )
        step_rewards, step_ids, mask = map(torch.from_numpy, padded(steps))
        gated = gate(
            torch.tensor(outcome, dtype=torch.float64),
            group_ids,
            step_rewards,
            step_ids,
            mask,
            scale_state=self._scale_state,
            **config.options(),
        )
        self._scale_state = gated.scale_state
        return GatedRows(
            advantages=[
                values[: len(row.completion.ids)] for values, row in zip(gated.advantages.tolist(), rows, strict=True)
            ],
            is_unscored=is_unscored,
            metrics=gate_metrics(
                gated.report,
                unscored=sum(is_unscored) / len(rows),
                asked=sum(len(row.values) > 0 for row in steps) / len(rows),
            ),
        )


def _mask(rows: Sequence[HostRow], is_unscored: Sequence[bool]) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """(B, T) True = counts: a token of the row that its mask does not leave out, of a row with an outcome."""
    mask = np.zeros((len(rows), max(len(row.completion.ids) for row in rows)), dtype=bool)
    for number, row in enumerate(rows):
        n_tokens = len(row.completion.ids)
        counts = [1] * n_tokens if row.mask is None else list(row.mask)
        if len(counts) != n_tokens:
            raise ArgumentError(f"mask: expected one entry a token of row {number} ({n_tokens}), got {len(counts)}")
        mask[number, :n_tokens] = np.array(counts, dtype=bool) & (not is_unscored[number])
    return mask
