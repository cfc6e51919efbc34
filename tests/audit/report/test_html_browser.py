"""The page in a real browser. Needs playwright and a Chromium on the path; .ci/browser brings the first."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from html_pages import HOSTILE, hostile_report, report_of
from report_parts import complete, copied, labelled, probed
from run_folders import write_run

import rewardgate
from rewardgate.audit import AuditReport, audit
from rewardgate.audit.report.html import CARDS_A_PAGE, html_page
from rewardgate.audit.runs.logs import run_logs
from rewardgate.audit.runs.part import run_part, with_run
from rewardgate.rollouts.reading import read

pytestmark = pytest.mark.browser

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"
WIDTHS = [1280, 390]
MANY = 10_000


class Opened(NamedTuple):
    """A page, what its console said, what it asked for, and where it lies."""

    page: Any
    said: list[str]
    requests: list[str]
    url: str


Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="NOT RUN: playwright is not installed")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("NOT RUN: no chromium on the path")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    contexts = []

    def opened(report: AuditReport | str, *, width: int = 1280, at: str = "", **options: Any) -> Opened:
        file = tmp_path / "report.html"
        file.write_text(report if isinstance(report, str) else html_page(report), encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        found = Opened(page, [], [], file.as_uri())
        page.on("console", lambda message: found.said.append(message.text))
        page.on("pageerror", lambda error: found.said.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(found.url + at)
        return found

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def report() -> AuditReport:
    return audit(read(FIXTURE))


def assert_calm(found: Opened) -> None:
    """Nothing said, nothing asked for but the file itself, and nothing wider than the window."""
    assert found.said == []
    assert {url.split("#")[0] for url in found.requests} == {found.url}
    assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def shown(page: Any) -> list[str]:
    return page.locator(".cards .card-id").all_text_contents()


def focused(page: Any) -> str:
    return page.evaluate("document.activeElement.closest('.card')?.id ?? document.activeElement.name ?? ''")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_calm(opened: Open, report: AuditReport, width: int, scheme: str) -> None:
    found = opened(report, width=width, color_scheme=scheme)
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert_calm(found)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_real_file_is_calm(opened: Open, shared: Path, width: int) -> None:
    found = opened(audit(read(shared / "data" / "qwen_math_cot_100.jsonl")), width=width)
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert_calm(found)
    assert shown(found.page) == ["3", "72", "84", "85", "54", "81"]


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_texts_do_nothing_wherever_they_are_drawn(opened: Open, report: AuditReport, width: int) -> None:
    text = "".join(HOSTILE) + "x" * 200
    spoilt, probe = hostile_report(report).model_copy(update=copied(text)), probed(text)
    found = opened(html_page(complete(spoilt, probe=probe, reliability=labelled(text)), probe=probe), width=width)
    page = found.page
    page.locator(".filters select[name=sort]").select_option("at")  # drawn again, by the script
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.locator(".card-id").first.hover()
    assert page.evaluate("window.hit") is None
    assert page.locator(".cards script, .cards img, .cards svg, .cards b").count() == 0
    assert "<img src=x onerror='window.hit = 1'>" in page.locator(".cards").inner_text()
    assert_calm(found)


def test_the_policy_stops_scripts_and_requests_of_others(opened: Open, report: AuditReport) -> None:
    page = opened(report).page
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.hit = 1";
        document.body.append(script);
    }""")
    assert page.evaluate("window.hit") is None
    assert page.evaluate("fetch('data:text/plain,x').then(() => 'loaded', () => 'refused')") == "refused"
    assert page.evaluate("""new Promise((done) => {
        const image = new Image();
        image.onload = () => done("loaded");
        image.onerror = () => done("refused");
        image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    })""") == "refused"  # fmt: skip


def test_the_groups_are_walked_and_opened_by_keys(opened: Open, report: AuditReport) -> None:
    page = opened(report_of(report, 60)).page
    first, second = (f"group-p{number:05d}" for number in (1, 3))  # hedged ones come before undetermined ones
    page.keyboard.press("j")
    assert focused(page) == first
    page.keyboard.press("j")
    assert focused(page) == second
    page.keyboard.press("Enter")
    assert page.locator(f"[id='{second}']").get_attribute("open") is not None
    page.keyboard.press("ArrowUp")
    assert focused(page) == first
    page.keyboard.press("k")
    assert focused(page) == first
    page.keyboard.press("]")
    assert page.locator(".pages span").inner_text() == "page 2 of 3"
    page.keyboard.press("[")
    assert page.locator(".pages span").inner_text() == "page 1 of 3"


def test_tab_reaches_the_filter_the_groups_and_what_is_in_them(opened: Open, report: AuditReport) -> None:
    page = opened(report).page
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(focused(page))
    assert {"text", "cause", "kind", "sort", "group-gold-unreadable", "group-hedged"} <= reached


def test_slash_filters_and_escape_leaves_the_field(opened: Open, report: AuditReport) -> None:
    page = opened(report_of(report, 60)).page
    page.keyboard.press("/")
    assert focused(page) == "text"
    page.keyboard.type("after 4 jjj")  # a key within the field is a letter
    assert shown(page) == []
    for _ in " jjj":
        page.keyboard.press("Backspace")
    assert page.locator(".shown").inner_text() == "1–15 of 15 groups, filtered from 60"
    page.keyboard.press("Escape")
    assert focused(page) != "text"


def test_groups_are_chosen_by_cause_and_kind_and_sorted(opened: Open, report: AuditReport) -> None:
    page = opened(report_of(report, 60)).page
    page.locator(".filters select[name=cause]").select_option("undetermined")
    assert shown(page)[:3] == ["p00000", "p00002", "p00004"]
    page.locator(".filters select[name=sort]").select_option("right")
    assert shown(page)[:3] == ["p00000", "p00006", "p00012"]  # successes are the number modulo 3
    page.locator("[data-cause=hedged]").click()
    assert shown(page)[0] == "p00003"
    page.locator(".filters select[name=sort]").select_option("at")
    assert shown(page)[:2] == ["p00001", "p00003"]


def test_a_heading_sorts_its_table_up_and_down(opened: Open, report: AuditReport) -> None:
    page = opened(report).page
    heading = page.locator("[data-table=golds] th").nth(2)
    column = page.locator("[data-table=golds] tbody tr td:nth-child(3)")
    heading.locator("button").click()
    assert (heading.get_attribute("aria-sort"), column.all_text_contents()) == ("ascending", ["0", "3"])
    heading.locator("button").click()
    assert (heading.get_attribute("aria-sort"), column.all_text_contents()) == ("descending", ["3", "0"])


def test_a_link_opens_its_group_wherever_it_stands(opened: Open, report: AuditReport) -> None:
    page = opened(report_of(report, 300), at="#group-p00200").page
    card = page.locator("[id='group-p00200']")
    assert card.get_attribute("open") is not None
    assert 0 <= card.bounding_box()["y"] < 900
    page.locator(".filters input").fill("nothing that is there")
    page.evaluate("location.hash = 'group-p00007'")
    page.locator("[id='group-p00007'][open]").wait_for()
    assert page.locator(".filters input").input_value() == ""


def test_a_link_to_a_hostile_id_finds_its_group(opened: Open, report: AuditReport) -> None:
    name = "a b/ü%20'\"<&>#?"
    found = opened(report.model_copy(update={"cards": (report.cards[0].model_copy(update={"group_id": name}),) * 2}))
    link = found.page.locator(".card [data-link]").first
    link.click()
    assert found.page.evaluate("document.querySelector(':target')?.querySelector('.card-id').textContent") == name


def test_the_theme_follows_the_system_until_it_is_switched(opened: Open, report: AuditReport) -> None:
    page = opened(report, color_scheme="dark").page

    def background() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = background()
    page.keyboard.press("t")
    light = background()
    assert dark != light
    page.locator("[data-act=theme]").click()
    assert background() == dark
    page.emulate_media(color_scheme="light")
    assert background() == dark


def test_the_keys_are_told_and_put_away(opened: Open, report: AuditReport) -> None:
    page = opened(report).page
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_the_report_is_saved_as_json(opened: Open, report: AuditReport) -> None:
    page = opened(report).page
    with page.expect_download() as download:
        page.locator("[data-act=save]").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8")) == report.model_dump(mode="json")


def test_without_scripts_the_findings_and_the_first_groups_are_there(opened: Open, report: AuditReport) -> None:
    found = opened(report_of(report, 60), java_script_enabled=False)
    page = found.page
    assert page.locator("h1").inner_text() == report.headline
    assert page.locator(".cards > .card").count() == CARDS_A_PAGE
    assert not page.locator(".filters").is_visible()
    page.locator(".cards > .card > summary").nth(1).click()
    assert page.locator(".cards > .card .prompt").nth(1).is_visible()
    assert "35 more groups" in page.locator("noscript").inner_text()


def test_a_finger_opens_a_group_on_a_phone(opened: Open, report: AuditReport) -> None:
    page = opened(report, width=390, has_touch=True, is_mobile=True).page
    page.locator(".cards > .card > summary").nth(2).tap()
    assert page.locator(".cards > .card .prompt").nth(2).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_ten_thousand_groups_stay_responsive(opened: Open, report: AuditReport) -> None:
    page = opened(report_of(report, MANY)).page
    interactive = page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
    filtered = page.evaluate("""() => {
        const field = document.querySelector(".filters input");
        const start = performance.now();
        field.value = "after 99";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        document.body.offsetHeight;
        return performance.now() - start;
    }""")
    assert page.locator(".shown").inner_text().endswith("filtered from 10000")
    # Generous: a page that stalls takes many times as long.
    assert (interactive < 5_000, filtered < 1_000) == (True, True), (interactive, filtered)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_run_is_calm(opened: Open, tmp_path: Path, width: int, scheme: str) -> None:
    folder = write_run(tmp_path / "run", steps=60)
    logs = run_logs(folder)
    assert logs is not None
    found = opened(with_run(audit(read(folder)), run_part(logs)), width=width, color_scheme=scheme)
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert found.page.locator("#run .chart").count() == 3
    assert_calm(found)
