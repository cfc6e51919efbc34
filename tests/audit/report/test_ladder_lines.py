from rewardgate.audit.report.ladder import Ladder, Measure, Rung, RungStatus
from rewardgate.audit.report.ladder_lines import ladder_lines


def measured(status: RungStatus, sentence: str) -> Measure:
    return Measure(name="x", value=0.5, status=status, sentence=sentence, threshold=f"{status} from 5 % on")


LADDER = Ladder(
    rungs=(
        Rung(
            name="verifier",
            asks="?",
            status="fail",
            measures=(measured("ok", "fine"), measured("fail", "2 of 4 refused"), measured("fail", "another")),
            enable="probe it",
        ),
        Rung(name="golds", asks="?", status="not measured", measures=(), enable="log [bold]targets[/bold]"),
        Rung(name="pools", asks="?", status="not measured", measures=()),
    ),
    change_first="verifier",
    sentence="change the verifier first: 2 of 4 refused",
)


def test_a_rung_shows_the_measure_that_decided_it_and_its_threshold() -> None:
    first = next(ladder_lines(LADDER))
    assert first.plain == "1 verifier                   fail          2 of 4 refused (fail from 5 % on)"


def test_what_was_not_measured_says_what_would_enable_it_and_nothing_is_read_as_markup() -> None:
    lines = [line.plain.rstrip() for line in ladder_lines(LADDER)]
    assert lines[1] == "2 golds                      not measured  enable: log [bold]targets[/bold]"
    assert lines[2] == "3 pools                      not measured"


def test_the_layer_to_change_first_is_told_last_and_stands_out() -> None:
    *rungs, last = ladder_lines(LADDER)
    assert last.plain == LADDER.sentence
    assert ["bold" in {str(span.style) for span in line.spans} for line in rungs] == [True, False, False]


def test_escape_sequences_in_a_sentence_stay_visible() -> None:
    rung = LADDER.rungs[0].model_copy(update={"measures": (measured("fail", "\x1b[31mred"),)})
    line = next(ladder_lines(LADDER.model_copy(update={"rungs": (rung,)})))
    assert "\x1b" not in line.plain
