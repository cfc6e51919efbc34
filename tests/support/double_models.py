"""Models in float64 throughout: transformers computes norms and softmaxes in float32 whatever the weights are."""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


class AllDouble(TorchFunctionMode):
    """While it is entered, what is float64 stays so where code asks for float32; forward passes and backward ones."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if args and isinstance(args[0], Tensor) and args[0].dtype is torch.float64:
            if func is Tensor.float or (func is Tensor.to and torch.float32 in (*args[1:], kwargs.get("dtype"))):
                return args[0]
            if kwargs.get("dtype") is torch.float32:
                kwargs["dtype"] = torch.float64
        return func(*args, **kwargs)
