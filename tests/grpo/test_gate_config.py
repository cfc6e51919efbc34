"""The gate's configuration: the same options as the gate, checked when built, and the named modes."""

from dataclasses import fields, replace
from inspect import Parameter, signature

import pytest

from rewardgate.errors import ArgumentError, UnknownNameError
from rewardgate.grpo import GATE_MODES, GateConfig, gate, gate_mode


def test_the_options_of_the_gate_and_of_its_configuration_are_the_same() -> None:
    parameters = {
        name: parameter.default
        for name, parameter in signature(gate).parameters.items()
        if parameter.kind is Parameter.KEYWORD_ONLY and name not in ("rewards", "scale_state")
    }
    config = GateConfig()
    assert list(parameters) == [entry.name for entry in fields(config)]
    assert {**parameters, "estimator_options": {}} == config.options()


def test_a_mode_is_a_configuration_that_can_be_changed() -> None:
    assert gate_mode("rules") == GateConfig(cumulate="prefix", sign="nonpositive")
    assert gate_mode("verigate", scale="match") == GateConfig()
    assert gate_mode("rules", open_on=["all_wrong"]).open_on == ("all_wrong",)
    with pytest.raises(UnknownNameError, match='gate mode: unknown name "rule"; known: errors, local, mean'):
        gate_mode("rule")
    with pytest.raises(ArgumentError, match="signs: expected an option of the gate"):
        gate_mode("rules", signs="free")


@pytest.mark.parametrize("name", GATE_MODES)
def test_every_mode_opens_on_the_same_groups_and_survives_a_change_of_nothing(name: str) -> None:
    assert gate_mode(name) == replace(gate_mode(name)) == GATE_MODES[name]
    assert gate_mode(name).open_on == ("all_wrong", "tied")


def test_what_a_configuration_was_built_from_can_no_longer_change_it() -> None:
    options, kinds = {"ddof": 0}, ["tied"]
    config = GateConfig(estimator_options=options, open_on=kinds)
    options["ddof"] = 1
    kinds.append("mixed")
    assert (config.estimator_options, config.open_on) == ({"ddof": 0}, ("tied",))
