"""What parts of a file say of it adds up to what the file says, wherever the parts end."""

from itertools import pairwise

from audited import group
from hypothesis import given
from hypothesis import strategies as st

from rewardgate.audit.copies.survey import CopySurvey
from rewardgate.audit.judging import Judgement, judge
from rewardgate.rollouts.records import Group
from rewardgate.verifiers import get

TARGETS = ("1234", "5678", "9012")


@st.composite
def files(draw: st.DrawFn) -> list[Group]:
    """Groups of copied and other prompts, some of which hold their own target or their neighbour's."""
    made = []
    for number in range(draw(st.integers(0, 9))):
        target = draw(st.sampled_from(TARGETS))
        named = draw(st.sampled_from(["", *TARGETS]))
        prompt = f"How many sheep has the farmer {draw(st.sampled_from(['', 'in his', 'on the']))} field {named} ?"
        reward = draw(st.sampled_from([None, 0.0, 1.0]))
        response = draw(st.sampled_from([None, rf"\boxed{{{target}}}", "<tool_call>{}</tool_call> none", ""]))
        made.append(group(f"g{number}", draw(st.sampled_from([target, None])), [(response, reward)] * 3, prompt=prompt))
    return made


def judged(groups: list[Group]) -> tuple[Judgement, CopySurvey]:
    copies = CopySurvey(near=1)
    return judge(groups, suspect=None, referee=get("numeric"), correct_at=1.0, copies=copies), copies


@given(groups=files(), cuts=st.sets(st.integers(0, 9)))
def test_judgements_and_surveys_of_parts_extend_to_those_of_the_whole(groups: list[Group], cuts: set[int]) -> None:
    whole, seen = judged(groups)
    found, copies = Judgement(), CopySurvey(near=1)
    ends = [0, *sorted(cut for cut in cuts if cut < len(groups)), len(groups)]
    for start, end in pairwise(ends):
        part, part_seen = judged(groups[start:end])
        found.extend(part)
        copies.extend(part_seen)
    assert found == whole
    assert copies.part() == seen.part()


def test_a_target_held_by_the_prompt_that_follows_in_the_next_part_counts_as_chance() -> None:
    one = group("a", "1234", [("1234", 1.0)] * 2, prompt="How many?")
    other = group("b", "5678", [("5678", 1.0)] * 2, prompt="1234 and what is 5678 ?")
    (_, first), (_, second), (_, both) = judged([one]), judged([other]), judged([one, other])
    assert second.part().by_chance_in_prompt == 0
    first.extend(second)
    assert first.part().by_chance_in_prompt == both.part().by_chance_in_prompt == 1
