import pickle

import pytest

from rewardgate import errors

FAMILY = [
    value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.RewardgateError)
]


@pytest.mark.parametrize("error", FAMILY, ids=lambda error: error.__name__)
def test_every_error_pickles_with_its_message(error: type[Exception]) -> None:
    again = pickle.loads(pickle.dumps(error("rewards: expected shape (B,), got (4, 2)")))
    assert type(again) is error
    assert str(again) == "rewards: expected shape (B,), got (4, 2)"


@pytest.mark.parametrize("error", FAMILY, ids=lambda error: error.__name__)
def test_every_error_stands_in_the_tree_of_the_docstring(error: type[Exception]) -> None:
    assert error.__name__ in (errors.__doc__ or "")


@pytest.mark.parametrize(
    ("error", "stdlib"),
    [
        (errors.ArgumentError, ValueError),
        (errors.UnknownNameError, LookupError),
        (errors.MissingExtraError, ImportError),
        (errors.InputError, ValueError),
        (errors.NoUsableRowsError, errors.InputError),
        (errors.WorkerTimeoutError, TimeoutError),
        (errors.WorkerMemoryError, MemoryError),
        (errors.WorkerDiedError, RuntimeError),
    ],
)
def test_an_error_is_also_the_standard_one_that_it_specialises(error: type, stdlib: type) -> None:
    assert issubclass(error, stdlib)
