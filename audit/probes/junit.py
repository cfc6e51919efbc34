"""A probe report as JUnit XML, which every continuous-integration service shows as a table of tests.

One test a row of the matrix, one for the controls, and one for each finding that no row shows (chance, state, a
composition). A test fails where a finding that warns or fails names its row; an explained row passes and says why; a
row that was not asked is skipped; one that only timed out or crashed is an error.
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .baseline import new_findings
from .model import CaseVerdict, ProbeFinding, ProbeReport, ProbeRow

__all__ = ["junit"]

# XML 1.0 has no way to write these, escaped or not.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_CHARACTERS = 400


def junit(report: ProbeReport, *, baseline: ProbeReport | None = None) -> str:
    """The report as the text of a JUnit file.

    Args:
        report: what was found.
        baseline: an earlier report; findings that it has fail no test, and are told in the test's output.
    """
    new = new_findings(report, baseline)
    failing = [finding for finding in new if finding.severity != "info"]
    known = [finding for finding in report.findings if finding.severity != "info" and finding not in failing]
    suite = Element("testsuite", name=_text(f"rewardgate probe {report.verifier}"), time=f"{report.seconds:.3f}")
    _controls(suite, report)
    for row in report.rows:
        _row(suite, report, row, failing, known)
    rows = {row.probe for row in report.rows}
    for finding in [*failing, *known]:
        if not rows.intersection(finding.probes):
            case = _case(suite, report, " + ".join((f"finding: {finding.fault}", *finding.recipe)))
            _told(case, [finding] if finding in failing else [], [finding] if finding in known else [])
    for part in report.not_measured:
        case = _case(suite, report, f"not measured: {part.what}")
        SubElement(case, "skipped", message=_text(f"{part.why}; {part.enable}"))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suites = Element(
        "testsuites", {key: suite.attrib[key] for key in ("tests", "failures", "errors", "skipped", "time")}
    )
    suites.append(suite)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _controls(suite: Element, report: ProbeReport) -> None:
    case = _case(suite, report, "controls: a reference is told from nothing")
    if report.status == "inconclusive":
        # Not a failure: nothing is known of the verifier, which is no verdict on it.
        SubElement(case, "error", type="inconclusive", message=_text(report.controls.reason or report.headline))


def _row(
    suite: Element,
    report: ProbeReport,
    row: ProbeRow,
    failing: Sequence[ProbeFinding],
    known: Sequence[ProbeFinding],
) -> None:
    case = _case(suite, report, f"must {row.expectation}: {row.probe}")
    if row.n == 0:
        SubElement(case, "skipped", message="no target has such a case")
        return
    shown = [finding for finding in failing if row.probe in finding.probes]
    _told(case, shown, [finding for finding in known if row.probe in finding.probes], row.worst)
    n_lost = row.n_timeouts + row.n_crashes
    if n_lost and not shown:
        told = f"{row.n_timeouts} timed out and {row.n_crashes} crashed, of {row.n}"
        SubElement(case, "error", type="no verdict", message=told)
    if row.explained:
        SubElement(case, "system-out").text = _text(f"{row.n_accepted} of {row.n} accepted: {row.explained}")


def _told(
    case: Element, failing: Sequence[ProbeFinding], known: Sequence[ProbeFinding], worst: CaseVerdict | None = None
) -> None:
    for finding in failing[:1]:  # a test fails once; the others stand in its text
        failure = SubElement(case, "failure", type=finding.fault, message=_text(finding.sentence))
        parts = [part for one in failing for part in (one.sentence, one.explanation)]
        evidence = worst or next(iter(finding.evidence), None)
        failure.text = _text("\n".join([*parts, *([] if evidence is None else _shown(evidence))]))
    if known:
        SubElement(case, "system-out").text = _text("\n".join(f"known: {finding.sentence}" for finding in known))


def _shown(case: CaseVerdict) -> list[str]:
    said = "no verdict" if case.accepted is None else "accepted" if case.accepted else "refused"
    return [f"target:   {case.target!r}", f"response: {case.response!r}", f"must {case.expectation}; {said}"]


def _case(suite: Element, report: ProbeReport, name: str) -> Element:
    return SubElement(suite, "testcase", classname=_text(report.verifier), name=_text(name))


def _text(text: str) -> str:
    """What XML can hold of a text, clipped line by line; the rest of its characters as their code."""
    clipped = (
        line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}… ({len(line)} characters)"
        for line in text.split("\n")
    )
    return _UNWRITABLE.sub(lambda found: f"\\x{ord(found.group()):02x}", "\n".join(clipped))
