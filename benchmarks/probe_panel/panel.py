"""The panel: which grader judges which questions, what is planted in it, and which honest twin it has."""

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

__all__ = ["PANEL", "Grader", "asked", "function_of"]


class Grader(NamedTuple):
    """One grader of the panel.

    Attributes:
        name: of its function, in faulty.py where something is planted and in healthy.py where nothing is.
        fault: a short name of what is planted; empty in a healthy one.
        kind: of its questions, a key of `rows.rows`.
        form: that its prompts ask for, a key of `rows.ASKS`.
        twin: the same grader without the fault, in faulty.py; empty where the fault is one of behaviour, which no
            single completion shows.
        shows: what a report must speak of where there is no twin: words, any of which is enough.
        is_by_design: told and counted neither way.
    """

    name: str
    fault: str
    kind: str
    form: str
    twin: str = ""
    shows: tuple[str, ...] = ()
    is_by_design: bool = False

    @property
    def file(self) -> str:
        """The file that its function stands in."""
        return "faulty.py" if self.fault and not self.is_by_design else "healthy.py"


_UNSTABLE = ("determin", "order", "state", "unstable", "repeat", "twice", "again", "same input", "differ")
_UNKNOWN = ("nan", "no number", "unscored", "none", "error", "raised")
_SLOW = ("hang", "hung", "time", "slow", "latency")

PANEL = (
    Grader("substring", "substring", "integers", "box", "box_number_twin"),
    Grader("first_number", "first number", "integers", "hash", "hash_number_twin"),
    Grader("last_number", "last number", "integers", "box", "box_number_twin"),
    Grader("nan_returned", "NaN returned", "integers", "box", shows=_UNKNOWN),
    Grader("integer_truncation", "integer truncation", "decimals", "box", "box_number_twin"),
    Grader("random_reward", "random", "integers", "box", shows=_UNSTABLE),
    Grader("error_scored_one", "error scored 1", "integers", "box", "box_number_twin"),
    Grader("prompt_echo", "prompt echo paid", "integers", "box", "box_number_twin"),
    Grader("any_box", "hedge list paid", "integers", "box", "box_number_twin"),
    Grader("sticky_cache", "verdict kept by target", "integers", "box", shows=_UNSTABLE),
    Grader("state_between_calls", "state between calls", "integers", "box", shows=_UNSTABLE),
    Grader("length_bonus", "length bonus", "integers", "box", "box_number_twin"),
    Grader("case_folded_symbol", "case of symbols folded", "symbols", "box", "box_text_twin"),
    Grader("negation_dropped", "negation dropped", "integers", "tag", "tag_number_twin"),
    Grader("empty_answer", "empty answer paid", "words", "tag", "tag_word_twin"),
    Grader("either_in_other", "gt in ans or ans in gt", "words", "tag", "tag_word_twin"),
    Grader("hang_on_long_text", "hang on long text", "integers", "hash", shows=_SLOW),
    Grader("think_paid", "answer inside think paid", "integers", "thought", "box_number_twin"),
    Grader("swapped_arguments", "swapped arguments", "integers", "box", "box_number_twin"),
    Grader("wide_tolerance", "tolerance too wide", "decimals", "box", "box_number_twin"),
    Grader("percent_ladder", "percent ladder", "decimals", "box", "box_number_twin"),
    Grader("sign_ignored", "sign ignored", "integers", "hash", "hash_number_twin"),
    Grader("digits_only", "all but digits removed", "decimals", "box", "box_number_twin"),
    Grader("fraction_as_a_set", "fraction without order", "fractions", "box", "box_number_twin"),
    Grader("format_paid", "format paid", "integers", "box", "box_number_twin"),
    Grader("prefix", "prefix", "integers", "hash", "hash_number_twin"),
    Grader("target_as_pattern", "target used as a pattern", "decimals", "box", "box_text_twin"),
    Grader("no_dotall", "lines of thinking refused", "integers", "tag", "tag_number_twin"),
    Grader("first_letter", "first letter anywhere", "letters", "letter", "choice_twin"),
    Grader("all_options", "all options paid", "letters", "letter", "choice_twin"),
    Grader("box_exact", "", "integers", "box"),
    Grader("box_number", "", "decimals", "box"),
    Grader("hash_integer", "", "integers", "hash"),
    Grader("tag_in_batches", "", "integers", "tag"),
    Grader("choice_letter", "", "letters", "letter"),
    Grader("tolerance", "", "fractions", "box"),
    Grader("tag_word", "", "words", "tag"),
    Grader("box_symbol", "", "symbols", "box"),
    Grader("last_box", "the last box anywhere", "integers", "box", is_by_design=True),
    Grader("bare_only", "nothing but the bare target", "integers", "bare", is_by_design=True),
)


def function_of(file: str, name: str) -> Callable[..., Any]:
    """The grader's function."""
    return getattr(import_module(file.removesuffix(".py")), name)


def asked(function: Callable[..., Any], prompt: str, completion: str, target: str) -> float:
    """What a grader's function returns for one completion, whatever its signature."""
    if "completions" in _parameters(function):
        return function(completions=[completion], answer=[target], solution=[target])[0]
    given = {"prompt": prompt, "data_source": "", "extra_info": {}}
    given |= dict.fromkeys(("completion", "response", "solution_str"), completion)
    given |= dict.fromkeys(("target", "gold", "gt", "ground_truth"), target)
    return function(**{name: given[name] for name in _parameters(function)})


@cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
