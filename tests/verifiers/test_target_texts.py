from rewardgate.verifiers.target_texts import target_texts


def test_every_kind_of_target_is_read_and_nonsense_names_nothing() -> None:
    assert target_texts("a") == ["a"]
    assert target_texts(["a", "b"]) == ["a", "b"]
    assert target_texts({"answer": ["a"]}) == ["a"]
    assert target_texts({"answer": {"answer": "a"}}) == []
    assert target_texts({"tests": []}) == []
    assert target_texts([1, None, "a"]) == ["a"]
    assert target_texts(None) == []
