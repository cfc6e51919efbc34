"""The report as JSON text, whatever strangers wrote."""

import json

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

__all__ = ["report_json"]


def report_json(report: BaseModel, *, indent: int | None = None) -> str:
    r"""`report` as JSON that can be written as UTF-8; pydantic's own writer refuses half a surrogate pair.

    Example:
        >>> from rewardgate.audit.report.model import NotMeasured
        >>> report_json(NotMeasured(what="é\ud800", why="", enable=""))
        '{"what": "é\\ud800", "why": "", "enable": ""}'
    """
    try:
        return report.model_dump_json(indent=indent)
    except PydanticSerializationError:
        pass  # Python's writer takes several times as long, and anything.
    said = json.dumps(report.model_dump(mode="json"), ensure_ascii=False, allow_nan=False, indent=indent)
    # The only characters that UTF-8 cannot hold, as the escapes that JSON has for them.
    return said.encode("utf-8", "backslashreplace").decode("utf-8")
