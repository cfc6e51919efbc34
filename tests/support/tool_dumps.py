"""Rows as today's trainers and evaluation tools write them, with words of ours."""

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]


def trl_row(prompt: str, completion: Any, advantage: float, *, step: int = 1, **columns: Any) -> Row:
    return {"step": step, "prompt": prompt, "completion": completion, **columns, "advantage": advantage}


def write_completions(run: Path, step: int, rows: Sequence[Row]) -> Path:
    """One file of TRL's, in the folder of a run."""
    path = run / "completions" / f"completions_{step:05d}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def write_state(folder: Path, *steps: Mapping[str, float]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    state = {"global_step": len(steps), "log_history": list(steps)}
    (folder / "trainer_state.json").write_text(json.dumps(state, indent=2))


def verl_row(prompt: str, output: str, score: float, *, step: int = 1, **keys: Any) -> Row:
    return {"input": f"user\n{prompt}\nassistant\n", "output": output, "gts": "4", "score": score, "step": step, **keys}


def trace(name: str, response: str | None, rewards: Mapping[str, tuple[float, float]], **fields: Any) -> Row:
    """One trace; without a response it failed."""
    nodes: list[Row] = []
    calls: list[Row] = []
    if response is not None:
        nodes = [
            {"message": {"role": "system", "content": "Be brief."}, "sampled": False},
            {"parent": 0, "message": {"role": "user", "content": "2+2?"}, "sampled": False},
            {"parent": 1, "message": {"role": "assistant", "content": response}, "sampled": True},
        ]
        calls = [{"node": 2, "finish_reason": "stop", "usage": {"completion_tokens": 3}}]
    return {
        "version": 1,
        "id": name,
        "agent": {"name": "agent", "trainable": True, "config": {"model": "m"}},
        "nodes": nodes,
        "calls": calls,
        "rewards": {name: {"score": score, "weight": weight} for name, (score, weight) in rewards.items()},
        "metrics": {"n_chars": 1.0},
        "info": {},
        "errors": [],
        "ok": response is not None,
        "stop_condition": "agent_completed" if response is not None else "provider_error",
        **fields,
    }


def episode(key: str, *traces: Row, group: str | None = None, step: int = 1) -> Row:
    task = {"type": "T", "data": {"idx": 0, "prompt": "2+2?", "system_prompt": "Be brief.", "answer": "4"}, "key": key}
    row: Row = {"id": f"episode of {traces[0]['id'] if traces else key}", "task": task, "env": {"id": "sums"}}
    row |= {"ok": bool(traces), "errors": [] if traces else [{"message": "the worker died"}], "traces": list(traces)}
    if group is not None:
        work = {"type": "train", "step": step, "policy": {"start": step - 1, "end": step}}
        row |= {"group": {"id": group}, "run": {"type": "train", "id": "r", "work": work}}
    return row


def results_row(example: int, text: str | None, reward: float, **metrics: float) -> Row:
    """A row of the verifiers library's results; without a text the attempt failed."""
    return {
        "example_id": example,
        "prompt": [{"role": "user", "content": f"{example}+2?"}],
        "completion": [] if text is None else [{"role": "assistant", "content": text}],
        "answer": str(example + 2),
        "task": "default",
        "info": {},
        "reward": reward,
        "error": {"error": "ModelError"} if text is None else None,
        "is_completed": True,
        "is_truncated": False,
        "stop_condition": "has_error" if text is None else "max_turns_reached",
        "metrics": metrics,
        **metrics,
    }


def samples_row(doc: int, responses: Sequence[str], filter_name: str, filtered: Any, **metrics: float | None) -> Row:
    """A row of lm-eval's samples."""
    return {
        "doc_id": doc,
        "doc": {"question": f"{doc}+2?", "answer": str(doc + 2)},
        "target": str(doc + 2),
        "arguments": {"gen_args_0": {"arg_0": f"Question: {doc}+2?\nAnswer:", "arg_1": {"until": ["\n\n"]}}},
        "resps": [list(responses)],
        "filtered_resps": filtered,
        "filter": filter_name,
        "metrics": list(metrics),
        "doc_hash": "d",
        **metrics,
    }


def inspect_sample(name: Any, epoch: int, text: str | None, scores: Mapping[str, Any], **fields: Any) -> Row:
    """A sample of an Inspect log; without a text it failed."""
    asked = {"role": "user", "content": f"{name}: 2+2?", "source": "input"}
    said = {"role": "assistant", "content": text, "source": "generate"}
    choices = [] if text is None else [{"message": said, "stop_reason": "stop"}]
    row: Row = {
        "id": name,
        "epoch": epoch,
        "input": f"{name}: 2+2?",
        "target": "4",
        "messages": [asked] if text is None else [asked, said],
        "output": {"model": "mock/m", "choices": choices, "usage": {"output_tokens": 7}},
        "events": [{"event": "long"}] * 3,
        "attachments": {},
        "metadata": {},
    }
    if text is None:
        row["error"] = {"message": "the server went away"}
    else:
        row["scores"] = {scorer: {"value": value, "answer": text} for scorer, value in scores.items()}
    return row | fields


def inspect_log(samples: Sequence[Row]) -> Row:
    """A whole log in JSON."""
    header = {"version": 2, "status": "success", "eval": {"task": "sums", "dataset": {"name": "d", "id": 1}}}
    return {**header, "samples": list(samples), "reductions": [{"scorer": "match", "samples": [{"value": 1.0}]}]}


def write_eval(path: Path, samples: Sequence[Row], *, method: int = 8, has_header: bool = True) -> Path:
    """An `.eval` archive; methods 0 (stored), 8 (deflate) and 93 (Zstandard, which `zipfile` cannot write)."""
    members = {"_journal/start.json": {"version": 2}}
    members |= {f"samples/{row['id']}_epoch_{row['epoch']}.json": row for row in samples}
    members |= {"header.json": {"version": 2, "status": "success"}} if has_header else {}
    path.write_bytes(zip_bytes({name: json.dumps(row).encode() for name, row in members.items()}, method))
    return path


def zip_bytes(members: Mapping[str, bytes], method: int) -> bytes:
    """A zip archive with these members, by hand."""
    body, directory = b"", b""
    for name, data in members.items():
        packed, encoded = _packed(data, method), name.encode()
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(data), len(packed), len(data), len(encoded), 0
        )
        directory += (
            b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + encoded
        )
        body += b"PK\x03\x04" + common + encoded + packed
    n_members = len(members)
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, n_members, n_members, len(directory), len(body), 0)
    return body + directory + end


def _packed(data: bytes, method: int) -> bytes:
    if method == zipfile.ZIP_STORED:
        return data
    if method == zipfile.ZIP_DEFLATED:
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(data) + packer.flush()
    return pa.compress(data, codec="zstd", asbytes=True)
