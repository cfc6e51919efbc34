from typing import Any

from rewardgate.rollouts.formats import variation
from rewardgate.rollouts.formats.variation import TargetVariation


def choice(*rows: tuple[str, dict[str, Any]], width: int | None = None) -> tuple[str | None, int]:
    """The chosen column and the number of notes, for rows of (prompt id, candidate columns)."""
    candidates = [name for name in ("gt", "answer", "label") if any(name in row for _, row in rows)]
    seen = TargetVariation(candidates)
    for prompt_id, row in rows:
        seen.add(prompt_id, row, width=width)
    chosen, notes = seen.choose(candidates)
    return chosen, len(notes)


def test_a_sure_name_wins_as_long_as_it_does_not_vary() -> None:
    assert choice(("p", {"gt": "4", "answer": "4"}), ("p", {"gt": "4", "answer": "5"})) == ("gt", 1)
    assert choice(("p", {"gt": "4", "answer": "4"}), ("p", {"gt": "5", "answer": "4"})) == ("answer", 1)


def test_one_noisy_prompt_does_not_cost_a_sure_name_its_place() -> None:
    rows = [(f"p{i}", {"gt": "4", "label": "x"}) for i in range(10) for _ in range(2)]
    assert choice(*rows, ("p0", {"gt": "5", "label": "x"})) == ("gt", 0)


def test_among_unsure_names_the_steady_one_wins() -> None:
    rows = [(f"p{i}", {"answer": "4", "label": "x"}) for i in range(10) for _ in range(2)]
    assert choice(*rows, ("p0", {"answer": "5", "label": "x"})) == ("label", 1)


def test_an_answer_that_varies_inside_half_of_the_prompts_is_no_target_at_all() -> None:
    varying = [("p", {"answer": "4"}), ("p", {"answer": "5"})]
    steady = [(name, {"answer": "4"}) for name in ("q", "q", "r", "r")]
    assert choice(*varying) == (None, 1)
    assert choice(*varying, *steady) == ("answer", 0)


def test_a_sure_name_stays_the_target_even_if_it_varies_everywhere() -> None:
    assert choice(("p", {"gt": "4"}), ("p", {"gt": "5"})) == ("gt", 0)


def test_without_two_rows_of_one_prompt_the_name_decides() -> None:
    assert choice(("p", {"gt": "4", "answer": "5"}), ("q", {"gt": "4", "answer": "6"})) == ("gt", 0)


def test_a_wide_row_shows_its_variation_alone() -> None:
    assert choice(("p", {"answer": ["4", "5"], "label": "4"}), width=2) == ("label", 1)
    assert choice(("p", {"answer": ["4", "4"], "label": "4"}), width=2) == ("answer", 0)


def test_memory_is_bounded_by_the_number_of_prompts_compared(monkeypatch: Any) -> None:
    monkeypatch.setattr(variation, "MAX_PROMPTS_COMPARED", 2)
    rows = [(f"p{i}", {"answer": str(j)}) for i in range(5) for j in range(2)]
    assert choice(*rows) == (None, 1)


def test_a_missing_gold_and_another_way_to_write_a_number_are_no_variation() -> None:
    rows = [("p", {"gt": gold, "answer": "x"}) for gold in (None, 18, "", 18.0, "18")]
    assert choice(*rows) == ("gt", 0)
