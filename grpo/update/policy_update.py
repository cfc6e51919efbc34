"""One batch of rollouts to optimizer steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import nan
from typing import Any

import torch
from torch import nn

from ...errors import ArgumentError
from ..causal_lm import head_of
from .batch import UpdateBatch
from .batch_run import BatchRun, Policy
from .config import UpdateConfig
from .layouts import LayoutChoice
from .nonfinite import save_batch
from .phases import Phases
from .plan import StepPlan, cut_to, mini_batches, step_plans
from .ranks import Ranks
from .reference import Reference, ReferencePolicy
from .skipping import draws_random_numbers, needed_tokens, rows_affect_each_other
from .stats import NOT_FINITE, StepStats, UpdateStats, merge_steps
from .work import Work, work_of

__all__ = ["PolicyUpdate"]

CPU_TOKENS, ACCELERATOR_TOKENS = 1024, 16_384


class PolicyUpdate:
    """Updates a causal language model from batches of rollouts: the gradient of `policy_loss` over the whole batch,
    without the work that cannot change it.

    Rows run in micro-batches under a token budget, those of like length together; prompt tokens never meet the
    vocabulary; rows whose advantages are all 0 are not run where that is provably exact; old log-probabilities cost no
    pass of their own for the first optimizer step. None of it changes a gradient beyond the rounding of its sum.

    The model keeps the mode that it is in. Switch dropout off (`model.eval()`, or probabilities of 0): with it a ratio
    compares two noises, and nothing can be skipped.

    Args:
        model: an `AutoModelForCausalLM` of transformers; bare, under peft, in DistributedDataParallel, or prepared by
            accelerate.
        optimizer: of its parameters; prepared likewise.
        config: the defaults where None.
        reference: policy of the KL: a second model, `"adapter_off"` for the model under peft without its adapters, or
            None, where beta = 0 or batches bring `ref_logprobs`.
        accelerator: accelerate's, where it prepared them.

    `batches`, `optimizer_steps` and `nonfinite_steps` count since the beginning.

    Raises:
        ArgumentError: a model that `head_of` refuses, processes or parameters that `Ranks` refuses,
            `activation_checkpointing` of a model that has none, a reference that does not fit.

    Example:
        >>> from transformers import Qwen2Config, Qwen2ForCausalLM
        >>> sizes = {"vocab_size": 32, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
        >>> model = Qwen2ForCausalLM(Qwen2Config(num_attention_heads=2, num_key_value_heads=1, **sizes))
        >>> update = PolicyUpdate(model, torch.optim.AdamW(model.parameters(), lr=1e-3))
        >>> batch = UpdateBatch([[1, 2]] * 3, [[3, 4], [5], [6]], advantages=torch.tensor([1.0, -1.0, 0.0]))
        >>> stats = update.step(batch)
        >>> stats.optimizer_steps, stats.tokens, stats.rows_skipped
        (1, 4, 1)
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Any,
        config: UpdateConfig | None = None,
        *,
        reference: ReferencePolicy = None,
        accelerator: Any = None,
    ) -> None:
        config = UpdateConfig() if config is None else config
        ranks = Ranks(model, accelerator)
        with ranks.exactly():
            head = head_of(model)
            self._reference = Reference(reference, ranks.bare)
            second = reference if isinstance(reference, nn.Module) else None
            self._layouts = LayoutChoice(ranks.bare, config.layout, reference=second)
        device = head.weight.device
        usual = CPU_TOKENS if device.type == "cpu" else ACCELERATOR_TOKENS
        self._policy = Policy(model, head, optimizer, ranks, config, config.token_budget or usual)
        if config.activation_checkpointing:
            _checkpoint_activations(ranks.bare)
        self.batches = self.optimizer_steps = self.nonfinite_steps = 0

    @property
    def config(self) -> UpdateConfig:
        return self._policy.config

    def step(self, batch: UpdateBatch) -> UpdateStats:
        """Learn from a batch: `epochs` × `mini_batches` optimizer steps, fewer where there is nothing to learn.

        Gradients that the parameters hold are dropped, before and after. Every process calls it as often as the
        others, each with rows of its own.

        Raises:
            ArgumentError: no `UpdateBatch`, ids outside the vocabulary, a tensor missing that an option needs.
        """
        policy, config = self._policy, self._policy.config
        phases = Phases(policy.head.weight.device)
        seed = config.seed + 1_000_003 * self.batches
        with phases("plan"):
            run, plans, known = self._planned(batch, seed)
        with _seeded(draws_random_numbers(policy.ranks.bare), seed + policy.ranks.rank, policy.head.weight.device):
            self._look_back(run, plans, phases)
            steps = [self._one_step(run, plan, phases, is_moved=bool(number)) for number, plan in enumerate(plans)]
        with phases("figures"):
            merged = merge_steps(policy.ranks.gathered(steps))
        if config.save_nonfinite is not None and any(step.why_not == NOT_FINITE for step in merged):
            known["saved"] = save_batch(config.save_nonfinite, batch, number=self.batches, rank=policy.ranks.rank)
        stats = UpdateStats(
            **known,
            steps=merged,
            micro_batches=sum(sum(plan.lengths) for plan in plans if plan.has_gradient),
            fillers=run.fillers,
            positions=run.positions,
            seconds=phases.seconds,
            peak_mib=phases.peak_mib(),
        )
        self.batches += 1
        self.optimizer_steps += stats.optimizer_steps
        self.nonfinite_steps += stats.nonfinite_steps
        return stats

    def state_dict(self) -> dict[str, int]:
        """What this object knows and model and optimizer do not: save all three to resume bit for bit."""
        return {name: getattr(self, name) for name in _COUNTERS}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on where `state_dict` was taken.

        Raises:
            ArgumentError: other entries than it has.
        """
        if set(state) != set(_COUNTERS):
            raise ArgumentError(f"state: expected entries {', '.join(_COUNTERS)}, got {', '.join(map(str, state))}")
        for name in _COUNTERS:
            setattr(self, name, int(state[name]))

    def _planned(self, batch: UpdateBatch, seed: int) -> tuple[BatchRun, list[StepPlan], dict[str, Any]]:
        """What the batch will do, and what its record can say of it already."""
        policy, config = self._policy, self._policy.config
        work = self._checked(batch)
        every = config.full_pass_every
        is_full = every is not None and (self.batches + 1) % every == 0
        needed = needed_tokens(
            work.counts,
            work.advantages,
            work.degenerate,
            config.loss,
            model_reason=rows_affect_each_other(policy.ranks.bare),
            skip=config.skip,
            all_tokens=is_full,
        )
        tokens = cut_to(work.tokens, needed.graph)
        layout, layout_why = self._layouts(tokens.of(needed.rows.nonzero().flatten().tolist()), policy.token_budget)
        plans = step_plans(
            mini_batches(batch, config, seed=seed),
            needed,
            work.counts,
            (work.advantages != 0).any(1),
            work.degenerate if config.degenerate_gradient else None,
            tokens,
            layout,
            config,
            token_budget=policy.token_budget,
            ranks=policy.ranks,
        )
        seen = work.counts if is_full else needed.graph
        skipped = work.counts.any(1) & ~needed.rows
        counts = [tensor.sum() for tensor in (work.counts, skipped, work.counts & ~needed.graph, work.counts & ~seen)]
        rows, of_tokens, rows_skipped, tokens_skipped, unseen = policy.ranks.summed(
            [float(len(batch)), *torch.stack(counts).double().tolist()]
        )
        sampled = batch.sampled_at
        known: dict[str, Any] = {
            "rows": int(rows),
            "tokens": int(of_tokens),
            "rows_skipped": int(rows_skipped),
            "tokens_skipped": int(tokens_skipped),
            "why_not_skipped": needed.why,
            "is_full_pass": is_full,
            "layout": layout.name,
            "layout_why": layout_why,
            "steps_since_sampled": nan if sampled is None else self.optimizer_steps - sampled.double().mean().item(),
        }
        return BatchRun(policy, work, needed, seen, tokens, layout, live_only=unseen > 0), plans, known

    def _checked(self, batch: UpdateBatch) -> Work:
        policy, config = self._policy, self._policy.config
        weight = policy.head.weight
        work = work_of(
            batch,
            config.loss,
            vocabulary=len(weight),
            device=weight.device,
            precision=torch.promote_types(weight.dtype, torch.float32),
        )
        if config.degenerate_gradient and work.degenerate is None:
            raise ArgumentError("degenerate: expected a tensor with degenerate_gradient, got None")
        if config.loss.beta > 0 and work.ref_logprobs is None and not self._reference:
            raise ArgumentError(
                f"ref_logprobs: expected a tensor or a reference with beta = {config.loss.beta}, got None"
            )
        if config.activation_checkpointing and not policy.model.training:
            raise ArgumentError(
                "activation_checkpointing: expected a model in training mode, got one in evaluation mode, "
                "where transformers keeps all activations; call model.train()"
            )
        return work

    def _look_back(self, run: BatchRun, plans: list[StepPlan], phases: Phases) -> None:
        """Log-probabilities of before any step: the reference's, and the policy's own where it will have moved."""
        config = self._policy.config
        every = range(len(run.logprobs))
        if config.loss.beta > 0 and run.ref_logprobs is None:
            with phases("reference"), self._reference.lent() as (model, head):
                run.ref_logprobs = run.scored(every, model=model, head=head).logprobs
        if run.old_logprobs is None and config.loss.ratio_against == "old" and len(plans) > 1:
            # The first step's rows find theirs on their way.
            own = set(plans[0].rows) if plans[0].has_gradient else set()
            with phases("old"):
                run.old_logprobs = run.scored(row for row in every if row not in own).logprobs

    def _one_step(self, run: BatchRun, plan: StepPlan, phases: Phases, *, is_moved: bool) -> StepStats:
        with phases("full_pass"):
            run.look(plan)
        if plan.has_gradient:
            self._policy.optimizer.zero_grad(set_to_none=True)
            with phases("gradient"):
                loss, degenerate_norm = run.differentiate(plan, is_moved=is_moved)
            if not is_moved:
                run.remember_old(plan)
            with phases("optimizer"):
                record = run.move(loss, degenerate_norm)
        else:
            record = StepStats(grad_norm=0.0, why_not="no row has a gradient")
        if record.why_not == NOT_FINITE:
            return record
        with phases("figures"):
            return run.described(record, plan, is_moved=is_moved)


def _checkpoint_activations(model: Any) -> None:
    for name in ("activation_checkpointing_enable", "gradient_checkpointing_enable"):
        if hasattr(model, name):
            getattr(model, name)({"use_reentrant": False})
            return
    raise ArgumentError(
        f"activation_checkpointing: expected a model of transformers that has it, got {type(model).__name__}"
    )


_COUNTERS = ("batches", "optimizer_steps", "nonfinite_steps")


@contextmanager
def _seeded(is_random: bool, seed: int, device: torch.device) -> Iterator[None]:
    """Dropout by a seed of its own, so that it is the same wherever a run is resumed; the caller's is left alone."""
    if not is_random:
        yield
        return
    accelerators = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(accelerators, device_type=device.type):
        torch.manual_seed(seed)
        yield
