import json

import pytest
from chat_server import completion
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.prm.judge.replies import BrokenReplyError, Reply, error_message, read_reply

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "prompt_tokens", "error", "finish_reason"]),
            inner,
        )
    ),
    max_leaves=20,
)


@given(json_values | st.builds(lambda one: {"choices": [{"message": {"content": one}}], "usage": one}, json_values))
def test_any_json_is_a_reply_or_a_broken_one(value: object) -> None:
    body = json.dumps(value).encode()
    try:
        reply = read_reply(body)
    except BrokenReplyError:
        reply = Reply("none", instead="")
    assert isinstance(reply.text, str)
    assert bool(reply.instead) == (not reply.text.strip())
    assert isinstance(error_message(body), str)


@given(st.binary(max_size=50))
def test_any_bytes_are_broken_at_worst(body: bytes) -> None:
    assert isinstance(error_message(body), str)
    with pytest.raises(BrokenReplyError):
        read_reply(body)


def test_a_text_in_parts_is_joined_and_its_thinking_left_out() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
    reply = read_reply(json.dumps(completion(parts)).encode())  # type: ignore[arg-type]
    assert (reply.text, reply.instead) == ("42", "")


@pytest.mark.parametrize(
    "usage",
    [{}, {"prompt_tokens": "9"}, {"prompt_tokens": -1}, {"prompt_tokens": True}, {"prompt_tokens": 10**400}],
)
def test_counts_that_are_none_are_not_counted(usage: dict) -> None:
    body = {**completion("4"), "usage": usage}
    assert read_reply(json.dumps(body).encode()).prompt_tokens is None
