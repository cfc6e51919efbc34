import pytest
from label_files import FLAGGED, PLAIN, RIGHT, WRONG, labels_of, small_draw, units_in

from rewardgate.audit.labels import LabelStratum, Unit
from rewardgate.audit.labels.tally import BAD, TARGET, tally
from rewardgate.audit.labels.tally import RIGHT as TRULY_RIGHT


def test_the_majority_of_those_who_are_sure_settles_a_rollout() -> None:
    draw = small_draw(units_in({PLAIN: 4}))
    a, b, c, d = (one.key for one in draw.sample)
    labels = [
        *labels_of({a: "c", b: "w", c: "u", d: "g"}, "ann"),
        *labels_of({a: "f", b: "c", c: "u"}, "bob"),
        *labels_of({a: "w", d: "u"}, "eve"),
    ]
    found = tally(draw, labels)
    # a: two of three say right; b: one against one; c: nobody is sure; d: one is, and says the target is wrong
    assert (found.n_settled, found.n_disputed, found.n_unsure) == (2, 1, 1)
    stratum = found.strata[PLAIN]
    assert [stratum.seen(truth) for truth in (TRULY_RIGHT, BAD, TARGET)] == [1, 0, 1]
    assert stratum.unsettled == 2


def test_what_is_labelled_so_far_stands_for_its_whole_stratum() -> None:
    draw = small_draw(units_in({PLAIN: 30}), n_prompts=10)
    first, second = (one.key for one in draw.sample[:2])
    stratum = tally(draw, labels_of({first: "w", second: "c"})).strata[PLAIN]
    assert stratum.size.n_rollouts == 30
    # 30 prompts, 2 of them labelled: each stands for 15
    assert [prompt.weight for prompt in stratum.prompts] == [15, 15]
    assert stratum.counts(BAD) == (30, 2, 1)


def test_a_rollout_of_a_prompt_with_many_stands_for_many() -> None:
    units = [Unit("a", r, "a", PLAIN) for r in range(6)] + [Unit("b", r, "b", PLAIN) for r in range(2)]
    draw = small_draw(units)
    keys = {one.prompt_id: one.key for one in draw.sample}
    counts = tally(draw, labels_of({keys["a"]: "w", keys["b"]: "c"})).strata[PLAIN].counts(BAD)
    # weights 6 and 2: 6 of 8 rollouts are wrong, known from (6 + 2)^2 / (36 + 4) = 1.6 labels
    assert counts.size == 8
    assert counts.x / counts.n == pytest.approx(0.75)
    assert counts.n == pytest.approx(1.6)


def test_several_rollouts_of_a_prompt_are_one_prompt_with_a_share() -> None:
    draw = small_draw(units_in({PLAIN: 1}, size=4), rollouts_per_prompt=4)
    labels = labels_of(dict(zip((one.key for one in draw.sample), "wwwc", strict=True)))
    (prompt,) = tally(draw, labels).strata[PLAIN].prompts
    assert prompt.shares == {BAD: 0.75, TRULY_RIGHT: 0.25}


def test_old_labels_are_weighed_in_the_strata_of_new_verdicts() -> None:
    units = units_in({WRONG: 20, FLAGGED: 5})
    draw = small_draw(units, n_prompts=15)
    labels = labels_of({one.key: "c" for one in draw.sample})
    # a repaired verifier accepts all that was refused in mixed groups
    now = [Unit(u.group_id, u.position, u.prompt_id, RIGHT if u.stratum == WRONG else u.stratum) for u in units]
    found = tally(draw, labels, now)
    assert set(found.strata) == {RIGHT, FLAGGED}
    drawn_wrong = sum(one.stratum == WRONG for one in draw.sample)
    assert len(found.strata[RIGHT].prompts) == drawn_wrong
    assert sum(prompt.weight for prompt in found.strata[RIGHT].prompts) == pytest.approx(20)


def test_labels_of_rollouts_that_are_no_longer_scored_are_left_out() -> None:
    units = units_in({PLAIN: 3})
    draw = small_draw(units)
    found = tally(draw, labels_of({one.key: "w" for one in draw.sample}), units[:1])
    assert len(found.strata[PLAIN].prompts) == 1


def test_a_stratum_without_a_label_is_there_all_the_same() -> None:
    other = LabelStratum("correct", "all_correct", True)
    found = tally(small_draw(units_in({PLAIN: 2, other: 3})), [])
    assert {name: len(one.prompts) for name, one in found.strata.items()} == {other: 0, PLAIN: 0}
