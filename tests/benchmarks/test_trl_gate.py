"""What `trl_gate.py` prints and draws of runs that are done; the runs themselves need TRL and minutes."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_finished_runs_are_a_table_and_a_curve(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import trl_gate  # type: ignore[import-not-found]

    def run(arm: str, seed: int, rewards: list[float], after: float) -> dict:
        curve = [
            {"step": step, "reward": reward, "nonzero_advantage": 1 - reward} for step, reward in enumerate(rewards)
        ]
        return {
            "arm": arm,
            "seed": seed,
            "steps": 10,
            "curve": curve,
            "held_out": {"0": 0.0, "10": after},
            "seconds": 1.0,
        }

    runs = [
        run("plain", 0, [0.0] * 10, 0.25),
        run("plain", 1, [0.0] * 10, 0.75),
        run("gated", 0, [0.0] * 4 + [1.0] * 6, 1.0),
    ]
    (tmp_path / "results.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in runs), encoding="utf-8")
    curve = tmp_path / "curve.svg"
    monkeypatch.setattr(sys, "argv", ["trl_gate.py", "--work", str(tmp_path), "--curve", str(curve)])
    trl_gate.main()
    plain, gated = capsys.readouterr().out.splitlines()[2:]
    assert plain.startswith("| plain | 10 | 2 | 1.000 (1.000–1.000) | 1.000 (1.000–1.000) | 0.000 (0.000–0.000) |")
    assert plain.endswith("| 0.000 → 0.500 (0.250–0.750) | none, none |")
    # The mean of steps 3 to 7 is 3/5, that of 2 to 6 is 2/5.
    assert gated.endswith("| 1.000 (1.000–1.000) | 0.000 → 1.000 (1.000–1.000) | 7 |")
    drawn = ElementTree.parse(curve).getroot()
    paths = drawn.findall(".//{http://www.w3.org/2000/svg}path")
    assert [path.get("class") for path in paths] == ["plain", "plain", "plain mean", "gated", "gated mean"] * 2
