"""A stand-in of a vLLM server that samples by arithmetic and takes new weights; see `stand_in_vllm`."""

from dataclasses import dataclass
from typing import Any

from arithmetic_samples import arithmetic_samples, weights_in
from stand_in_vllm import StandIn


@dataclass
class SamplingServer(StandIn):
    """Routes and answers of vLLM 0.32 in `VLLM_SERVER_DEV_MODE=1`.

    Args:
        weights: what it was started with, as `weights_in` has it.
        tells: log-probabilities `processed` by temperature and cuts, or `raw`.
        takes_weights: whether it was started in development mode.
        restarts_after: after so many completions it is another process, with the weights that it was started with.
        restarts_always: so it is before every completion.
        lets_go: whether its prefix cache can be reset.
    """

    weights: float = 0.0
    tells: str = "processed"
    takes_weights: bool = True
    restarts_after: int | None = None
    restarts_always: bool = False
    lets_go: bool = True

    def __post_init__(self) -> None:
        self.now, self.version, self.completed = self.weights, "default", 0

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        if path == "/v1/completions" and body["model"] == self.model:
            self.completed += 1
            if self.completed == self.restarts_after or self.restarts_always:
                self.now, self.version = self.weights, "default"
            return 200, {"choices": [self._sample(*one, body) for one in self._samples(body)][::-1]}
        if path in ("/weight_info", "/collective_rpc", "/reset_prefix_cache", "/update_weight_version"):
            return (200, self._updated(path, body)) if self.takes_weights else (404, {"detail": "Not Found"})
        return super().answer(path, body)

    def _samples(self, body: Any) -> Any:
        names = ("n", "seed", "max_tokens", "stop_token_ids")
        options = {name: body[name] for name in names}
        return enumerate(arithmetic_samples(self.now, body["prompt"], **options))

    def _sample(self, index: int, sample: Any, body: Any) -> dict[str, Any]:
        ids, logprobs, reason = sample
        if body["top_k"] == 1:
            logprobs = [0.0 if self.tells == "processed" else -0.7] * len(ids)
        return {"index": index, "token_ids": ids, "logprobs": {"token_logprobs": logprobs}, "finish_reason": reason}

    def _updated(self, path: str, body: Any) -> dict[str, Any]:
        if path == "/weight_info":
            return {"weight_version": self.version}
        if path == "/collective_rpc":
            assert body["method"] == "reload_weights"
            self.now = weights_in(body["kwargs"]["weights_path"])
            return {"results": [None]}
        if path == "/reset_prefix_cache":
            return {"success": self.lets_go}
        self.version = body["new_version"]
        return {"success": True}
