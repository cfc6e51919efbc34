from importlib.metadata import EntryPoint, EntryPoints

import pytest

from rewardgate import registry as registry_module
from rewardgate.errors import ArgumentError, DuplicateNameError, UnknownNameError
from rewardgate.registry import Registry


@pytest.fixture
def shapes() -> Registry[str]:
    made = Registry[str]("shape", entry_point_group="example.shapes")
    made.register("square", lambda sides=4: f"{sides} sides")
    return made


def test_a_registered_factory_gets_the_options(shapes: Registry[str]) -> None:
    assert shapes.create("square") == "4 sides"
    assert shapes.create("square", sides=5) == "5 sides"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("square", {"angles": 4}, 'shape "square": expected options among sides, got angles'),
        ("point", {"sides": 0}, 'shape "point": expected no options, got sides'),
        ("polygon", {}, 'shape "polygon": expected sides among the options, got none'),
        ("polygon", {"colour": "red"}, 'shape "polygon": expected sides among the options, got colour'),
    ],
)
def test_an_option_that_is_missing_or_unknown_is_named(
    shapes: Registry[str], name: str, options: dict[str, object], words: str
) -> None:
    shapes.register("point", lambda: "none")
    shapes.register("polygon", lambda *, sides, **more: f"{sides} sides, {more}")
    with pytest.raises(ArgumentError) as refused:
        shapes.create(name, **options)
    assert str(refused.value) == words


def test_what_a_factory_is_always_given_is_no_option(shapes: Registry[str]) -> None:
    shapes.register("scaled", lambda shape, *, name="", by: f"{name}{shape} by {by}")
    assert shapes.create("scaled", "square", by=2, name="the ") == "the square by 2"
    with pytest.raises(ArgumentError, match="expected options among name, by, got shape"):
        shapes.create("scaled", "square", shape="circle", by=2)
    with pytest.raises(ArgumentError, match="expected by among the options, got none"):
        shapes.create("scaled", "square")


@pytest.mark.parametrize("factory", [lambda sides: sides + "1", "builtins:iter"])
def test_a_factorys_own_type_error_is_no_error_of_the_callers_options(shapes: Registry[str], factory: object) -> None:
    shapes.register("broken", factory)
    with pytest.raises(TypeError):
        shapes.create("broken", sides=4)


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
    monkeypatch.setattr(registry_module, "_installed", lambda path: points)
    assert shapes.names() == ["decimal", "square"]
    with pytest.raises(DuplicateNameError, match=f'shape: expected one plug-in named "{name}", got {owners}'):
        shapes.create(name)


def test_an_entry_point_of_another_package_is_known(monkeypatch: pytest.MonkeyPatch, shapes: Registry[str]) -> None:
    points = EntryPoints([EntryPoint("decimal", "decimal:Decimal", "example.shapes")])
    monkeypatch.setattr(registry_module, "_installed", lambda path: points)
    assert "decimal" in shapes
    assert shapes.names() == ["decimal", "square"]
    assert str(shapes.create("decimal", value="1.5")) == "1.5"
