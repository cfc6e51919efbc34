from hypothesis import given
from hypothesis import strategies as st

from rewardgate.verifiers.answers.answer_words import ASCII_STEMS
from rewardgate.verifiers.answers.plain_endings import _INNER_STEMS, plain_ending
from rewardgate.verifiers.extraction import RegionExtractor, auto

PIECES = st.sampled_from(
    [
        "so the answer is ", "The reference says ", "it is not ", "not: ", "The user's answer is ", "Answer: ", "= ",
        "\n", r"\boxed{7}", r"\boxed{-12}", r"\boxed{7", "$", ".", r"\(", r"\)", r"\[", "**", " or ",
        " and ", "<think>",
        "</think>", "#### 4", "\n#### 4", "\n#### 1,234\n", "#### 12 apples", "\n### Instruction", "\nUser: ",
        "\nAnswer: 5", "~~", r"\phantom{", "}", r"\fbox{3}", "<answer>", "</answer>", " wait, that is wrong", "isn't ",
        "cannot be ", "rather than ", r"\neq ",
        r"\not= ", r"\not = ", r"\text{", "gold: ", "The answer key gives ", "x", "12 ", "<|im_end|>",
        "[/INST]", "therefore ", "expected answer: ", "never ", "we get ",
        "x=-", "< ", "other than ", "2", "at least ", r"\ge ", "- ", "(", "^{", r"\frac{", "+ ", "!= ",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.builds(
        lambda lead, end: "".join(lead) + r"\boxed{7}" + end,
        st.lists(PIECES, max_size=4),
        st.sampled_from(["", "$", ".", "$.", r"\)."]),
    ),
)


PLAIN_LEADS = st.lists(
    st.sampled_from(
        [
            "We add 3 and 4. ", "So the sum is $3 + 4$. ", "Let x be its length: ", "\n", "\\[x = 7\\] ", "Therefore, ",
            "**Step 2.** ", "(a) holds or (b) does. ",
        ]
    ),
    max_size=6,
).map("".join)  # fmt: skip
PLAIN_TEXTS = st.one_of(
    st.builds(
        lambda lead, number, end: rf"{lead}the area is \boxed{{{number}}}{end}",
        PLAIN_LEADS,
        st.integers(-(10**17), 10**17) | st.integers(-(10**9), 10**9).map("{:,}".format),
        st.sampled_from(["", ".", "\n", " ."]),
    ),
    st.builds(lambda lead, number: f"{lead}\n#### {number}", PLAIN_LEADS, st.integers(-(10**17), 10**17)),
)
"""Texts that the short way is made for."""


SAID = st.builds(
    "{}nswer{} {}{}".format,
    st.sampled_from(["The a", "A", "**A", "Final A", "The final a", "So the a", "the a", "a", "my a", "wrong a"]),
    st.sampled_from([" is", ":", " is:", ":**", " isn't", " is not", "", "** is"]),
    st.sampled_from(["5", "$5$", "-1,234", "$7", "5 or 6", "5.5", "not 5", "*5*"]),
    st.sampled_from(["", ".", "\n", ".\n", "!", "..", " apples"]),
)
LEADS = st.lists(
    st.sampled_from(
        [
            "The answer is 6", ". ", "\n", "Answer:", "5", "Antwort: 4", "\nA: 3", "**Ans.** 2", "Suppose ", "write ",
            "Express\n", "I don't think ", "If ", "the reference says ", "words " * 30, "words. " * 80, "x" * 450,
            "Answer: " + "words " * 90, "Question: ", "User: ", "$x. ", "$", "\\(x", "maybe ", "#### 3\n", ": ",
            "Svaret: 1", "Report the ", "The reference says\n", "The teacher tells us\n", "gold\n", "the expected\n",
            "(write\n", "I am not sure that\n", "put down the\n", "reference: ", "The user clearly states that\n",
            "according to the rubric ", "truth =\n", "It is wrong that the\n", "simplify2 ", "re-express the ",
            "\nAnswer\n\n", "round", "# ", "1. ", "- ", "nicht ", "not ",
        ]
    ),
    max_size=5,
).map("".join)  # fmt: skip
PLAINLY_SAID = st.builds(
    "{}\n{} {}{}".format,
    PLAIN_LEADS.filter(lambda lead: "**" not in lead),
    st.sampled_from(["The answer is", "Answer:", "**Answer:**", "Final answer:", "The final answer is:"]),
    st.integers(-(10**17), 10**17),
    st.sampled_from(["", ".", "\n"]),
)


def full_reading(extractor: RegionExtractor) -> RegionExtractor:
    return RegionExtractor(extractor.name, extractor.find)


@given(TEXTS)
def test_the_short_way_never_says_anything_but_the_full_reading(text: str) -> None:
    short = plain_ending(text, None)
    if short is not None:
        assert short == full_reading(auto()).extract(text)


@given(st.builds(lambda lead, number: "".join(lead) + f"\n#### {number}", st.lists(PIECES, max_size=5), st.integers()))
def test_the_short_way_reads_hashes_as_the_full_reading_does(text: str) -> None:
    short = plain_ending(text, None)
    if short is not None:
        assert short == full_reading(auto()).extract(text)


@given(LEADS, SAID)
def test_the_short_way_reads_announcements_as_the_full_reading_does(lead: str, said: str) -> None:
    short = plain_ending(lead + said, None)
    if short is not None:
        assert short == full_reading(auto()).extract(lead + said)


@given(PLAIN_TEXTS | PLAINLY_SAID)
def test_the_short_way_is_taken_by_every_plain_text_and_agrees_with_the_full_reading(text: str) -> None:
    short = plain_ending(text, None)
    assert short is not None
    assert short == full_reading(auto()).extract(text)


def test_the_short_way_is_taken_where_it_is_meant_to_be() -> None:
    for text in (
        r"\boxed{42}",
        r"so the answer is $\boxed{42}$.",
        "One\ntwo.\n\\[\n\\boxed{-42}\n\\]",
        r"Thus $x = \boxed{42}$",
        r"so \boxed{1,234}",
        "6 * 7\n#### 42",
        "6 * 7 = 42. The answer is 42.",
        "Words and words\n**Final Answer:** $42$",
    ):
        taken = plain_ending(text, None)
        assert taken is not None
        assert text[slice(*taken.span or (0, 0))] == taken.text


def test_a_negated_equals_sign_takes_the_full_reading() -> None:
    assert plain_ending(r"so $x \not= \boxed{5}$", None) is None
    found = auto().extract(r"so $x \not= \boxed{5}$")
    assert found is not None
    assert found.rule == "negated"


def test_every_stem_within_a_line_holds_a_piece_that_is_looked_for() -> None:
    stems = [stem for stem in ASCII_STEMS if not stem.startswith("\n")]
    assert stems
    assert [stem for stem in stems if not any(piece in stem for piece in _INNER_STEMS)] == []


def test_a_prompt_that_may_be_echoed_takes_the_full_reading() -> None:
    assert plain_ending(r"\boxed{42}", r"What is six times seven? \boxed{42}") is None
