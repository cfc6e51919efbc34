from audited import audited, group


def test_each_gap_says_why_and_what_would_close_it() -> None:
    report = audited(group("a", "4", [(r"\boxed{4}", 1.0), (r"\boxed{5}", 0.0)]))
    assert {entry.what: entry.enable for entry in report.not_measured} == {
        "golds under the verifier that gave the logged rewards": "name it with --verifier",
        "truncation, beyond texts that visibly break off": "log finish_reason",
        "token shares": "log n_tokens or token ids",
        "tool-call format": "log responses with their special tokens",
        "reliability of the verdicts": "label a sample: 59 without an error bound it by 5 % "
        "(rewardgate label run FILE)",
        "whether a gate would speak truly here": "name one with --scorer: its credits are held against the outcomes "
        "of mixed groups",
    }


def test_what_the_file_has_is_not_said_to_be_missing() -> None:
    call = '<tool_call>{"name": "add"}</tool_call><tool_response>4</tool_response>'
    fields = {"n_tokens": 9, "finish_reason": "stop"}
    report = audited(group("a", "4", [(call + r"\boxed{4}", 1.0, fields), (r"\boxed{5}", 0.0, fields)]))
    assert [entry.what for entry in report.not_measured] == [
        "golds under the verifier that gave the logged rewards",
        "reliability of the verdicts",
        "whether a gate would speak truly here",
    ]
