import base64
import hashlib
from pathlib import Path

import pytest
from audited import Suspect, audited, group
from html_pages import HOSTILE, Page, hostile_report, report_of
from report_parts import complete, copied, labelled, probed

import rewardgate
from rewardgate.audit import AuditReport, audit
from rewardgate.audit.report.html import CARDS_A_PAGE, html_page
from rewardgate.audit.runs.curves import curves_part
from rewardgate.diagnostics import group_kinds
from rewardgate.rollouts.reading import read

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"


@pytest.fixture(scope="module")
def report() -> AuditReport:
    return audit(read(FIXTURE))


@pytest.fixture(scope="module")
def page(report: AuditReport) -> Page:
    return Page(html_page(report))


@pytest.fixture(scope="module")
def full(report: AuditReport) -> Page:
    """The page with every part that there can be."""
    found = report.model_copy(update=copied())
    kinds = group_kinds([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    curves = curves_part({report.scored_by: kinds}, [1, 1, 2], scored_by=report.scored_by)
    probe = probed()
    return Page(html_page(complete(found, curves=curves, probe=probe, reliability=labelled()), probe=probe))


@pytest.fixture(scope="module")
def hostile(report: AuditReport) -> str:
    text = "".join(HOSTILE)
    spoilt = hostile_report(report).model_copy(update=copied(text))
    return html_page(complete(spoilt, probe=probed(text), reliability=labelled(text)), probe=probed(text))


def test_the_verdict_comes_first_and_every_finding_and_number_of_the_report_is_on_the_page(
    report: AuditReport, page: Page
) -> None:
    assert page.text.index(report.headline) < page.text.index(report.findings[0].threshold)
    for finding in report.findings:
        assert finding.sentence in page.text
        assert finding.threshold in page.text
    for count in report.causes:
        assert count.cause in page.text
    for entry in report.not_measured:
        assert entry.what in page.text
        assert entry.enable in page.text
    assert {card.group_id for card in report.cards} == {card["id"] for card in page.cards}


def test_sections_stand_in_their_order_and_the_contents_lead_to_each(full: Page) -> None:
    sections = [named["id"] for named in full.all("section")]
    assert sections == [
        "verdict", "data", "golds", "verifier", "groups", "causes", "review", "reliability", "right", "signal",
        "ladder", "appendix",
    ]  # fmt: skip
    # After the link that skips them.
    contents = [named["href"] for named in full.all("a")][1 : len(sections)]
    assert contents == [f"#{name}" for name in sections[1:]]


def test_a_section_whose_part_is_absent_is_absent(report: AuditReport) -> None:
    bare = report.model_copy(update={"duplicates": None, "permissive": None, "ladder": None})
    sections = {named["id"] for named in Page(html_page(bare)).all("section")}
    assert not {"reliability", "right", "ladder"} & sections


def test_a_probe_is_shown_as_a_map_of_shares_with_its_findings(full: Page) -> None:
    cells = [named for named in full.all("li") if "--share" in named.get("style", "")]
    # Accepted as it must be; refused, but explained; accepted 10 times of 25 where it never should be.
    assert [cell["style"] for cell in cells] == ["--share:0.0%", "--share:0%", "--share:40.0%"]
    assert "N+1=N is accepted" in full.text
    assert "\\boxed{421=420}" in full.text
    assert "always “1=2”: 1 of 25 accepted, 0 right" in full.text


def test_labels_are_shown_with_what_they_cannot_tell(full: Page) -> None:
    assert "17 of 40 labelled prompts are truly wrong" in full.text
    assert "[0.280, 0.580]" in full.text
    assert "below 0.180, one-sided, exact" in full.text
    assert "not estimable: no label there" in full.text
    assert "12 prompts more at this rate would decide it" in full.text


def test_copies_and_permissive_verdicts_are_shown(full: Page) -> None:
    assert "1 exact, 2 near, 0 variant copies" in full.text
    assert "3 of 50 accepted" in full.text
    assert "1 group all wrong by accuracy" in full.text
    # One pair of the three is listed.
    assert "2 more pairs" in full.text


def test_the_ladder_names_the_layer_to_change_first(full: Page) -> None:
    assert "#ladder" in [named["href"] for named in full.all("a")]
    assert "change first verifier" in " ".join(full.text.split())
    assert "mixed-group supply" in full.text


def test_nothing_is_loaded_from_anywhere(full: Page) -> None:
    assert not {"src", "srcset", "action", "data", "poster", "background"} & {
        name for _, named in full.elements for name in named
    }
    assert {named["href"][0] for named in full.all("a")} == {"#"}
    assert {"link", "img", "iframe", "object", "base"}.isdisjoint(tag for tag, _ in full.elements)
    # Names of XML dialects and the like are no references, but there is no reason to have them.
    assert "http" not in full.scripts[""]


def test_the_policy_allows_the_one_script_by_its_hash_and_no_request(page: Page) -> None:
    (policy,) = [named["content"] for named in page.all("meta") if named.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    digest = base64.b64encode(hashlib.sha256(page.scripts[""].encode()).digest()).decode()
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    kinds = [named.get("type", "script") for named in page.all("script")]
    assert kinds == ["application/json", "application/octet-stream", "script"]
    assert not any(name.startswith("on") for _, named in page.elements for name in named)


def test_the_page_is_its_own_archive(report: AuditReport, page: Page) -> None:
    assert AuditReport.model_validate(page.report) == report


def test_what_models_wrote_is_text_wherever_it_stands(full: Page, hostile: str) -> None:
    found = Page(hostile)
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in full.elements}
    assert len(found.all("script")) == 3
    assert len([named for named in found.all("details") if named.get("class") == "card"]) == len(HOSTILE) + 1
    for text in HOSTILE[:6]:
        assert text in found.text
    assert all(card["prompt"].endswith(text) for card, text in zip(found.cards[:6], HOSTILE[:6], strict=True))


def test_what_hides_or_reorders_is_written_as_an_escape(hostile: str) -> None:
    unseen = {"\u202e", "\u2066", "\u2028", "\u2029", "\x00", "\x1b", "\x08", "\x7f", "\ufeff"}
    assert not unseen & set(hostile)
    hostile.encode("utf-8")  # which half a pair has no form in
    assert "\\u202eright to left\\u2066 and back" in Page(hostile).text
    assert "half \\ud83d of a pair \\udc00" in Page(hostile).text


def test_what_looks_like_a_template_is_not_evaluated(hostile: str) -> None:
    assert "{{ 7 * 7 }}{% raw %}{# #}" in Page(hostile).text


def test_texts_of_megabytes_leave_a_page_of_kilobytes(report: AuditReport) -> None:
    long = "<b>" * 350_000
    evidence = (
        report.cards[0]
        .evidence[0]
        .model_copy(update={"excerpt": long, "extracted": long, "referee_detail": long, "source": long})
    )
    card = report.cards[0].model_copy(
        update={"group_id": long, "prompt": long, "target": long, "evidence": (evidence,)}
    )
    said = html_page(report.model_copy(update={"cards": (card,)}))
    assert len(said) < 400_000  # most of it the archive, where they are whole
    assert len(html_page(report)) < 150_000


def test_the_first_cards_are_markup_and_all_are_data(report: AuditReport) -> None:
    found = Page(html_page(report_of(report, CARDS_A_PAGE + 5)))
    ids = [named["id"] for named in found.all("details") if named.get("class") == "card"]
    assert ids == [card["anchor"] for card in found.cards[:CARDS_A_PAGE]] + [""]  # the last is the pattern
    assert len(found.cards) == CARDS_A_PAGE + 5
    assert f"{CARDS_A_PAGE} of {CARDS_A_PAGE + 5} groups" in found.text
    assert "5 more groups are shown where scripts may run" in found.text


def test_no_id_is_given_twice(full: Page) -> None:
    ids = [named["id"] for _, named in full.elements if named.get("id")]
    assert len(ids) == len(set(ids))


def test_every_link_within_the_page_leads_somewhere(full: Page) -> None:
    ids = {named.get("id") for _, named in full.elements}
    assert {named["href"][1:] for named in full.all("a")} - {""} <= ids


def test_every_field_and_chart_has_a_name(report: AuditReport, page: Page) -> None:
    assert all(named.get("aria-label") for tag in ("input", "select") for named in page.all(tag))
    assert all("<title>" in chart for chart in html_page(report).split("<svg")[1:])


@pytest.mark.parametrize(
    "members", [[(None, 0.0), (None, 1.0)], [("4", "absent"), ("5", "absent")], [("4", None), ("5", None)]]
)
def test_what_could_not_be_measured_says_so(members: list[tuple[str | None, float | str | None]]) -> None:
    found = Page(html_page(audited(group("a", None, members))))
    assert "Not measured: this file has no targets" in found.text
    assert "NaN" not in found.text
    assert "None" not in found.text


def test_a_verifier_under_audit_is_named_and_its_parse_stands_beside_the_referees() -> None:
    groups = [group("a", "1/2", [("\\boxed{0.5}", 0.0)] * 4), group("b", "3", [("\\boxed{3}", 1.0)] * 4)]
    found = Page(html_page(audited(*groups, suspect=Suspect(lambda completion, target: float(target in completion)))))
    card = found.cards[0]
    facts = {fact["name"]: fact["text"] for fact in card["evidence"][0]["facts"]}
    assert card["evidence"][0]["mark"] == "0.5"
    assert facts["extracted"] == "0.5"
    assert facts["referee"].startswith("correct: ")
    assert facts["verifier"].startswith("incorrect (returned)")
    assert "scored Suspect" in found.text


def test_curves_are_drawn_where_there_are_any(full: Page, report: AuditReport) -> None:
    assert len(full.all("figure")) == 3
    assert "Mean pass@k over prompts" in full.text
    assert Page(html_page(report.model_copy(update={"curves": None}))).all("figure") == []


def test_the_same_report_gives_the_same_page(report: AuditReport) -> None:
    assert html_page(report) == html_page(report)
