"""Every loss of TRL 1.16, in float64, token by token, for advantages (B, T)."""

from typing import Any

import torch
from torch import Tensor
from transformers import Qwen2ForCausalLM

LOSS_TYPES = ("grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo")


def hand_loss(model: Any, inputs: dict[str, Any], *, args: Any) -> tuple[float, tuple[Tensor, ...]]:
    """The loss of one micro-batch and its gradient, of every parameter.

    r = exp(logprob - old logprob) of a token, of a sequence the mean of the exponents or (vespo) their sum; A (B, T):

        grpo, dr_grpo, dapo, bnpo, luspo   -min(r A, clip(r, 1 - low, 1 + high) A)
        cispo                              -sg(min(r, high)) A logprob
        sapo                               -4 / tau sigmoid(tau (r - 1)) A            tau by the sign of A
        vespo                              -sg(r^k exp(lambda - lambda r)) A logprob  k, lambda by the sign of A

    summed over the tokens that count and divided: grpo, sapo by the row's tokens and the rows; luspo by the rows;
    bnpo by all tokens of the micro-batch; dr_grpo by rows and the longest length there may be; all of these by the
    accumulated micro-batches too; dapo, cispo, vespo by the tokens of the generation batch, spread over its steps.
    """
    exact = Qwen2ForCausalLM(model.config).double()  # a plain one: TRL replaces the forward of its own
    exact.load_state_dict(model.state_dict())
    logprobs = _logprobs(exact, inputs, temperature=args.temperature)
    old = inputs.get("old_per_token_logps")  # absent where the batch is used once
    exponents = logprobs - (logprobs.detach() if old is None else old.double())
    counted = (inputs["completion_mask"] * inputs["tool_mask"]).bool()
    advantages = inputs["advantages"].double()
    total = torch.zeros((), dtype=torch.float64)
    for row, counts in enumerate(counted):
        of_row = exponents[row][counts]
        weight = 1.0 / max(1, len(of_row)) if args.loss_type in ("grpo", "sapo") else 1.0
        for token in counts.nonzero().flatten().tolist():
            if args.loss_type == "vespo":
                ratio = of_row.sum().exp()
            elif args.importance_sampling_level == "sequence":
                ratio = of_row.mean().exp()
            else:
                ratio = exponents[row, token].exp()
            total = total + weight * _term(ratio, advantages[row, token], logprobs[row, token], args)
    loss = total / _divisor(counted, inputs, args)
    return loss.item(), torch.autograd.grad(loss, [p for p in exact.parameters() if p.requires_grad])


def _logprobs(exact: Any, inputs: dict[str, Any], *, temperature: float) -> Tensor:
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
    attention = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
    start = inputs["prompt_ids"].shape[1]
    logits = exact(input_ids=ids, attention_mask=attention).logits[:, start - 1 : -1] / temperature
    return logits.log_softmax(-1).gather(2, ids[:, start:, None]).squeeze(2)


def _term(ratio: Tensor, advantage: Tensor, logprob: Tensor, args: Any) -> Tensor:
    if args.loss_type == "cispo":
        return -ratio.detach().clamp(max=args.epsilon_high) * advantage * logprob
    if args.loss_type == "sapo":
        tau = args.sapo_temperature_pos if advantage > 0 else args.sapo_temperature_neg
        return -4 / tau * torch.sigmoid(tau * (ratio - 1)) * advantage
    if args.loss_type == "vespo":
        pays = advantage >= 0
        k = args.vespo_k_pos if pays else args.vespo_k_neg
        rate = args.vespo_lambda_pos if pays else args.vespo_lambda_neg
        return -(ratio.detach() ** k * torch.exp(rate - rate * ratio.detach())) * advantage * logprob
    high = args.epsilon if args.epsilon_high is None else args.epsilon_high
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - args.epsilon, 1 + high) * advantage)


def _divisor(counted: Tensor, inputs: dict[str, Any], args: Any) -> float:
    if args.loss_type in ("dapo", "cispo", "vespo"):
        return float(inputs["num_items_in_batch"]) * args.gradient_accumulation_steps / args.steps_per_generation
    rows = float(len(counted))
    by_type = {
        "grpo": rows,
        "sapo": rows,
        "luspo": rows,
        "dr_grpo": rows * args.max_completion_length,
        "bnpo": float(counted.sum().clamp(min=1)),
    }
    return by_type[args.loss_type] * args.gradient_accumulation_steps
