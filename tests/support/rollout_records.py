"""Hypothesis strategies for rollouts and groups, and rows written as JSON lines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from rewardgate.rollouts import Group, Rollout

# Everything that a model may write: also NUL, line separators of Unicode, and halves of surrogate pairs.
any_text = st.text(st.characters(), max_size=30)
names = st.text("abcdefgh_", min_size=1, max_size=8)
rewards = st.none() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
messages = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant"]), "content": any_text}),
    min_size=1,
    max_size=3,
)
targets = st.none() | any_text | st.lists(any_text, max_size=3) | st.dictionaries(names, json_values, max_size=2)


@st.composite
def groups(draw: st.DrawFn, group_id: str = "g") -> Group:
    """A group of 1 to 3 rollouts of one prompt, with every field that a native file holds."""
    prompt_id = draw(any_text)
    step = draw(st.none() | st.integers(0, 10**6))
    rollouts = draw(
        st.lists(
            st.builds(
                Rollout,
                prompt_id=st.just(prompt_id),
                prompt=st.none() | any_text | messages,
                response=st.none() | any_text | messages,
                target=targets,
                rewards=st.dictionaries(names, rewards, max_size=3),
                reward_name=st.none() | names,
                rollout_id=st.none() | any_text,
                truncated=st.none() | st.booleans(),
                finish_reason=st.none() | any_text,
                n_tokens=st.none() | st.integers(0, 10**6),
                policy_version=st.none() | any_text | st.integers(0, 10**6),
                step=st.just(step),
                meta=st.dictionaries(names, json_values, max_size=3),
            ),
            min_size=1,
            max_size=3,
        )
    )
    return Group(group_id=group_id, rollouts=tuple(rollouts))


def write_lines(path: Path, *rows: Mapping[str, Any] | str) -> Path:
    """Write `rows` to `path`, one a line: objects as JSON, text as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    return path
