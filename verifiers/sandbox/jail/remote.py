"""Objects on one side of the wall, used from the other: calls, iteration and attributes, over frames.

Plain data crosses as a copy, in both directions, and what a call did to its lists and dictionaries is written back.
Everything else crosses as a handle. A handle can be called, awaited, iterated, indexed, and asked for attributes, its
length and its text, which are compared as the plain data that they are. Compared or tested for truth itself it cannot
be, nor take part in arithmetic, for then its owner would be told what is expected, or asked whether it is right.
"""

import builtins
import operator
import types
from collections.abc import Callable, Generator

import frames
import plain

_MUTABLE = (list, dict, set, bytearray)
_MAX_TEXT_CHARS = 2_000


class UntrustedError(AssertionError):
    """A test that would have to believe what a candidate's object says of itself."""


class RemoteError(Exception):
    """An exception of the other side that is none of Python's own, or that would end this side."""


class Peer:
    """One side of the wall.

    Args:
        descriptor: of the channel.
        names: finds what the other side asks for by name.
        gives_attributes: whether it may look into our objects; tests are not looked into.
    """

    def __init__(self, descriptor: int, names: Callable[[str], object], *, gives_attributes: bool) -> None:
        self._descriptor = descriptor
        self._names = names
        self._gives_attributes = gives_attributes
        self._buffer = bytearray()
        self._ours: list[object] = []
        self.n_asked = 0

    def serve(self) -> None:
        """Answer requests until the channel closes."""
        while True:
            try:
                request = frames.receive(self._descriptor, self._buffer)
            except EOFError:
                return
            frames.send(self._descriptor, self._answer(request))

    def ask(self, request: dict) -> object:
        """The value that the other side answers with; its exception, where it raised one."""
        return self._unpacked(self._asked(request).get("value"))

    def _asked(self, request: dict) -> dict:
        """The answer; what the other side asks for in between is served."""
        self.n_asked += 1
        frames.send(self._descriptor, request)
        while True:
            message = frames.receive(self._descriptor, self._buffer)
            if isinstance(message, dict) and message.get("op") == "answer":
                if message.get("stop"):
                    if request["op"] == "next":
                        raise StopIteration
                    # Out of a call it would end a loop of the tests over `map` or a generator, as if all were well.
                    raise RemoteError("StopIteration")
                if "raised" in message:
                    raise _exception(str(message["raised"]), str(message.get("text", "")))
                return message
            frames.send(self._descriptor, self._answer(message))

    def call(self, target: object, arguments: tuple, keywords: dict) -> object:
        """Call what `target`, a name or a number, means to the other side; changed arguments are written back."""
        request = {
            "op": "call",
            "target": target,
            "args": [self._packed(argument) for argument in arguments],
            "kwargs": {name: self._packed(value) for name, value in keywords.items()},
        }
        message = self._asked(request)
        after = message.get("after")
        for argument, new in zip(arguments, after if isinstance(after, list) else [], strict=False):
            _write_back(argument, self._unpacked(new))
        return self._unpacked(message.get("value"))

    def special(self, name: str, target: object, arguments: tuple) -> object:
        """What `len`, `str`, `x[key]` and their like say of an object of the other side."""
        packed = [self._packed(argument) for argument in arguments]
        return self.ask({"op": "special", "name": name, "target": target, "args": packed})

    def _answer(self, request: object) -> dict:
        try:
            return self._done(request)  # type: ignore[arg-type]
        except StopIteration:
            return {"op": "answer", "stop": True}
        except BaseException as error:
            return {"op": "answer", "raised": type.__getattribute__(type(error), "__name__"), "text": _text(error)}

    def _done(self, request: dict) -> dict:
        target = request["target"]
        found = self._names(target) if isinstance(target, str) else self._ours[target]
        what = request["op"]
        if what == "call":
            arguments = [self._unpacked(argument) for argument in request["args"]]
            keywords = {name: self._unpacked(value) for name, value in request["kwargs"].items()}
            value = found(*arguments, **keywords)  # type: ignore[operator]
            after = [self._packed(argument) if type(argument) in _MUTABLE else None for argument in arguments]
            return {"op": "answer", "value": self._packed(value), "after": after}
        if what == "iter":
            return {"op": "answer", "value": self._exported(iter(found))}  # type: ignore[call-overload]
        if what == "next":
            return {"op": "answer", "value": self._packed(next(found))}  # type: ignore[call-overload]
        if what == "attribute" and self._gives_attributes:
            return {"op": "answer", "value": self._packed(getattr(found, request["name"]))}
        if what == "special" and self._gives_attributes:
            arguments = [self._unpacked(argument) for argument in request["args"]]
            return {"op": "answer", "value": self._packed(_SPECIAL[request["name"]](found, *arguments))}
        if what == "value" and self._gives_attributes:
            return {"op": "answer", "value": self._packed(found)}
        if what == "await" and self._gives_attributes:
            return {"op": "answer", "value": self._packed(awaited(found))}
        raise RemoteError(f"{what}: not served here")

    def _packed(self, value: object) -> object:
        return plain.encoded(value, self._exported)

    def _unpacked(self, data: object) -> object:
        return plain.decoded(data, self._referred)

    def _exported(self, value: object) -> list:
        if isinstance(value, Remote):
            return ["own", object.__getattribute__(value, "_target")]
        self._ours.append(value)
        return ["await" if type(value) is types.CoroutineType else "ref", len(self._ours) - 1]

    def _referred(self, tag: str, content: object) -> object:
        if tag == "own" and isinstance(content, int):
            return self._ours[content]
        if tag == "ref":
            return Remote(self, content)
        if tag == "await":
            return RemoteCoroutine(self, content)
        if tag == "opaque":
            return Remote(self, -1)
        raise ValueError(f"value: no such tag: {str(tag)[:20]!r}")


class Remote:
    """An object of the other side."""

    def __init__(self, peer: Peer, target: object) -> None:
        object.__setattr__(self, "_peer", peer)
        object.__setattr__(self, "_target", target)

    def __call__(self, *arguments: object, **keywords: object) -> object:
        peer, target = _of(self)
        return peer.call(target, arguments, keywords)

    def __iter__(self) -> "Remote":
        peer, target = _of(self)
        return peer.ask({"op": "iter", "target": target})  # type: ignore[return-value]

    def __next__(self) -> object:
        peer, target = _of(self)
        return peer.ask({"op": "next", "target": target})

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        peer, target = _of(self)
        return peer.ask({"op": "attribute", "target": target, "name": name})

    def _special(self, name: str, *arguments: object) -> object:
        peer, target = _of(self)
        return peer.special(name, target, arguments)

    def __len__(self) -> int:
        return self._special("len")  # type: ignore[return-value]

    def __getitem__(self, key: object) -> object:
        return self._special("getitem", key)

    def __setitem__(self, key: object, value: object) -> None:
        self._special("setitem", key, value)

    def __delitem__(self, key: object) -> None:
        self._special("delitem", key)

    def __str__(self) -> str:
        return self._special("str")  # type: ignore[return-value]

    def __repr__(self) -> str:
        return self._special("repr")  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise UntrustedError(f"cannot set {name!r} of an object of the candidate")

    def _refuse(self, *_: object) -> bool:
        raise UntrustedError("an object of the candidate would be asked whether it is right")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:
        # Two handles of one object differ: a set of them would count it twice.
        target = _of(self)[1]
        return hash(target) if isinstance(target, str) else self._refuse()


_SPECIAL: dict[str, Callable] = {
    "len": len, "str": str, "repr": repr, "getitem": operator.getitem, "setitem": operator.setitem,
    "delitem": operator.delitem,
}  # fmt: skip
"""What an object of the candidate is asked through Python's own syntax. None of it hands an expected value over."""


def awaited(value: object) -> object:
    """What a coroutine comes to; anything else is itself."""
    if type(value) is not types.CoroutineType:
        return value
    import asyncio

    return asyncio.run(value)


class RemoteCoroutine(Remote):
    """A coroutine of the other side, which runs it to its end when it is awaited here.

    asyncio takes for one what has these methods. A real one would be true whatever it comes to.
    """

    def __await__(self) -> Generator[None, None, object]:
        return self._result()
        yield

    def send(self, _: object) -> object:
        raise StopIteration(self._result())

    def __next__(self) -> object:
        return self.send(None)

    def __hash__(self) -> int:
        return id(self)  # gather keeps its coroutines in a dictionary

    def throw(self, error: BaseException) -> object:
        raise error

    def close(self) -> None: ...

    def _result(self) -> object:
        peer, target = _of(self)
        return peer.ask({"op": "await", "target": target})


def _of(remote: Remote) -> tuple[Peer, object]:
    return object.__getattribute__(remote, "_peer"), object.__getattribute__(remote, "_target")


def _write_back(argument: object, new: object) -> None:
    if type(argument) is not type(new):
        return
    if isinstance(argument, (list, bytearray)):
        argument[:] = new  # type: ignore[call-overload]
    elif isinstance(argument, (dict, set)):
        argument.clear()
        argument.update(new)  # type: ignore[arg-type]


def _exception(name: str, text: str) -> Exception:
    """One of Python's own exceptions by its name; those that would end the process, and all others, as RemoteError."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not StopIteration:
        try:
            return kind(text)
        except TypeError:
            pass  # UnicodeDecodeError and its kin want more than a text
    return RemoteError(f"{name}: {text}")


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_MAX_TEXT_CHARS]
    except BaseException:
        return ""
