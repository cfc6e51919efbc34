"""The program that measures a run on a card: here over tiny shapes, so that it runs when a card is to be had."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(400)  # seconds of work, and the first import of transformers on a busy machine
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_the_dry_run_tells_every_phase_of_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gpu_loop  # type: ignore[import-not-found]

    out, small = tmp_path / "out.json", ["--steps", "2", "--groups", "2", "--group-size", "2", "--max-tokens", "8"]
    gpu_loop.main(["--device", "cpu", "--tiny", *small, "--json", str(out)])
    found, printed = json.loads(out.read_text(encoding="utf-8")), capsys.readouterr().out
    assert "tiny shapes: no figures" in printed
    phases = found["phases"]
    assert list(phases) == list(gpu_loop.PHASES)
    assert all(f"| {phase} | {one['seconds']:.3f} |" in printed for phase, one in phases.items())
    assert all(one["seconds"] > 0 for one in phases.values())
    assert phases["step"]["seconds"] > max(phases[name]["seconds"] for name in ("generate", "update", "other"))
    # Two steps of 2 x 2 completions of at most 8 tokens; the update reads their prompts of 6 too.
    sampled = phases["step"]["tokens_per_s"]
    assert 0 < sampled < phases["generate"]["tokens_per_s"]
    assert phases["update"]["tokens_per_s"] > 0
    assert phases["judge"]["tokens_per_s"] is None
    # The stand-in says 75 of 100 at any time.
    assert phases["step"]["idle"] == pytest.approx(0.25)
    assert found["peak_gib"] is None


def test_phases_and_what_is_of_none_make_up_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gpu_loop  # type: ignore[import-not-found]

    watch = gpu_loop.Watch(on_card=False)
    watch.ends = [0.0, 10.0, 20.0, 30.0]
    watch.spans = [("generate", 1.0, 4.0), ("generate", 10.5, 14.0), ("update", 15.0, 19.0), ("generate", 20.0, 29.0)]
    spans = watch.spans_behind(10.0)
    # 10-10.5, 14-15 and 19-20 of the first counted step are of no phase, and 29-30 of the second.
    others = [(start, end) for name, start, end in spans if name == "other"]
    assert others == [(10.0, 10.5), (14.0, 15.0), (19.0, 20.0), (20.0, 20.0), (29.0, 30.0)]
    assert [one for one in spans if one[0] == "step"] == [("step", 10.0, 20.0), ("step", 20.0, 30.0)]
    assert sum(end - start for name, start, end in spans if name != "step") == 20.0
