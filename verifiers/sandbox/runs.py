"""What one run may use, the bytes that came of it, and how it ended."""

from dataclasses import dataclass, field

from ...errors import RewardgateError

__all__ = ["Ended", "JailError", "Limits", "Running", "UnsupportedTestsError"]


class JailError(RewardgateError):
    """The machinery failed, not the program: there is no verdict to be had from this run."""


class UnsupportedTestsError(ValueError):
    """Tests that cannot be run here, whatever the program is."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use.

    Args:
        cpu_s: processor seconds.
        memory_bytes: address space of one process; where a run may start others, also what all hold together.
        file_bytes: of one file and, where the scratch folder is a tmpfs, of all files together.
        output_bytes: of standard output.
        processes: beside the first; 0 refuses them all.
    """

    cpu_s: float = 4.0
    memory_bytes: int = 1 << 30
    file_bytes: int = 64 << 20
    output_bytes: int = 16 << 20
    processes: int = 0

    @property
    def wall_s(self) -> float:
        """Seconds on the clock: a program that only sleeps ends, and one on a busy machine is not cut short."""
        return 2 * self.cpu_s + 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended.

    Args:
        exit_code: None where a signal ended it.
        signal: None where it exited.
        killed: why we killed it: `cpu`, `wall`, `memory`, `processes`, `output` or `asked`; None where we did not.
        cpu_s, wall_s: what it took.
        peak_bytes: of resident memory.
    """

    exit_code: int | None
    signal: int | None
    killed: str | None
    cpu_s: float
    wall_s: float
    peak_bytes: int


@dataclass(eq=False)
class Running:
    """One run under way, and the bytes that came of it. `channel` carries frames, where it was asked for."""

    number: int
    limit: int
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    channel: bytearray = field(default_factory=bytearray)
    to_send: bytearray = field(default_factory=bytearray)
    wire: int | None = None
    ended: Ended | None = None
    killed: str | None = None
