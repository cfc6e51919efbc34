from pathlib import Path

import pytest

from rewardgate.errors import InputError
from rewardgate.grpo import ScaleState
from rewardgate.integrations.scale_files import FILE_NAME, read_scale, write_scale


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    state = ScaleState(decay=0.5).updated(4.0).updated(0.1)
    write_scale(tmp_path, state)
    assert read_scale(tmp_path) == state


def test_a_checkpoint_without_one_begins_anew(tmp_path: Path) -> None:
    assert read_scale(tmp_path) == ScaleState()


@pytest.mark.parametrize("text", ["", "[]", '{"decay": 2}', '{"tau": 1}', "\udcff"])
def test_a_file_that_holds_something_else_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=f"{FILE_NAME}: expected the gate's running scale, got: "):
        read_scale(tmp_path)
