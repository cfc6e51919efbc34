"""The public verifiers of the conformance table, called as their own projects call them.

Each package stands in a folder of its own, made by `pip install --no-deps --target`, which only its own worker process
sees; what it pins stands there too, and everything else (sympy, numpy, math-verify) is the main environment's.

To add a verifier: a function in peer_calls.py, and its line in PEERS.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import peer_calls
from graders import Grader


@dataclass(frozen=True)
class Peer:
    """One line of the table.

    Attributes:
        requirement: the distribution that holds it and its version; "" for what the main environment has.
        reads: the form in which it looks for the answer, a key of `conformance.FORMS`.
        build: from the package's folder to the grader.
        needs: what the judging modules import that the main environment lacks, or has in another version than pinned;
            where there is no folder, whose version the table shows.
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


_AREAL = ("areal==1.0.4", ("math-verify==0.8.0", "latex2sympy2_extended==1.10.2"))
_INSPECT = ("inspect-ai==0.3.285", ("anyio==4.14.2", "sniffio", "idna"))
_LIGHTEVAL = ("lighteval==0.13.0", ("latex2sympy2_extended==1.0.6",))
_LM_EVAL = ("lm-eval==0.4.13", ("antlr4-python3-runtime==4.11.0",))
_MATHRULER = ("mathruler==0.1.0", ("pylatexenc==2.11", "tqdm"))
_OPENCOMPASS = ("opencompass==0.5.4", ("antlr4-python3-runtime==4.11.0",))
_OPENRLHF = ("openrlhf==0.11.2", ("pylatexenc==2.11",))
_RLINF = ("rlinf==0.3.0", ("rlinf-latex2sympy2==1.9.0", "antlr4-python3-runtime==4.11.1", "word2number==1.1", "regex"))
_TINKER = ("tinker-cookbook==0.6.1", ("pylatexenc==2.11",))
_VERL = ("verl==0.9.1", ("pylatexenc==2.11",))


def _peer(package: tuple[str, tuple[str, ...]], reads: str, build: Callable[[Path], Grader]) -> Peer:
    return Peer(package[0], reads, build, package[1])


PEERS: dict[str, Peer] = {
    "rewardgate math": Peer("", "any", peer_calls.installed("rewardgate math"), ("rewardgate",)),
    "rewardgate auto": Peer("", "any", peer_calls.installed("rewardgate auto"), ("rewardgate",)),
    "math-verify, recommended": Peer("", "any", peer_calls.installed("math-verify recommended"), ("math-verify",)),
    "TRL accuracy_reward": Peer("trl==1.16.0", "LaTeX", peer_calls.trl),
    "TRL accuracy_reward, $gold$": Peer("trl==1.16.0", "LaTeX", peer_calls.trl_in_dollars),
    "lighteval extractive_match": _peer(_LIGHTEVAL, "any", peer_calls.lighteval),
    "evalscope compare_answers": Peer("evalscope==1.14.1", "any", peer_calls.evalscope),
    "AReaL gsm8k_reward_fn": _peer(_AREAL, "any", peer_calls.areal),
    "verl math_verify": _peer(_VERL, "any", peer_calls.verl_math_verify),
    "lm-eval minerva math_verify": _peer(_LM_EVAL, "any", peer_calls.minerva_math_verify),
    "OpenCompass MATHVerify": _peer(_OPENCOMPASS, "LaTeX", peer_calls.opencompass_math_verify),
    "ms-swift MathAccuracy": Peer("ms-swift==4.6.0", "LaTeX", peer_calls.swift),
    "Inspect math": _peer(_INSPECT, "any", peer_calls.inspect),
    "verifiers math": Peer("verifiers==0.4.0", "box", peer_calls.verifiers),
    "tinker-cookbook math_verify": _peer(_TINKER, "box", peer_calls.tinker("grade_answer_math_verify")),
    "tinker-cookbook sympy": _peer(_TINKER, "box", peer_calls.tinker("grade_answer")),
    "OpenRLHF grade_answer": _peer(_OPENRLHF, "box", peer_calls.openrlhf),
    "mathruler grade_answer": _peer(_MATHRULER, "box", peer_calls.mathruler),
    "RLinf math_verify_call": _peer(_RLINF, "box", peer_calls.rlinf),
    "verl prime_math": _peer(_VERL, "any", peer_calls.verl("prime_math")),
    "lm-eval score math_equal": _peer(_LM_EVAL, "box", peer_calls.lm_eval_score),
    "OpenCompass MATH v2": _peer(_OPENCOMPASS, "box", peer_calls.opencompass_v2),
    "lm-eval hendrycks is_equiv": _peer(_LM_EVAL, "box", peer_calls.hendrycks),
    "verl math_reward": _peer(_VERL, "box", peer_calls.verl("math_reward")),
    "verl math_dapo": _peer(_VERL, "Answer: or box", peer_calls.verl("math_dapo")),
    "verl gsm8k, flexible": _peer(_VERL, "any", peer_calls.verl("gsm8k", method="flexible")),
    "verl gsm8k, strict": _peer(_VERL, "####", peer_calls.verl("gsm8k")),
}
