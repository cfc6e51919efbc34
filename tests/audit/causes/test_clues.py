from audited import audited, causes_of, group

BOXED = group("boxed", "7", [(r"\boxed{7}", 1.0), (r"\boxed{8}", 0.0)])


def test_a_place_where_no_right_answer_was_ever_accepted_is_one_the_grader_does_not_read() -> None:
    report = audited(group("a", "3400", [("#### 3,400", 0.0), ("#### 3400", 0.0), ("#### 1", 0.0)]), BOXED)
    assert causes_of(report) == {"false_negative:extraction": 2, "undetermined": 2}
    assert "found in: boxed" in report.cards[0].evidence[0].why


def test_one_accepted_answer_clears_a_place() -> None:
    report = audited(group("a", "3400", [("#### 3,400", 0.0), ("#### 3400", 1.0), ("#### 1", 0.0)]), BOXED)
    assert causes_of(report) == {"false_negative:format": 1, "undetermined": 2}


def test_where_nothing_at_all_is_accepted_the_box_is_not_what_is_wrong() -> None:
    report = audited(
        group("a", "3400", [(r"\boxed{3,400}", 0.0), (r"\boxed{1}", 0.0)]),
        group("b", "5", [("The answer is 5.", 0.0), ("The answer is 6.", 0.0)]),
    )
    assert causes_of(report) == {"false_negative:format": 1, "false_negative:extraction": 1, "undetermined": 2}


def test_a_target_whose_exact_copies_are_all_refused_cannot_be_read_by_the_grader() -> None:
    pi = group("pi", r"7\pi", [(r"\boxed{7\pi}", 0.0), (r"\boxed{7 \pi}", 0.0), (r"\boxed{7}", 0.0)])
    report = audited(pi, BOXED)
    assert report.cards[0].cause == "gold"
    assert report.golds is not None
    assert (report.golds.n_failing, report.golds.n_rollouts, report.golds.n_right) == (1, 3, 2)
    assert report.golds.failing[0].forms[0].form == "as in the responses"


def test_one_accepted_copy_clears_a_target() -> None:
    pi = group("pi", r"7\pi", [(r"\boxed{7\pi}", 0.0), (r"\boxed{7\pi}", 1.0), (r"\boxed{7}", 0.0)])
    report = audited(pi, BOXED)
    assert report.golds is not None
    assert report.golds.n_failing == 0
    assert causes_of(report) == {"false_negative:extraction": 1, "undetermined": 2}


def test_a_plain_target_is_read_by_every_parser_so_that_a_refused_copy_was_not_found() -> None:
    report = audited(group("a", "42", [(r"\boxed{42}", 0.0), (r"\boxed{41}", 0.0)]), BOXED)
    assert causes_of(report) == {"false_negative:extraction": 1, "undetermined": 2}
