from importlib.metadata import EntryPoint, EntryPoints

import pytest

from rewardgate import registry as registry_module
from rewardgate.errors import DuplicateNameError, UnknownNameError
from rewardgate.registry import Registry


@pytest.fixture
def shapes() -> Registry[str]:
    made = Registry[str]("shape", entry_point_group="example.shapes")
    made.register("square", lambda sides=4: f"{sides} sides")
    return made


def test_a_registered_factory_gets_the_options(shapes: Registry[str]) -> None:
    assert shapes.create("square") == "4 sides"
    assert shapes.create("square", sides=5) == "5 sides"


def test_an_unknown_name_lists_the_known_ones(shapes: Registry[str]) -> None:
    shapes.register("circle", lambda: "round")
    with pytest.raises(UnknownNameError, match='shape: unknown name "sqare"; known: circle, square'):
        shapes.create("sqare")


def test_a_name_cannot_be_registered_twice(shapes: Registry[str]) -> None:
    with pytest.raises(DuplicateNameError, match='"square"'):
        shapes.register("square", lambda: "again")


def test_a_built_in_is_imported_when_first_asked_for(shapes: Registry[str]) -> None:
    shapes.register("fraction", "fractions:Fraction")
    assert str(shapes.create("fraction", numerator=1, denominator=2)) == "1/2"


@pytest.mark.parametrize(
    ("name", "owners"),
    [("square", "rewardgate, decimal:Decimal"), ("decimal", "decimal:Decimal, fractions:Fraction")],
)
def test_a_name_that_two_packages_register_answers_for_neither(
    monkeypatch: pytest.MonkeyPatch, shapes: Registry[str], name: str, owners: str
) -> None:
    points = EntryPoints(
        EntryPoint(name, value, "example.shapes")
        for name, value in [
            ("square", "decimal:Decimal"),
            ("decimal", "decimal:Decimal"),
            ("decimal", "fractions:Fraction"),
        ]
    )
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points.select(group=group))
    assert shapes.names() == ["decimal", "square"]
    with pytest.raises(DuplicateNameError, match=f'shape: expected one plug-in named "{name}", got {owners}'):
        shapes.create(name)


def test_an_entry_point_of_another_package_is_known(monkeypatch: pytest.MonkeyPatch, shapes: Registry[str]) -> None:
    points = EntryPoints([EntryPoint("decimal", "decimal:Decimal", "example.shapes")])
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points.select(group=group))
    assert "decimal" in shapes
    assert shapes.names() == ["decimal", "square"]
    assert str(shapes.create("decimal", value="1.5")) == "1.5"
