"""Figures as a run of trackio; where it keeps them is trackio's setting (`TRACKIO_DIR`)."""

from collections.abc import Mapping
from pathlib import Path

from ...errors import MissingExtraError

try:
    import trackio  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise MissingExtraError("trackio is not installed; pip install 'rewardgate[trackio]'") from error

__all__ = ["TrackioWriter"]


class TrackioWriter:
    """Logs to trackio; a run that is resumed under its name goes on there.

    Args:
        folder: of the run.
        project: of trackio.
        name: of the run; its folder's where None.
        space_id: a Space to log to; where None, trackio's settings say.
    """

    def __init__(
        self, folder: Path, *, project: str = "rewardgate", name: str | None = None, space_id: str | None = None
    ) -> None:
        name = name or folder.resolve().name
        self._run = trackio.init(
            project, name=name, space_id=space_id, resume="allow", auto_log_gpu=False, auto_log_cpu=False
        )

    def write(self, step: int, figures: Mapping[str, float]) -> None:
        """Log the figures of a step."""
        self._run.log(dict(figures), step=step)

    def close(self) -> None:
        """End the run there."""
        self._run.finish()
