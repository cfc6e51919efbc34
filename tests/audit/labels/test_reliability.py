import json

import pytest
from label_files import ALL_RIGHT, FLAGGED, PLAIN, RIGHT, WRONG, labels_of, small_draw, units_in

from rewardgate.audit.labels import Draw, LabelStratum, Unit
from rewardgate.audit.labels.reliability import reliability
from rewardgate.audit.report.reliability import Reliability
from rewardgate.diagnostics.intervals import jeffreys


def labelled(draw: Draw, by_stratum: dict[LabelStratum, str], annotator: str = "ann") -> list:
    """A letter for each drawn prompt of a stratum, in order; those beyond the letters stay without."""
    given = {}
    for stratum, letters in by_stratum.items():
        own = [one.key for one in draw.sample if one.stratum == stratum]
        given |= dict(zip(own, letters, strict=False))
    return labels_of(given, annotator)


def rates_of(found: Reliability) -> dict:
    return {rate.name: rate for rate in found.rates}


def test_the_headline_counts_labelled_prompts_of_rejections_in_all_wrong_groups() -> None:
    draw = small_draw(units_in({PLAIN: 5000, RIGHT: 10}), n_prompts=40)
    n = sum(one.stratum == PLAIN for one in draw.sample)
    found = reliability(draw, labelled(draw, {PLAIN: "cfg" + "w" * 100}))
    rate = found.rates[0]
    # c, f and g speak against the rejection: all others of n are truly wrong
    assert (rate.n, rate.x, rate.value) == (n, n - 3, pytest.approx((n - 3) / n))
    assert (rate.low, rate.high) == pytest.approx(jeffreys(n - 3, n), abs=0.02)
    assert found.headline.startswith(
        f"of the rejections inside all-wrong groups, {n - 3} of {n} labelled prompts are truly wrong: "
    )
    assert "(95 %, two-sided)" in found.headline


def test_without_a_label_the_headline_says_that_nothing_was_measured() -> None:
    found = reliability(small_draw(units_in({PLAIN: 5, FLAGGED: 5})), [])
    assert found.headline == (
        "of the rejections inside all-wrong groups, truly wrong: not measured (no label in wrong/all_wrong/flagged, "
        "wrong/all_wrong/plain)"
    )
    assert all(rate.value is None and rate.not_estimable for rate in found.rates)
    assert found.conclusions == ()


def test_one_stratum_without_a_label_makes_what_needs_it_not_estimable_and_nothing_else() -> None:
    draw = small_draw(units_in({PLAIN: 9, WRONG: 9, RIGHT: 9}))
    rates = rates_of(reliability(draw, labelled(draw, {PLAIN: "wwwwww", RIGHT: "cccccc"})))
    assert rates['precision of "wrong"'].not_estimable == "no label in wrong/mixed/plain"
    assert rates["false-negative rate"].not_estimable == "no label in wrong/mixed/plain"
    assert rates["rejections in all-wrong groups"].value == 1
    assert rates['precision of "correct"'].value == 1


def test_a_file_without_rejections_has_no_rate_of_them() -> None:
    draw = small_draw(units_in({ALL_RIGHT: 9}))
    rates = rates_of(reliability(draw, labelled(draw, {ALL_RIGHT: "ccccccccc"})))
    assert rates["rejections in all-wrong groups"].not_estimable == "there are none in this file"
    assert (rates["false-negative rate"].not_estimable, rates["false-positive rate"].not_estimable) != ("", "")


def test_the_rates_are_shares_of_the_file_and_not_of_the_labels() -> None:
    # 90 rejections of which 3 of 9 labelled are right; 10 + 100 acceptances: all right but 1 of 5 in mixed groups
    draw = small_draw(units_in({WRONG: 90, RIGHT: 10, ALL_RIGHT: 100}), n_prompts=200)
    letters = {WRONG: "cccwwwwww", RIGHT: "wcccc", ALL_RIGHT: "cccccccccc"}
    rates = rates_of(reliability(draw, labelled(draw, letters)))
    assert rates['precision of "wrong"'].value == pytest.approx(6 / 9)
    # (10 * 4/5 + 100) / 110
    assert rates['precision of "correct"'].value == pytest.approx(108 / 110)
    # 30 right ones refused, 108 accepted
    assert rates["false-negative rate"].value == pytest.approx(30 / 138)
    # 2 wrong ones accepted, 60 refused
    assert rates["false-positive rate"].value == pytest.approx(2 / 62)
    for rate in rates.values():
        if not rate.not_estimable:
            assert 0 <= rate.low <= rate.value <= rate.high <= 1


def test_a_wrong_target_speaks_against_both_verdicts_and_is_in_no_rate_of_errors() -> None:
    draw = small_draw(units_in({WRONG: 10, RIGHT: 10}))
    rates = rates_of(reliability(draw, labelled(draw, {WRONG: "gwwwwwwwww", RIGHT: "gccccccccc"})))
    assert rates['precision of "wrong"'].value == rates['precision of "correct"'].value == pytest.approx(0.9)
    assert rates["false-negative rate"].value == rates["false-positive rate"].value == 0


def test_no_error_in_59_labels_bounds_the_rate_of_errors_by_5_percent() -> None:
    draw = small_draw(units_in({PLAIN: 1000}))
    found = reliability(draw, labelled(draw, {PLAIN: "w" * 59}))
    rate = found.rates[0]
    assert (rate.n, rate.value, rate.high) == (59, 1, 1)
    # 0.05^(1/59) = 0.9505
    assert (rate.bound_side, rate.bound) == ("at least", pytest.approx(0.9505, abs=1e-4))
    assert found.headline.endswith("; at least 0.950 (one-sided, exact)")


def test_a_conclusion_says_what_would_overturn_it_or_decide_it() -> None:
    draw = small_draw(units_in({PLAIN: 1000, WRONG: 3, RIGHT: 1000}), n_prompts=150)
    found = reliability(draw, labelled(draw, {PLAIN: "w" * 59, RIGHT: "c" * 20}), threshold=0.95)
    by_name = {one.name: one for one in found.conclusions}
    dead, correct = by_name["rejections in all-wrong groups"], by_name['precision of "correct"']
    assert (dead.side, dead.more_to_decide, dead.more_to_overturn) == ("above", None, 1)
    assert (correct.side, correct.more_to_decide, correct.more_to_overturn) == ("open", 29, None)
    assert 'precision of "wrong"' not in by_name  # a stratum of it has no label


def test_a_stratum_has_its_own_figures() -> None:
    draw = small_draw(units_in({PLAIN: 400, RIGHT: 7}))
    found = reliability(draw, labelled(draw, {PLAIN: "wwwcfgu"}))
    strata = {one.name: one for one in found.strata}
    plain = strata["wrong/all_wrong/plain"]
    assert (plain.n_rollouts, plain.n_prompts, plain.n, plain.unsettled) == (400, 400, 6, 1)
    shares = (plain.wrong, plain.right, plain.target_wrong, plain.agrees, plain.misjudged)
    assert shares == pytest.approx((3 / 6, 2 / 6, 1 / 6, 3 / 6, 2 / 6))
    assert plain.low < plain.agrees < plain.high
    assert plain.misjudged_low < plain.misjudged < plain.misjudged_high
    assert strata["correct/mixed/plain"].agrees is None
    assert found.notes == ("1 prompts are in no rate: nobody is sure of them, or people are split",)


def test_annotators_are_compared_on_what_they_both_labelled() -> None:
    draw = small_draw(units_in({PLAIN: 4}))
    labels = [*labelled(draw, {PLAIN: "wwcc"}, "ann"), *labelled(draw, {PLAIN: "wwfw"}, "bob")]
    both = reliability(draw, labels).agreement
    # correct and "right, but format" are the same truth: 3 of 4 agree
    assert (both.annotators, both.n_items, both.raw) == ({"ann": 4, "bob": 4}, 4, 0.75)
    assert both.alpha == pytest.approx(1 - 0.25 / (2 * 3 * 5 / (8 * 7)))


def test_labels_stay_good_when_the_verifier_is_repaired() -> None:
    units = units_in({WRONG: 40, RIGHT: 40})
    draw = small_draw(units, n_prompts=80)
    labels = labelled(draw, {WRONG: "c" * 40, RIGHT: "c" * 40})
    before = rates_of(reliability(draw, labels))
    repaired = [Unit(one.group_id, one.position, one.prompt_id, RIGHT) for one in units]
    found = reliability(draw, labels, repaired, scored_by="mine.py:repaired")
    assert before["false-negative rate"].value == pytest.approx(0.5)
    assert rates_of(found)['precision of "correct"'].value == 1
    assert found.scored_by == "mine.py:repaired"
    assert found.notes == ("40 of the 80 drawn rollouts have another verdict than when they were drawn",)


def test_the_part_is_json_without_a_number_that_is_none() -> None:
    draw = small_draw(units_in({PLAIN: 30, RIGHT: 30}))
    found = reliability(draw, labelled(draw, {PLAIN: "wwwwc"}))
    assert "NaN" not in found.model_dump_json()
    assert Reliability.model_validate(json.loads(found.model_dump_json())) == found
