"""What `probe` asks and what it found, as data: one case, and the one machine-readable report.

Everything is frozen. A number that could not be computed is None (null in JSON), never 0. Targets and responses
are clipped nowhere, so that a case can be asked again; they may be a stranger's words, so a renderer must escape them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ..report.evidence import Number, Part

__all__ = [
    "SCHEMA_VERSION",
    "SEVERITIES",
    "Asymmetry",
    "Behaviour",
    "CaseVerdict",
    "Controls",
    "Expectation",
    "FormRow",
    "Headlines",
    "KindRow",
    "Latency",
    "Lazy",
    "ProbeCase",
    "ProbeFinding",
    "ProbeReport",
    "ProbeRow",
    "Rate",
    "Severity",
    "Status",
    "Unmeasured",
]

SCHEMA_VERSION = "rewardgate.probe/1"

Expectation = Literal["accept", "reject"]
Status = Literal["ok", "findings", "inconclusive"]
Severity = Literal["info", "warn", "fail"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From explained to grave: `info` accuses nobody."""


@dataclass(frozen=True, slots=True)
class ProbeCase:
    r"""One question to the verifier, and the only answer that is right.

    Args:
        probe: the row of the matrix that it belongs to (`"plus_one"`, `"answer_tag"`).
        expectation: `"accept"` or `"reject"`.
        target: what the verifier is told to be right.
        response: what it judges.
        prompt: the task, where there is one.
        recipe: names of the mutations that made `response` from `target`, in order.
        is_specification: whether `target` is a mapping, written as JSON.
    """

    probe: str
    expectation: Expectation
    target: str
    response: str
    prompt: str | None = None
    recipe: tuple[str, ...] = ()
    is_specification: bool = False


class CaseVerdict(Part):
    """A case with what the verifier said of it.

    `accepted` is None where it gave no verdict; `outcome` then says why: `error`, `timeout`, `crash`. `reward` is
    the number that a function returned, before any threshold.
    """

    probe: str
    expectation: Expectation
    target: str
    response: str
    prompt: str | None = None
    recipe: tuple[str, ...] = ()
    is_specification: bool = False
    accepted: bool | None
    reward: Number
    outcome: str
    detail: str = ""
    seconds: Number = None


class Rate(Part):
    """`count` of `n`, with the one-sided 95 % upper bound for targets like these; `rate` is None where n is 0."""

    count: int
    n: int
    rate: Number
    upper_bound: Number
    is_underpowered: bool
    worst_probe: str = ""


class Lazy(Part):
    """The best fixed response that never reads the task: its mean reward, and how often it is honestly right.

    `mean_reward` counts a right answer as 1. `n_right` targets are what the strategy says: pay for them is luck.
    """

    strategy: str
    response: str
    n: int
    mean_reward: Number
    n_accepted: int
    n_right: int
    upper_bound: Number


class Headlines(Part):
    """The three numbers.

    `false_pass_ceiling`: accept rate of the wrong answer that is accepted most often, explained rows left out.
    `lazy`: see `Lazy`. `false_fail`: right answers refused in a format that it reads, explained ones included.
    """

    false_pass_ceiling: Rate
    lazy: Lazy | None
    false_fail: Rate


class FormRow(Part):
    """How many references the verifier accepts in one format; `family` groups formats that differ in spacing only."""

    form: str
    family: str
    example: str
    n: int
    n_accepted: int


class KindRow(Part):
    """How many references of one kind of target are accepted in the best format."""

    kind: str
    n: int
    n_accepted: int


class Controls(Part):
    """Does it separate the reference from nothing? Asked before all else.

    `form` is the format in which wrong answers are then offered: the one in which most references are accepted.
    """

    separates: bool
    form: str | None
    forms: tuple[FormRow, ...]
    kinds: tuple[KindRow, ...]
    n_references: int
    n_references_accepted: int
    n_empty: int
    n_empty_accepted: int
    reason: str = ""


class ProbeRow(Part):
    """One row of the matrix.

    `bound` is the one-sided 95 % bound for targets like these: on the accept rate from above for a wrong answer, from
    below for a right one. `explained` says why a row that is not as expected accuses nobody; empty elsewhere. `worst`
    is the case that went most wrong, None where none did.
    """

    probe: str
    expectation: Expectation
    family: str
    meaning: str
    n: int
    n_accepted: int
    n_errors: int
    n_timeouts: int
    n_crashes: int
    bound: Number
    is_underpowered: bool
    explained: str = ""
    worst: CaseVerdict | None = None

    @property
    def n_unexpected(self) -> int:
        """Cases with a verdict that is not the right one."""
        if self.expectation == "reject":
            return self.n_accepted
        return self.n - self.n_accepted - self.n_errors - self.n_timeouts - self.n_crashes


class Asymmetry(Part):
    """Pairs of equal answers that are accepted one way round and refused the other."""

    n_pairs: int
    n_asymmetric: int
    example: CaseVerdict | None = None


class Latency(Part):
    """Seconds a call, the verifier's own, over all cases that came back."""

    n: int
    median_s: Number
    worst_s: Number
    worst_probe: str = ""


class Behaviour(Part):
    """What holds whatever is asked. None: not measured.

    `is_deterministic`: two fresh processes say the same of the same sequence. `is_order_free`: a row is judged alike
    whatever was judged before or beside it. `works_in_thread`, `works_in_event_loop`: the verdicts of the main thread.
    """

    is_deterministic: bool | None = None
    is_order_free: bool | None = None
    works_in_thread: bool | None = None
    works_in_event_loop: bool | None = None
    asymmetry: Asymmetry | None = None
    latency: Latency | None = None


class ProbeFinding(Part):
    """One thing found.

    Args:
        fingerprint: the same for the same fault of the same verifier, whatever the seed, the targets and the version.
        fault: its kind, a name (`"substring"`, `"order_dependence"`).
        severity: `info` explains and accuses nobody; `warn` loses or risks rewards; `fail` pays what is wrong, or
            cannot be trusted.
        sentence: what was measured, with its counts.
        explanation: why it matters and what to do.
        probes: rows that show it.
        recipe: of a composition that the search found, reduced to what is needed; empty elsewhere.
        evidence: cases, the clearest first.
    """

    fingerprint: str
    fault: str
    severity: Severity
    sentence: str
    explanation: str
    probes: tuple[str, ...] = ()
    recipe: tuple[str, ...] = ()
    evidence: tuple[CaseVerdict, ...] = ()


class Unmeasured(Part):
    """What was not measured, why, and what would enable it."""

    what: str
    why: str
    enable: str


class ProbeReport(Part):
    """Everything that `probe` found. `status` is `findings` where one of them warns or fails."""

    schema_version: str = SCHEMA_VERSION
    rewardgate_version: str
    verifier: str
    told: str
    correct_at: float
    targets_from: str
    n_targets: int
    n_cases: int
    seed: int
    status: Status
    severity: Severity
    headline: str
    controls: Controls
    headlines: Headlines | None
    rows: tuple[ProbeRow, ...]
    behaviour: Behaviour
    findings: tuple[ProbeFinding, ...]
    search: Mapping[str, int]
    not_measured: tuple[Unmeasured, ...]
    seconds: float
