from rewardgate.audit.golds.offering import FORMS, by_use, form_of_place, offered


def test_an_answer_is_offered_alone_in_each_form() -> None:
    assert [offered("x^2", form) for form in FORMS] == [
        r"\boxed{x^2}", "$x^2$", "x^2", "<answer>x^2</answer>", "#### x^2", "The answer is x^2.",
    ]  # fmt: skip
    assert offered("$x^2$", "$…$") == "$x^2$"


def test_the_forms_that_responses_use_come_first() -> None:
    assert by_use([("hash", 3), ("boxed", 1)])[:2] == ["####", r"\boxed{}"]
    assert by_use([]) == list(FORMS)
    assert form_of_place("last_line") == "bare"
