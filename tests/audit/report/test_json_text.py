import json
from pathlib import Path

import rewardgate
from rewardgate.audit import audit
from rewardgate.audit.report.json_text import report_json
from rewardgate.audit.report.model import NotMeasured
from rewardgate.rollouts.reading import read

FIXTURE = Path(rewardgate.__file__).parent / "fixtures" / "rollouts.jsonl"


def test_a_report_without_half_pairs_is_written_as_pydantic_writes_it() -> None:
    report = audit(read(FIXTURE))
    assert report_json(report, indent=2) == report.model_dump_json(indent=2)


def test_half_a_surrogate_pair_is_an_escape() -> None:
    said = report_json(NotMeasured(what="\\ \ud83d é", why="", enable=""))
    assert said.encode("utf-8") == b'{"what": "\\\\ \\ud83d \xc3\xa9", "why": "", "enable": ""}'
    assert json.loads(said)["what"] == "\\ \ud83d é"
