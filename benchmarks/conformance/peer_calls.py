"""How each verifier of the conformance table is called: from the folder of its package to a grader.

Only the modules that judge are run: `__init__` files that import a whole trainer are passed over, and what a judging
module imports without using it to judge is replaced by an empty stand-in. The code that judges is untouched.
"""

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from graders import GRADERS, Grader


def trl(folder: Path, prepared: Callable[[str], str] = str) -> Grader:
    _without_init(folder, "trl", "trl.rewards")
    accuracy_reward = importlib.import_module("trl.rewards.accuracy_rewards").accuracy_reward

    def grade(gold: str, response: str) -> bool | None:
        (reward,) = accuracy_reward([[{"role": "assistant", "content": response}]], [prepared(gold)])
        return None if reward is None else reward == 1.0

    return grade


def trl_in_dollars(folder: Path) -> Grader:
    return trl(folder, _in_dollars)


def verl(module: str, **options: Any) -> Callable[[Path], Grader]:
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


def verl_math_verify(folder: Path) -> Grader:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    grade = verl("math_verify")(folder)
    # Its pool spawns, and a spawned process would import the whole of verl; a forked one has what is loaded here.
    sys.modules["verl.utils.reward_score.math_verify"]._pool = ProcessPoolExecutor(4, mp_context=get_context("fork"))
    return grade


def lighteval(folder: Path) -> Grader:
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


def hendrycks(folder: Path) -> Grader:
    _stand_in("datasets", Dataset=object)
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.hendrycks_math")
    found = importlib.import_module("lm_eval.tasks.hendrycks_math.utils")

    def grade(gold: str, response: str) -> bool:
        box = found.last_boxed_only_string(response)
        return box is not None and found.is_equiv(found.remove_boxed(box), gold)

    return grade


def minerva_math_verify(folder: Path) -> Grader:
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.minerva_math")
    found = importlib.import_module("lm_eval.tasks.minerva_math.utils")

    def grade(gold: str, response: str) -> bool:
        # `solution` is a worked solution that ends in a box.
        solution = f"The answer is $\\boxed{{{gold}}}$."
        return found.process_results({"solution": solution, "answer": gold}, [response])["math_verify"] == 1

    return grade


def lm_eval_score(folder: Path) -> Grader:
    _without_init(folder, "lm_eval", "lm_eval.tasks", "lm_eval.tasks.score", "lm_eval.tasks.score.math")
    found = importlib.import_module("lm_eval.tasks.score.math.math_grader")

    def grade(gold: str, response: str) -> bool:
        return bool(found.math_equal(found.extract_answer(response), gold))

    return grade


def openrlhf(folder: Path) -> Grader:
    _without_init(folder, "openrlhf", "openrlhf.utils")
    found = importlib.import_module("openrlhf.utils.math_utils")

    def grade(gold: str, response: str) -> bool:
        answer = found.extract_boxed_answer(response)
        return answer is not None and bool(found.grade_answer(answer, gold))

    return grade


def mathruler(folder: Path) -> Grader:
    found = importlib.import_module("mathruler.grader")
    return lambda gold, response: bool(found.grade_answer(found.extract_boxed_content(response), gold))


def tinker(grader: str) -> Callable[[Path], Grader]:
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


def verifiers(folder: Path) -> Grader:
    _without_init(folder, "verifiers", "verifiers.v1", "verifiers.v1.utils")
    _stand_in("verifiers.v1.errors", SandboxError=OSError)
    found = importlib.import_module("verifiers.v1.utils.score")
    return lambda gold, response: found.verify_boxed_math_answer(response, gold) == 1.0


def evalscope(folder: Path) -> Grader:
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


def opencompass_v2(folder: Path) -> Grader:
    _opencompass_stand_ins(folder)
    found = importlib.import_module("opencompass.datasets.math")
    evaluator = found.MATHEvaluator(version="v2")
    return lambda gold, response: bool(evaluator.is_equiv(found.math_postprocess_v2(response), gold))


def opencompass_math_verify(folder: Path) -> Grader:
    # It imports this in a new process for every pair; loaded here, the fork has it.
    importlib.import_module("math_verify")
    _opencompass_stand_ins(folder)
    judged = importlib.import_module("opencompass.evaluator.math_evaluator")._verify_with_timeout

    def grade(gold: str, response: str) -> bool | None:
        result = judged(response, gold, timeout=10)
        return None if result.get("skipped") else bool(result.get("answer_correct"))

    return grade


def areal(folder: Path) -> Grader:
    import logging

    _without_init(folder, "areal", "areal.utils")
    _stand_in("areal.utils.logging", getLogger=logging.getLogger)
    sys.modules["areal.utils"].logging = sys.modules["areal.utils.logging"]
    found = importlib.import_module("areal.reward.gsm8k")
    return lambda gold, response: found.gsm8k_reward_fn("", response, [], [], _in_dollars(gold)) == 1.0


def swift(folder: Path) -> Grader:
    _without_init(folder, "swift", "swift.rewards")
    _stand_in("swift.infer_engine", InferRequest=object)
    reward = importlib.import_module("swift.rewards.orm").MathAccuracy()
    return lambda gold, response: reward([response], [_in_dollars(gold)]) == [1.0]


def rlinf(folder: Path) -> Grader:
    """RLinf's copy of Qwen2.5-Math's parser and grader; references in a box, as its own sample has them."""
    _without_init(folder, "rlinf", "rlinf.algorithms", "rlinf.algorithms.rewards", "rlinf.algorithms.rewards.math")
    found = importlib.import_module("rlinf.algorithms.rewards.math.math_verifier.verify")
    return lambda gold, response: found.math_verify_call([response], [[f"\\boxed{{{gold}}}"]]) == [True]


def inspect(folder: Path) -> Grader:
    """The scorer `math()`; a target that it cannot parse is no verdict, as its error says."""
    import anyio

    _without_init(folder, "inspect_ai", "inspect_ai._util", "inspect_ai.scorer", "inspect_ai.solver")
    score = type("Score", (SimpleNamespace,), {"unscored": lambda **told: SimpleNamespace(value=None, **told)})
    nothing = {"accuracy": lambda: None, "stderr": lambda: None}
    _stand_in("inspect_ai._util.error", PrerequisiteError=Exception, pip_dependency_error=RuntimeError)
    _stand_in("inspect_ai.solver._task_state", TaskState=object)
    _stand_in("inspect_ai.scorer._metric", CORRECT="C", INCORRECT="I", Score=score)
    _stand_in("inspect_ai.scorer._metrics", **nothing)
    _stand_in("inspect_ai.scorer._scorer", Scorer=object, scorer=lambda **_: lambda decorated: decorated)
    _stand_in("inspect_ai.scorer._target", Target=list)
    judge = importlib.import_module("inspect_ai.scorer._math").math()

    def grade(gold: str, response: str) -> bool | None:
        state = SimpleNamespace(output=SimpleNamespace(completion=response))
        try:
            value = anyio.run(judge, state, [gold]).value
        except ValueError as error:
            if "Could not parse any mathematical target" not in str(error):
                raise
            return None
        return None if value is None else value == "C"

    return grade


def installed(name: str) -> Callable[[Path], Grader]:
    return lambda _: GRADERS[name]()


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


def _in_dollars(gold: str) -> str:
    return f"${gold}$"
