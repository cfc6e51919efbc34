"""The public verifiers of the conformance table, called as their own projects call them.

Each package stands in a folder of its own, made by `pip install --no-deps --target`, which only its own worker process
sees; what it pins stands there too, and everything else (sympy, numpy, math-verify) is the main environment's. Only the
modules that judge are run: `__init__` files that import a whole trainer are passed over, and what a judging module
imports without using it to judge is replaced by an empty stand-in. The code that judges is untouched.

To add a verifier: a function from the folder to a grader, and its line in PEERS.
"""

import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from time import perf_counter
from types import ModuleType, SimpleNamespace
from typing import Any

from graders import GRADERS, Grader


@dataclass(frozen=True)
class Peer:
    """One line of the table.

    Attributes:
        requirement: the distribution that holds it and its version; "" for what the main environment has.
        reads: the form in which it looks for the answer, a key of `conformance.FORMS`.
        build: from the package's folder to the grader.
        needs: what the judging modules import that the main environment lacks, or has in another version than pinned.
    """

    requirement: str
    reads: str
    build: Callable[[Path], Grader]
    needs: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        """The distribution's name, and its folder's."""
        return self.requirement.partition("==")[0]


def graded(name: str, packages: str, scratch: str, gold: str, response: str) -> dict[str, Any]:
    """What the grader `name` says, run in the folder `scratch`, and the seconds that it took, imports left out."""
    grader = _built(name, packages)
    os.chdir(scratch)
    started = perf_counter()
    accepted = grader(gold, response)
    return {"accepted": accepted, "seconds": perf_counter() - started}


@cache
def _built(name: str, packages: str) -> Grader:
    peer = PEERS[name]
    folder = Path(packages) / peer.package
    if peer.package:
        # Before the main environment: a peer may need another version of a package that we use too.
        sys.path.insert(0, str(folder))
    return peer.build(folder)


def _without_init(folder: Path, *packages: str) -> None:
    """Make the packages importable without running their `__init__` files."""
    for package in packages:
        module = ModuleType(package)
        module.__path__ = [str(folder / package.replace(".", "/"))]
        module.__spec__ = ModuleSpec(package, None, is_package=True)
        sys.modules[package] = module


def _stand_in(name: str, **attributes: Any) -> None:
    """An empty module of that name, with the attributes that are looked up while others are imported."""
    module = ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module


def _trl(folder: Path, prepared: Callable[[str], str] = str) -> Grader:
    _without_init(folder, "trl", "trl.rewards")
    accuracy_reward = importlib.import_module("trl.rewards.accuracy_rewards").accuracy_reward

    def grade(gold: str, response: str) -> bool | None:
        (reward,) = accuracy_reward([[{"role": "assistant", "content": response}]], [prepared(gold)])
        return None if reward is None else reward == 1.0

    return grade


def _verl(module: str, **options: Any) -> Callable[[Path], Grader]:
    def build(folder: Path) -> Grader:
        _without_init(folder, "verl", "verl.utils", "verl.utils.reward_score")
        # Imported by `timeout_limit`'s module for code that measures.
        _stand_in("verl.utils.metric", Metric=object)
        found = importlib.import_module(f"verl.utils.reward_score.{module}")

        def grade(gold: str, response: str) -> bool:
            score = found.compute_score(response, gold, **options)
            if isinstance(score, dict):
                score = score["score"]
            # prime_math answers (correct, well formed, extracted).
            return bool(score[0] if isinstance(score, tuple) else score == 1)

        return grade

    return build


def _verl_math_verify(folder: Path) -> Grader:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    grade = _verl("math_verify")(folder)
    # Its pool spawns, and a spawned process would import the whole of verl; a forked one has what is loaded here.
    sys.modules["verl.utils.reward_score.math_verify"]._pool = ProcessPoolExecutor(4, mp_context=get_context("fork"))
    return grade


def _lighteval(folder: Path) -> Grader:
    """extractive_match with LaTeX or plain golds, first match, boxes first."""
    _without_init(folder, "lighteval", "lighteval.metrics", "lighteval.metrics.utils", "lighteval.models")
    _without_init(folder, "lighteval.tasks", "lighteval.tasks.templates", "lighteval.tasks.templates.utils")
    _without_init(folder, "lighteval.utils")
    _stand_in("lighteval.utils.imports", requires=lambda *_, **__: lambda decorated: decorated)
    _stand_in("lighteval.tasks.requests", Doc=object)
    matching = importlib.import_module("lighteval.metrics.utils.extractive_match_utils")
    comparison = importlib.import_module("lighteval.metrics.utils.math_comparison")
    english = importlib.import_module("lighteval.utils.language").Language.ENGLISH
    expressions, latex = matching.ExprExtractionConfig, matching.LatexExtractionConfig
    doc = SimpleNamespace()
    in_gold = matching.get_extraction_regexes(doc, (expressions(), latex()), english)
    in_response = matching.get_extraction_regexes(doc, (expressions(), latex(boxed_match_priority=0)), english)

    def grade(gold: str, response: str) -> bool:
        found = matching.extract_target_from_pred(response, in_response, "first_match", "any_match", 5)
        parsed = matching.extract_target_from_pred(f"${gold}$", in_gold, "first_match", "any_match", 5) or [gold]
        return bool(comparison.compare_gold_target(parsed, found, 5, timeout_seconds=5))

    return grade


def _hendrycks(folder: Path) -> Grader:
    _stand_in("datasets", Dataset=object)
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.hendrycks_math")
    found = importlib.import_module("lm_eval.tasks.hendrycks_math.utils")

    def grade(gold: str, response: str) -> bool:
        box = found.last_boxed_only_string(response)
        return box is not None and found.is_equiv(found.remove_boxed(box), gold)

    return grade


def _minerva_math_verify(folder: Path) -> Grader:
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.minerva_math")
    found = importlib.import_module("lm_eval.tasks.minerva_math.utils")

    def grade(gold: str, response: str) -> bool:
        # `solution` is a worked solution that ends in a box.
        solution = f"The answer is $\\boxed{{{gold}}}$."
        return found.process_results({"solution": solution, "answer": gold}, [response])["math_verify"] == 1

    return grade


def _lm_eval_score(folder: Path) -> Grader:
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.score", "lm_eval.tasks.score.math")
    found = importlib.import_module("lm_eval.tasks.score.math.math_grader")

    def grade(gold: str, response: str) -> bool:
        return bool(found.math_equal(found.extract_answer(response), gold))

    return grade


def _openrlhf(folder: Path) -> Grader:
    _without_init(folder, "openrlhf", "openrlhf.utils")
    found = importlib.import_module("openrlhf.utils.math_utils")

    def grade(gold: str, response: str) -> bool:
        answer = found.extract_boxed_answer(response)
        return answer is not None and bool(found.grade_answer(answer, gold))

    return grade


def _mathruler(folder: Path) -> Grader:
    found = importlib.import_module("mathruler.grader")
    return lambda gold, response: bool(found.grade_answer(found.extract_boxed_content(response), gold))


def _tinker(grader: str) -> Callable[[Path], Grader]:
    def build(folder: Path) -> Grader:
        _without_init(folder, "tinker_cookbook", "tinker_cookbook.recipes", "tinker_cookbook.recipes.math_rl")
        found = importlib.import_module("tinker_cookbook.recipes.math_rl.math_grading")

        def grade(gold: str, response: str) -> bool:
            # MathEnv.check_answer: no box is wrong; one second; out of time is wrong.
            try:
                answer = found.extract_boxed(response)
            except ValueError:
                return False
            return bool(found.run_with_timeout_signal(getattr(found, grader), args=(answer, gold), timeout_seconds=1))

        return grade

    return build


def _verifiers(folder: Path) -> Grader:
    _without_init(folder, "verifiers", "verifiers.v1", "verifiers.v1.utils")
    _stand_in("verifiers.v1.errors", SandboxError=OSError)
    found = importlib.import_module("verifiers.v1.utils.score")
    return lambda gold, response: found.verify_boxed_math_answer(response, gold) == 1.0


def _evalscope(folder: Path) -> Grader:
    _without_init(folder, "evalscope", "evalscope.metrics", "evalscope.metrics.math", "evalscope.api")
    _stand_in("evalscope.api.metric", MetricUnavailableError=type("MetricUnavailableError", (Exception,), {}))
    found = importlib.import_module("evalscope.metrics.math.parser")
    invalid = importlib.import_module("evalscope.metrics.math.contracts").InvalidMathReference

    def grade(gold: str, response: str) -> bool | None:
        try:
            return found.compare_answers(response, gold, prediction_mode="output").matched
        except invalid:
            return None

    return grade


def _registry() -> SimpleNamespace:
    return SimpleNamespace(register_module=lambda *_: lambda decorated: decorated)


def _opencompass_stand_ins(folder: Path) -> None:
    _without_init(folder, "opencompass", "opencompass.datasets", "opencompass.evaluator", "opencompass.openicl")
    evaluator = type("BaseEvaluator", (), {"__init__": lambda self, pred_postprocessor=None: None})
    _stand_in("opencompass.openicl.icl_evaluator", BaseEvaluator=evaluator)
    registries = ("ICL_EVALUATORS", "LOAD_DATASET", "TEXT_POSTPROCESSORS")
    _stand_in("opencompass.registry", **{name: _registry() for name in registries})
    _stand_in("opencompass.utils", get_data_path=str)
    _stand_in("opencompass.datasets.base", BaseDataset=object)
    _stand_in("datasets", Dataset=object, DatasetDict=dict)


def _opencompass_v2(folder: Path) -> Grader:
    _opencompass_stand_ins(folder)
    found = importlib.import_module("opencompass.datasets.math")
    evaluator = found.MATHEvaluator(version="v2")
    return lambda gold, response: bool(evaluator.is_equiv(found.math_postprocess_v2(response), gold))


def _opencompass_math_verify(folder: Path) -> Grader:
    _opencompass_stand_ins(folder)
    judged = importlib.import_module("opencompass.evaluator.math_evaluator")._verify_with_timeout

    def grade(gold: str, response: str) -> bool | None:
        result = judged(response, gold, timeout=10)
        return None if result.get("skipped") else bool(result.get("answer_correct"))

    return grade


def _areal(folder: Path) -> Grader:
    import logging

    _without_init(folder, "areal", "areal.utils")
    _stand_in("areal.utils.logging", getLogger=logging.getLogger)
    sys.modules["areal.utils"].logging = sys.modules["areal.utils.logging"]
    found = importlib.import_module("areal.reward.gsm8k")
    return lambda gold, response: found.gsm8k_reward_fn("", response, [], [], gold) == 1.0


def _in_dollars(gold: str) -> str:
    return f"${gold}$"


def _ours(name: str) -> Callable[[Path], Grader]:
    return lambda _: GRADERS[name]()


_AREAL = ("areal==1.0.4", ("math-verify==0.8.0", "latex2sympy2_extended==1.10.2"))
_LIGHTEVAL = ("lighteval==0.13.0", ("latex2sympy2_extended==1.0.6",))
_LM_EVAL = ("lm-eval==0.4.13", ("antlr4-python3-runtime==4.11.0",))
_MATHRULER = ("mathruler==0.1.0", ("pylatexenc==2.11", "tqdm"))
_OPENCOMPASS = ("opencompass==0.5.4", ("antlr4-python3-runtime==4.11.0",))
_OPENRLHF = ("openrlhf==0.11.2", ("pylatexenc==2.11",))
_TINKER = ("tinker-cookbook==0.6.1", ("pylatexenc==2.11",))
_VERL = ("verl==0.9.1", ("pylatexenc==2.11",))


def _peer(package: tuple[str, tuple[str, ...]], reads: str, build: Callable[[Path], Grader]) -> Peer:
    return Peer(package[0], reads, build, package[1])


PEERS: dict[str, Peer] = {
    "rewardgate math": Peer("", "any", _ours("rewardgate math")),
    "rewardgate auto": Peer("", "any", _ours("rewardgate auto")),
    "math-verify, recommended": Peer("", "any", _ours("math-verify recommended")),
    "TRL accuracy_reward": Peer("trl==1.16.0", "LaTeX", _trl),
    "TRL accuracy_reward, $gold$": Peer("trl==1.16.0", "LaTeX", lambda folder: _trl(folder, _in_dollars)),
    "lighteval extractive_match": _peer(_LIGHTEVAL, "any", _lighteval),
    "evalscope compare_answers": Peer("evalscope==1.14.1", "any", _evalscope),
    "AReaL gsm8k_reward_fn": _peer(_AREAL, "any", _areal),
    "verl math_verify": _peer(_VERL, "any", _verl_math_verify),
    "lm-eval minerva math_verify": _peer(_LM_EVAL, "any", _minerva_math_verify),
    "OpenCompass MATHVerify": _peer(_OPENCOMPASS, "LaTeX", _opencompass_math_verify),
    "verifiers math": Peer("verifiers==0.4.0", "box", _verifiers),
    "tinker-cookbook math_verify": _peer(_TINKER, "box", _tinker("grade_answer_math_verify")),
    "tinker-cookbook sympy": _peer(_TINKER, "box", _tinker("grade_answer")),
    "OpenRLHF grade_answer": _peer(_OPENRLHF, "box", _openrlhf),
    "mathruler grade_answer": _peer(_MATHRULER, "box", _mathruler),
    "verl prime_math": _peer(_VERL, "any", _verl("prime_math")),
    "lm-eval score math_equal": _peer(_LM_EVAL, "box", _lm_eval_score),
    "OpenCompass MATH v2": _peer(_OPENCOMPASS, "box", _opencompass_v2),
    "lm-eval hendrycks is_equiv": _peer(_LM_EVAL, "box", _hendrycks),
    "verl math_reward": _peer(_VERL, "box", _verl("math_reward")),
    "verl math_dapo": _peer(_VERL, "Answer: or box", _verl("math_dapo")),
    "verl gsm8k, flexible": _peer(_VERL, "any", _verl("gsm8k", method="flexible")),
    "verl gsm8k, strict": _peer(_VERL, "####", _verl("gsm8k")),
}
