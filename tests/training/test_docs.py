"""The page of training says what there is."""

import re
import tomllib

from library_tree import ROOT
from pydantic import BaseModel

from rewardgate.training.config import RunConfig
from rewardgate.training.config_text import config_of

PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")


def test_the_example_is_a_configuration() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S)
    config = config_of(tomllib.loads(text))
    assert (config.signal.scorer, config.evaluation.every) == ("arithmetic", 20)


def test_every_section_and_every_option_of_our_own_is_named() -> None:
    rows = {row[0].strip(" `"): row[1] for row in re.findall(r"^\|([^|]*)\|([^|]*)\|[^|]*\|$", PAGE, re.M)}
    for name, field in RunConfig.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            assert re.findall(r"`(\w+)`", rows[name]) == list(kind.model_fields), name
        else:
            assert name in rows or f"`{name}`" in rows[""], name
