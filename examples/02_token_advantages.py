"""One group that failed as a whole, from its text to the advantage of each token.

Four responses to one prompt are all wrong: group-relative advantages are 0, and nothing would be learned. The
arithmetic rule proves where two of them go wrong, and the gate charges the tokens from there on. Prints:

    the kind of the group, and what GRPO alone would learn from it
    each step, where it stands, what the rule says of it and which tokens it has
    each token of one response with its advantage; a boundary between two steps lies inside one of them
    what the gate reports
"""

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from rewardgate.pipeline import token_advantages
from rewardgate.rollouts import Group, Rollout

PROMPT = "A shop has 14 boxes of 12 pens and sells 59 pens. How many pens are left?"
RESPONSES = [
    "There are 14 * 12 = 168 pens.\n\nAfter the sale 168 - 59 = 119 are left.\n\nThe answer is \\boxed{119}.",
    "There are 14 * 12 = 158 pens.\n\nAfter the sale 158 - 59 = 99 are left.\n\nThe answer is \\boxed{99}.",
    "There are 14 * 12 = 168 pens, and 59 are added.\n\n168 + 59 = 227.\n\nThe answer is \\boxed{227}.",
    "There are 14 + 12 = 26 pens.\n\nThe shop cannot sell 59 of them.\n\nThe answer is \\boxed{0}.",
]
rollouts = tuple(
    Rollout(prompt_id="pens", prompt=PROMPT, response=response, target="109", truncated=False) for response in RESPONSES
)
group = Group(group_id="pens", rollouts=rollouts)

# A byte-level BPE, as most policies have it, here trained on the responses themselves.
tokenizer = Tokenizer(models.BPE())
words = Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+")
tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Split(words, "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
)
tokenizer.decoder = decoders.ByteLevel()
tokenizer.train_from_iterator(RESPONSES, trainers.BpeTrainer(vocab_size=400, show_progress=False))

result = token_advantages([group], "math", "arithmetic", "rules", tokenizer)
assert result.verdicts is not None

print(f"group {group.group_id}: {result.kinds.kinds[0]}, the scorer was asked about {result.n_asked} rollouts")
for row, (verdict, scores) in enumerate(zip(result.verdicts, result.step_scores, strict=True)):
    assert scores is not None
    print(f"\nrollout {row}: {verdict.outcome}, {verdict.detail}")
    for step, ((start, end), score) in enumerate(zip(result.steps[row], scores, strict=True)):
        tokens = (result.step_ids[row] == step).nonzero().flatten().tolist()
        advantages = {f"{value:+.2f}" for value in result.advantages[row][tokens].tolist()}
        print(
            f"  step {step} [{start:3}:{end:3}] tokens {tokens[0]:2}-{tokens[-1]:2} score {score.value!s:4} "
            f"A {', '.join(sorted(advantages))}  {score.rule}: {score.detail}"
        )

print("\ntokens of rollout 0:")
assert result.token_ids is not None
for token, advantage, step in zip(
    result.token_ids[0], result.advantages[0].tolist(), result.step_ids[0].tolist(), strict=False
):
    print(f"  step {step}  A {advantage:+.2f}  {tokenizer.decode([token])!r}")

report = result.gated.report
print(
    f"\nopened {dict(report.opened)} · {report.tokens} tokens, {report.gated_share:.0%} of them gated · "
    f"coverage {report.coverage:.0%} of the steps · sign balance {report.sign_balance:+.2f} · "
    f"length bias {report.length_bias:+.2f} · scale {report.scale_source}"
)
