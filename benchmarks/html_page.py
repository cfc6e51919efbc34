"""The HTML report of many groups: seconds to write it, its size, and, in a real browser, how fast it answers.

    python benchmarks/html_page.py --cards 10000

Prints one line a figure. The browser's figures need playwright (`.ci/browser` shows how) and a Chromium on the path;
without them they are said to be missing. Each is the median of `--runs` fresh pages opened from disk: on the clock,
which other work on the machine stretches, and of the page's main thread alone (CPU).
"""

import argparse
import shutil
import tempfile
from importlib import util
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import rewardgate
from rewardgate.audit import AuditReport, audit
from rewardgate.audit.report.html import html_page
from rewardgate.rollouts.reading import read

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"

TO_FILTER = """() => {
    const field = document.querySelector(".filters input");
    const start = performance.now();
    field.value = "after 99";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    return performance.now() - start;
}"""
TO_TURN = """() => {
    const start = performance.now();
    document.querySelector("[data-act=on]").click();
    document.body.offsetHeight;
    return performance.now() - start;
}"""
TO_START = "() => performance.getEntriesByType('navigation')[0].domInteractive"
QUESTIONS = {"interactive": TO_START, "filter": TO_FILTER, "next page": TO_TURN}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    report = enlarged(audit(read(FIXTURE)), options.cards)
    started, worked = perf_counter(), process_time()
    page = html_page(report)
    took, cpu = perf_counter() - started, process_time() - worked
    print(f"{options.cards} groups with cards: written in {took:.2f} s (CPU {cpu:.2f} s), {len(page) / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        in_browser(file, options.runs)


def enlarged(report: AuditReport, n: int) -> AuditReport:
    """`report` with `n` cards: its own, one after the other, each with an id and a prompt of its own."""
    cards = tuple(
        report.cards[number % len(report.cards)].model_copy(
            update={"group_id": f"p{number:06d}", "prompt": f"What comes after {number}?"}
        )
        for number in range(n)
    )
    return report.model_copy(update={"cards": cards})


def in_browser(file: Path, runs: int) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if util.find_spec("playwright") is None or chromium is None:
        print("in the browser: not measured, playwright or chromium is missing")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in (1280, 390):
            took = [measured(browser, file, width) for _ in range(runs)]
            clock, cpu = ({name: median(one[name][i] for one in took) for name in QUESTIONS} for i in (0, 1))
            said = ", ".join(f"{name} {clock[name]:.0f} ms (CPU {cpu[name]:.0f} ms)" for name in QUESTIONS)
            print(f"in Chromium {browser.version}, {width} px: {said}")
        browser.close()


def measured(browser: Any, file: Path, width: int) -> dict[str, tuple[float, float]]:
    """Milliseconds on the clock and of the main thread, until the page is interactive and for what is asked of it."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(file.as_uri())
    took, before = {}, 0.0
    for name, question in QUESTIONS.items():
        clock = page.evaluate(question)
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        took[name] = clock, 1_000 * (metrics["TaskDuration"] - before)
        before = metrics["TaskDuration"]
    page.close()
    return took


if __name__ == "__main__":
    main()
