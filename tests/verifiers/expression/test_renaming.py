"""Names that an author chooses are another's only where nothing but the name is free."""

import pytest

from rewardgate.verifiers import get

RIGHT = [
    (r"\frac{x^3}{3}+C", r"\frac{x^3}{3}+c"),
    (r"\frac{x^3}{3}+C", r"\frac{1}{3}x^3+K"),
    ("C_1e^x+C_2e^{-x}", "Ae^x+Be^{-x}"),
    ("C_1e^x+C_2e^{-x}", "Be^{x}+Ae^{-x}"),
    (r"\frac{\pi}{4}+k\pi, k\in\mathbb{Z}", r"x=\frac{\pi}{4}+n\pi, n\in\mathbb{Z}"),
    (r"\frac{\pi}{4}+k\pi", r"\frac{\pi}{4}+n\pi"),
    (r"2\pi k, k\in \mathbb{Z}", r"2k\pi"),
]
WRONG = [
    (r"\frac{x^3}{3}+C", r"\frac{x^3}{3}"),
    (r"\frac{x^3}{3}", r"\frac{x^3}{3}+C"),
    (r"\frac{x^3}{3}+C", r"\frac{x^2}{3}+c"),
    (r"\frac12ab\sin C", r"\frac12ab\sin A"),
    ("mc^2", "mK^2"),
    ("2k+1", "2n+1"),
    (r"\sin k\pi", r"\sin n\pi"),
    (r"\frac{\pi}{4}+k\pi", r"\frac{\pi}{4}+2n\pi"),
    ("x+C", "y+C"),
]


@pytest.mark.parametrize(
    ("target", "answer", "right"), [(*row, True) for row in RIGHT] + [(*row, False) for row in WRONG]
)
def test_only_free_names_are_renamed(target: str, answer: str, right: bool) -> None:
    verdict = get("math", fallback=False).verify(rf"\boxed{{{answer}}}", target)
    assert (verdict.reward == 1) is right, verdict
