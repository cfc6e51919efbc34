from rewardgate.audit.probes.model import ProbeCase
from rewardgate.audit.probes.pacing import Pace


def cases(probe: str, n: int) -> list[ProbeCase]:
    return [ProbeCase(probe, "reject", str(place), "x") for place in range(n)]


def told(pace: Pace, probe: str, seconds: float) -> None:
    pace.note(cases(probe, 1), [seconds])


def targets(some: list[ProbeCase]) -> list[int]:
    return [int(case.target) for case in some]


def test_a_fast_verifier_is_asked_everything_in_chunks_of_64() -> None:
    pace = Pace(timeout_s=5.0, budget_s=30.0)
    told(pace, "a", 0.0001)
    everything = cases("a", 150)
    assert pace.sample(everything, 0.1) == everything
    assert [len(chunk) for chunk in pace.chunks(everything)] == [64, 64, 22]


def test_of_a_slow_verifier_as_many_of_each_probe_are_asked_as_there_is_time_for() -> None:
    pace = Pace(timeout_s=5.0, budget_s=30.0)
    for probe in ("a", "b"):
        told(pace, probe, 0.5)
    kept = pace.sample([*cases("a", 100), *cases("b", 100)], 0.5)
    # 15 s in two processes are 30 s; one probe takes an eighth of them at most: 3.75 s, or 7 calls of half a second.
    assert [case.probe for case in kept] == ["a"] * 7 + ["b"] * 7
    # Spread evenly: 100 · place / 7, rounded down.
    assert targets(kept[:7]) == [0, 14, 28, 42, 57, 71, 85]


def test_where_many_probes_share_the_time_each_gets_the_same_number() -> None:
    pace = Pace(timeout_s=5.0, budget_s=10.0)
    probes = [f"p{number}" for number in range(20)]
    for probe in probes:
        told(pace, probe, 0.1)
    kept = pace.sample([case for probe in probes for case in cases(probe, 25)], 1.0)
    # A little under 20 s are 199 calls: 9 of each of 20 probes.
    assert {probe: sum(case.probe == probe for case in kept) for probe in probes} == dict.fromkeys(probes, 9)


def test_a_slow_probe_leaves_the_fast_ones_whole_and_keeps_two_cases() -> None:
    pace = Pace(timeout_s=5.0, budget_s=30.0)
    told(pace, "slow", 4.0)
    told(pace, "fast", 0.001)
    kept = pace.sample([*cases("slow", 25), *cases("fast", 25)], 0.4)
    assert [case.probe for case in kept] == ["slow"] * 2 + ["fast"] * 25


def test_a_chunk_is_expected_to_end_long_before_the_limit_of_one_case() -> None:
    pace = Pace(timeout_s=4.0, budget_s=None)
    told(pace, "a", 0.3)
    # A quarter of 4 s holds three calls of .3 s.
    assert [len(chunk) for chunk in pace.chunks(cases("a", 7))] == [3, 3, 1]


def test_once_something_hangs_nobody_waits_for_far_longer_than_all_that_came_back() -> None:
    pace = Pace(timeout_s=60.0, budget_s=None)
    told(pace, "a", 0.1)
    one = cases("a", 1)
    assert pace.limit_s(one) == 60.0
    pace.suspect()
    assert pace.limit_s(one) == 2.0  # 20 · .1
    assert pace.limit_s(cases("a", 10)) == 4.0  # and twice the second that ten are expected to take


def test_a_probe_that_lost_a_case_is_asked_no_more_and_after_six_nothing_is() -> None:
    pace = Pace(timeout_s=5.0, budget_s=None)
    pace.lose("a")
    assert (pace.reason("a"), pace.reason("b")) == ("lost", "")
    for probe in "bcdef":
        pace.lose(probe)
    assert pace.reason("g") == "lost"


def test_when_the_budget_is_spent_nothing_is_asked() -> None:
    pace = Pace(timeout_s=5.0, budget_s=1e-9)
    assert pace.is_spent
    assert pace.reason("a") == "budget"
    pace.leave_out(3, "budget")
    assert pace.unasked["budget"] == 3
