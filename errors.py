"""Every error that rewardgate raises, so that a caller can catch one family.

    RewardgateError
    ├── ArgumentError        (ValueError)    an argument breaks the rule that its docstring states
    ├── UnknownNameError     (LookupError)   a name that no registry knows
    ├── DuplicateNameError   (ValueError)    a name registered twice
    ├── MissingExtraError    (ImportError)   an optional dependency is absent; the message names the extra
    ├── UnavailableError     (RuntimeError)  this machine has less than the caller demands
    ├── LawBrokenError       (AssertionError) what was tested with `verifiers.testing` broke a law
    ├── InputError           (ValueError)    a file, or one of its rows, cannot be used
    │   └── NoUsableRowsError                a file was read and held nothing usable
    └── WorkerError          (RuntimeError)  a killable worker failed
        ├── WorkerTimeoutError (TimeoutError)  it ran past its time limit and was killed
        ├── WorkerMemoryError  (MemoryError)   it ran past its memory limit
        └── WorkerDiedError                    it ended on its own, or somebody killed it

A model's nonsense is never an exception (it is a `Verdict`); these are about the caller's input and
our own machinery. All of them pickle: the message is their only argument.
"""


class RewardgateError(Exception):
    """Base of every error that this library raises on purpose."""


class ArgumentError(RewardgateError, ValueError):
    """An argument breaks the rule that its docstring states."""


class UnknownNameError(RewardgateError, LookupError):
    """A name that no registry knows; the message lists the known ones."""


class DuplicateNameError(RewardgateError, ValueError):
    """A name that is registered already."""


class MissingExtraError(RewardgateError, ImportError):
    """An optional dependency is absent; the message names the extra that installs it."""


class UnavailableError(RewardgateError, RuntimeError):
    """This machine has less than the caller demands, whatever the row: no verdict could say anything."""


class LawBrokenError(RewardgateError, AssertionError):
    """What was tested with `verifiers.testing` broke a law; the message shows the smallest example found."""


class InputError(RewardgateError, ValueError):
    """A file, or one of its rows, cannot be used: `file:line: field: rule, value`."""


class NoUsableRowsError(InputError):
    """A file was read to its end and held nothing usable."""


class WorkerError(RewardgateError, RuntimeError):
    """A killable worker failed: our machinery, never the model's fault by itself."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """The call ran past its time limit, and its worker was killed."""


class WorkerMemoryError(WorkerError, MemoryError):
    """The call ran past its worker's memory limit."""


class WorkerDiedError(WorkerError):
    """The worker ended during the call, by itself or by somebody's signal."""
