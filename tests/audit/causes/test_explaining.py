from audited import Suspect, audited, group

SUBSTRING = Suspect(lambda completion, target: float(target in completion))


def test_what_was_paid_though_the_referee_refuses_is_counted_apart() -> None:
    report = audited(
        group("a", "4", [(r"\boxed{4}", 0.0), (r"\boxed{14}", 0.0), (r"\boxed{5}", 0.0)]), suspect=SUBSTRING
    )
    paid = report.paid_but_wrong
    assert paid is not None
    assert (paid.n_rollouts, paid.n_groups, dict(paid.by_rule)) == (1, 1, {"exact_number": 1})
    assert paid.examples[0].source == "a.jsonl:2"
    assert paid.examples[0].cause is None
    # It is no cause, and repair leaves it.
    assert [table.mixed for table in report.groups] == [0, 1, 1, 1]
    assert report.repair is not None
    assert report.repair.n_rollouts_flipped == 0


def test_every_cause_is_listed_zeros_too_in_the_order_in_which_they_are_asked() -> None:
    report = audited(group("a", "4", [(r"\boxed{5}", 0.0), (r"\boxed{4}", 1.0)]))
    assert [count.cause for count in report.causes] == [
        "gold", "scoring_fault", "false_negative:extraction", "false_negative:format", "false_negative:tolerance",
        "false_negative:units", "false_negative:structure", "tool_format", "truncated", "no_answer", "hedged",
        "undetermined",
    ]  # fmt: skip


def test_degenerate_groups_come_before_nearly_degenerate_ones() -> None:
    report = audited(
        group("near", "4", [(r"\boxed{4}", 1.0), (r"\boxed{5}", 0.0), (r"\boxed{6}", 0.0)]),
        group("dead", "4", [(r"\boxed{5}", 0.0), (r"\boxed{6}", 0.0)]),
    )
    assert [card.group_id for card in report.cards] == ["dead", "near"]
    assert [(count.groups, count.near_groups) for count in report.causes if count.rollouts] == [(1, 1)]
