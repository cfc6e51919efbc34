from dataclasses import replace
from pathlib import Path

import pytest
from label_files import FLAGGED, PLAIN, small_draw, units_in

from rewardgate.audit.labels.database import Database
from rewardgate.audit.labels.draws import insert_draw, latest_draw, refuse_another
from rewardgate.errors import ArgumentError


def test_a_draw_comes_back_as_it_was_kept_and_the_last_one_is_the_latest(tmp_path: Path) -> None:
    draw = small_draw(units_in({PLAIN: 5, FLAGGED: 2}), scored_by="π.py:f", within="wrong")
    database = Database(tmp_path / "labels.sqlite")
    with database.transaction() as connection:
        assert latest_draw(connection) is None
        insert_draw(connection, draw, draw.sample)
        assert latest_draw(connection) == replace(draw, number=1)
        insert_draw(connection, draw, draw.sample[::-1])
        assert latest_draw(connection) == replace(draw, number=2, sample=draw.sample[::-1])
    database.close()


def test_a_renamed_file_and_a_larger_sample_are_no_other_draw() -> None:
    draw = small_draw()
    refuse_another(draw, replace(draw, file="elsewhere.jsonl", n_prompts=100, number=7))
    with pytest.raises(ArgumentError, match=r"correct_at: expected 1\.0 as in the draw"):
        refuse_another(draw, replace(draw, correct_at=0.5))
