"""verl's TransferQueue as far as its trainer uses it for advantages, in this process. Needs verl."""

from collections import defaultdict
from typing import Any

import torch
from tensordict import NonTensorStack, TensorDict
from transfer_queue import KVBatchMeta

__all__ = ["Queue"]


class Queue:
    """Rows by key. As TransferQueue 0.1.11: whatever is one-dimensional comes back jagged, even at equal lengths; a
    field that no row has is left out, one that some rows lack is an error."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = defaultdict(dict)
        self.tags: dict[str, dict[str, Any]] = {}

    def kv_batch_put(
        self, keys: list[str], partition_id: str, fields: TensorDict | None = None, tags: Any = None
    ) -> KVBatchMeta:
        for place, key in enumerate(keys):
            if tags is not None:
                self.tags[key] = tags[place]
            if fields is not None:
                for name in fields.keys():  # noqa: SIM118 (a TensorDict is iterated by rows)
                    values = fields[name]
                    parts = values.unbind() if isinstance(values, torch.Tensor) else list(values)
                    self.rows[key][name] = parts[place]
        return KVBatchMeta(keys=list(keys), tags=[self.tags.get(key, {}) for key in keys], partition_id=partition_id)

    def kv_batch_get(self, keys: list[str], partition_id: str, select_fields: list[str]) -> TensorDict:
        found = {}
        for name in select_fields:
            values = [self.rows[key][name] for key in keys if name in self.rows[key]]
            if not values:
                continue
            if len(values) < len(keys):
                raise ValueError(f"{name}: not ready in all the requested keys")
            is_tensor = isinstance(values[0], torch.Tensor)
            found[name] = (
                torch.nested.as_nested_tensor(values, layout=torch.jagged) if is_tensor else NonTensorStack(*values)
            )
        return TensorDict(found, batch_size=len(keys))
