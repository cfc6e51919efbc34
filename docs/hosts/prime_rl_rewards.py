"""prime-rl 0.8: the gate as its algorithm `grpo`; rewards are those of the task, see integrations.prime.

prime-rl has no option that names an algorithm of one's own, but one table of them. Import this file where the
orchestrator starts, with POLICY set to the policy's folder or hub name:

    python -c "import prime_rl_rewards; from prime_rl.orchestrator.orchestrator import main; main()" @ orchestrator.toml

A reward that is not known raises in the task; prime-rl leaves such a rollout out of its group, as it should be. The
filter of zero advantages keeps gated groups by itself.
"""

import os
from functools import cache

import verifiers.v1 as vf
from prime_rl.orchestrator.algo import ALGORITHM_CLASSES
from prime_rl.orchestrator.algo.base import iter_trainable_traces
from prime_rl.orchestrator.algo.grpo import GRPOAlgorithm
from prime_rl.orchestrator.algo.routing import assign_advantages
from transformers import AutoTokenizer

from rewardgate.integrations.host_gate import HostGate, HostRow
from rewardgate.integrations.scored_steps import CompletionIds


class GatedAlgorithm(GRPOAlgorithm):
    """prime-rl's GRPO, of which groups that are not mixed get the advantages of the gate."""

    async def score_group(self, episodes: list[vf.Episode]) -> None:
        """Asked about one group at a time; the scale of open groups is that of the mixed ones before them."""
        await super().score_group(episodes)
        traces = [trace for _, trace in iter_trainable_traces(episodes)]
        if not traces:
            return
        found = gate().gated([HostRow("group", trace.reward, sampled(trace)) for trace in traces])
        if found.metrics["gate/groups/mixed"]:
            return
        for trace, advantages in zip(traces, found.advantages, strict=True):
            assign_advantages(trace, advantages)


def sampled(trace: vf.Trace) -> CompletionIds:
    """The tokens that the policy sampled, in the order in which `assign_advantages` takes their advantages."""
    nodes = {id(node) for branch in trace.branches if branch.trainable for node in branch.nodes}
    ids = [
        token
        for node in trace.nodes
        if id(node) in nodes
        for token, is_sampled in zip(node.token_ids, node.mask, strict=True)
        if is_sampled
    ]
    return CompletionIds("", None, ids)


@cache
def gate() -> HostGate:
    return HostGate(tokenizer=AutoTokenizer.from_pretrained(os.environ["POLICY"]))


ALGORITHM_CLASSES["grpo"] = GatedAlgorithm
