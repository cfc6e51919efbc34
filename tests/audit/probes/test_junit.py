from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from probe_reports import CHANCE, PAID, STRICT, SUBSTRING, report, row

from rewardgate.audit.probes.junit import junit
from rewardgate.audit.probes.model import ProbeReport


def cases(found: ProbeReport, baseline: ProbeReport | None = None) -> dict[str, ElementTree.Element]:
    """The test cases by name; the counts of the suite were compared with them."""
    root = ElementTree.fromstring(junit(found, baseline=baseline))
    assert root.tag == "testsuites"
    (suite,) = root
    for element in (root, suite):
        assert element.attrib["tests"] == str(len(suite.findall("testcase")))
        assert element.attrib["failures"] == str(len(suite.findall("testcase/failure")))
        assert element.attrib["errors"] == str(len(suite.findall("testcase/error")))
        assert element.attrib["skipped"] == str(len(suite.findall("testcase/skipped")))
        assert float(element.attrib["time"]) == found.seconds
    named = {case.attrib["name"]: case for case in suite}
    assert len(named) == len(suite)
    return named


def tags(case: ElementTree.Element) -> list[str]:
    return [child.tag for child in case]


def test_a_row_fails_where_a_finding_that_accuses_names_it() -> None:
    found = cases(report())
    assert {name: tags(case) for name, case in found.items()} == {
        "controls: a reference is told from nothing": [],
        "must accept: boxed": [],
        "must accept: answer_tag": ["system-out"],
        "must reject: list_spray": ["failure"],
        "must reject: long_text": ["error"],
        "must reject: all_options": ["skipped"],
        "finding: random": ["failure"],
        "not measured: prompt echo": ["skipped"],
    }


def test_a_failure_says_what_was_found_and_shows_the_worst_case() -> None:
    (failure,) = cases(report())["must reject: list_spray"]
    assert failure.attrib == {"type": "substring", "message": SUBSTRING.sentence}
    assert (failure.text or "").splitlines() == [
        SUBSTRING.sentence,
        "Compare the answer, not the text.",
        "target:   '42'",
        r"response: '40, 41, 42, 43 in \\boxed{7}'",
        "must reject; accepted",
    ]


def test_what_the_baseline_knows_fails_no_test_and_is_told() -> None:
    found = cases(report(), report(findings=(SUBSTRING, CHANCE, STRICT)))
    for name, finding in (("must reject: list_spray", SUBSTRING), ("finding: random", CHANCE)):
        (told,) = found[name]
        assert (told.tag, told.text) == ("system-out", f"known: {finding.sentence}")


def test_an_inconclusive_probe_is_an_error_and_not_a_pass() -> None:
    found = cases(report(status="inconclusive", headline="it accepts an empty answer", findings=(), rows=()))
    (error,) = found["controls: a reference is told from nothing"]
    assert error.attrib == {"type": "inconclusive", "message": "it accepts an empty answer"}


def test_a_response_of_a_million_characters_is_clipped() -> None:
    long = PAID.model_copy(update={"response": "7" * 1_000_000})
    text = junit(report(rows=(row("list_spray", "reject", 25, 25, worst=long),)))
    assert len(text) < 5_000
    assert "(1000012 characters)" in text


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_of_a_model_is_readable_xml(text: str) -> None:
    shown = PAID.model_copy(update={"response": text})
    finding = SUBSTRING.model_copy(update={"sentence": text})
    found = cases(report(findings=(finding,), rows=(row("list_spray", "reject", 1, 1, worst=shown),), verifier=text))
    assert tags(found["must reject: list_spray"]) == ["failure"]


def test_a_character_that_xml_cannot_hold_is_written_as_its_code() -> None:
    finding = SUBSTRING.model_copy(update={"sentence": "bell \a and half \ud83d"})
    (failure,) = cases(report(findings=(finding,)))["must reject: list_spray"]
    assert failure.attrib["message"] == r"bell \x07 and half \xd83d"


def test_two_compositions_are_two_tests() -> None:
    both = [
        SUBSTRING.model_copy(update={"fault": "composition", "probes": (), "recipe": recipe, "fingerprint": recipe[0]})
        for recipe in (("plus_one", "bold"), ("negated", "bold"))
    ]
    found = cases(report(findings=tuple(both)))
    assert {"finding: composition + plus_one + bold", "finding: composition + negated + bold"} <= found.keys()
