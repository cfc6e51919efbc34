"""Figures as TensorBoard reads them: scalars under `RUN/tensorboard`, written by TensorBoard's own writer."""

import time
from collections.abc import Mapping
from pathlib import Path

from ...errors import MissingExtraError

try:
    from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # pyright: ignore[reportMissingImports]
    from tensorboard.compat.proto.summary_pb2 import Summary  # pyright: ignore[reportMissingImports]
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise MissingExtraError("tensorboard is not installed; pip install 'rewardgate[tensorboard]'") from error

__all__ = ["TensorBoardWriter"]


class TensorBoardWriter:
    """Logs to TensorBoard.

    Args:
        folder: of the run; events go to `tensorboard` in it, where every start of the run has a file of its own.
        flush_s: seconds after which what was logged is written out.
    """

    def __init__(self, folder: Path, *, flush_s: int = 10) -> None:
        self._events = EventFileWriter(str(folder / "tensorboard"), flush_secs=flush_s)
        self._is_new = True

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Log the figures of a step, each under its name."""
        if self._is_new:
            # TensorBoard then hides what a run that was killed had logged of this step and later ones.
            start = SessionLog(status=SessionLog.START)
            self._events.add_event(Event(wall_time=time.time(), step=step, session_log=start))
            self._is_new = False
        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._events.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    def close(self) -> None:
        """Write out what is held."""
        self._events.close()
