"""What a model can do with some prompts before it is trained: the shares that decide on group size and temperature."""

from collections.abc import Callable, Sequence
from math import isfinite

from ...audit.report.explore import ExploreSettings
from ...errors import ArgumentError
from ...rollouts.records import Group
from ...verifiers.base import Verifier
from ...verifiers.functions import FunctionVerifier
from ..base import Generator, Sampling
from ..groups.asking import attempt
from ..groups.attempts import group_of
from ..groups.judging import judging_by
from ..prompts import Prompt
from .figures import PromptCounts, figures_at, setting_of
from .readout import readout
from .recommending import recommend
from .report import AtTemperature, ExploreReport, Setting

__all__ = ["explore"]


def explore(
    prompts: Sequence[Prompt],
    generator: Generator,
    verifier: Verifier,
    *,
    group_sizes: Sequence[int],
    temperatures: Sequence[float],
    sampling: Sampling,
    least_mixed: float = 0.25,
    batch_prompts: int = 32,
    seed: int = 0,
    workers: int = 0,
    on_group: Callable[[Group], None] | None = None,
    named: dict[str, str] | None = None,
) -> ExploreReport:
    """Sample the largest group of every prompt at every temperature, and say what smaller ones would have been.

    A verifier that fails leaves its rollout out of every rate of success; it is counted apart, and never as wrong.

    Args:
        prompts: at least one, with their ids.
        group_sizes, temperatures: at least one of each.
        sampling: of it `max_tokens`, `top_p` and `top_k` are read.
        least_mixed: share of mixed groups that a setting must be sure of to be recommended, in (0, 1).
        batch_prompts: prompts that are sampled and held at once.
        seed: of the sampling, the same at every temperature, and of the bootstrap.
        workers: killable processes that judge, held until the end; 0: in this one. A verifier with workers of its own
            has those.
        on_group: told every group when it has been judged.
        named: what the report calls `model`, `prompts_file` and `verifier`.

    Raises:
        ArgumentError: an option outside its range, or a verifier that cannot be shipped to a process.
        RewardgateError: the generator's, or a verifier that demands more than the machine has.
    """
    _check(prompts, group_sizes, temperatures, least_mixed, batch_prompts)
    samples = max(group_sizes)
    names = {"model": "", "prompts_file": "", "verifier": type(verifier).__name__, **(named or {})}
    tells_format = not isinstance(verifier, FunctionVerifier) or verifier.signature == "verifier"
    counts: dict[float, list[PromptCounts]] = {}
    figures: list[AtTemperature] = []
    settings: list[Setting] = []
    with judging_by(verifier, workers=workers) as judging:
        for temperature in sorted(set(temperatures)):
            at = Sampling(
                max_tokens=sampling.max_tokens, temperature=temperature, top_p=sampling.top_p, top_k=sampling.top_k
            )
            counted = counts[temperature] = []
            seconds = [0.0, 0.0]
            for start in range(0, len(prompts), batch_prompts):
                asked = prompts[start : start + batch_prompts]
                done = attempt(asked, samples, generator, judging, at, seed=seed + start)
                seconds = [seconds[0] + done.generating_s, seconds[1] + done.judging_s]
                for number, one in enumerate(done.attempts, start):
                    counted.append(PromptCounts.of(one))
                    if on_group is not None:
                        name = f"{number}/temperature-{temperature:g}"
                        version = generator.policy_version
                        on_group(group_of(one, group_id=name, policy_version=version, temperature=temperature))
            prompt_by_prompt = readout(
                counted,
                ExploreSettings(
                    policy=names["model"],
                    policy_version=generator.policy_version,
                    temperature=temperature,
                    top_p=sampling.top_p,
                    max_new_tokens=sampling.max_tokens,
                    verifier=names["verifier"],
                    seed=seed,
                ),
                pass_at=sorted({1, *group_sizes}),
                tells_format=tells_format,
                seconds=sum(seconds),
            )
            told = {"readout": prompt_by_prompt, "generating_s": seconds[0], "judging_s": seconds[1]}
            figures.append(figures_at(temperature, counted, seed=seed, **told))
            settings += [setting_of(figures[-1], size, counted, seed=seed) for size in sorted(set(group_sizes))]
    return ExploreReport(
        **names,
        verifier_version=verifier.version,
        prompts=len(prompts),
        max_tokens=sampling.max_tokens,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        seed=seed,
        samples=samples,
        least_mixed=least_mixed,
        temperatures=tuple(figures),
        settings=tuple(settings),
        recommendation=recommend(settings, figures, counts, least_mixed=least_mixed),
    )


def _check(
    prompts: Sequence[Prompt],
    group_sizes: Sequence[int],
    temperatures: Sequence[float],
    least_mixed: float,
    batch_prompts: int,
) -> None:
    if not prompts:
        raise ArgumentError("prompts: expected at least one, got none")
    for name, values in (("group_sizes", group_sizes), ("temperatures", temperatures)):
        if not values:
            raise ArgumentError(f"{name}: expected at least one, got none")
    if min(group_sizes) < 2:
        raise ArgumentError(f"group_sizes: expected at least 2 rollouts a group, got {min(group_sizes)}")
    for temperature in temperatures:
        if not (temperature > 0 and isfinite(temperature)):
            raise ArgumentError(f"temperatures: expected positive numbers, got {temperature}")
    if not 0 < least_mixed < 1:
        raise ArgumentError(f"least_mixed: expected a share in (0, 1), got {least_mixed}")
    if batch_prompts < 1:
        raise ArgumentError(f"batch_prompts: expected at least 1, got {batch_prompts}")
