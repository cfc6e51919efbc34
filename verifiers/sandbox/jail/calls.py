"""A candidate that is called: its module is loaded once, then each request names a function and brings arguments.

Requests and answers are frames on descriptor 3. No expected value ever comes here, so whatever a candidate writes
there itself is only one more answer.
"""

import builtins
import sys
import types
from functools import partial

import frames
import plain
import remote

CHANNEL = 3
_MAX_TEXT_CHARS = 2_000
_PRELUDE_MODULES = (
    "bisect", "collections", "copy", "functools", "heapq", "itertools", "math", "operator", "random", "re", "string",
    "typing",
)  # fmt: skip
_PRELUDE_NAMES = {
    "bisect": ("bisect", "bisect_left", "bisect_right", "insort"),
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"),
    "functools": ("cache", "cmp_to_key", "lru_cache", "reduce"),
    "heapq": ("heapify", "heappop", "heappush", "heappushpop", "heapreplace", "nlargest", "nsmallest"),
    "itertools": ("accumulate", "chain", "combinations", "count", "groupby", "permutations", "product", "zip_longest"),
    "math": ("ceil", "comb", "floor", "gcd", "inf", "lcm", "log", "log2", "sqrt"),
    "typing": ("Any", "Callable", "Deque", "Dict", "Iterable", "Iterator", "List", "Optional", "Set", "Tuple", "Union"),
}
"""What LeetCode and its kin import before a solution; found behind the program's own names and the built-in ones."""


def serve(source: bytes, settings: dict) -> None:
    """Load `source`, then answer requests until the channel closes.

    `settings`: `prelude`, whether names that solutions use without importing them are there; `objects`, whether
    requests are those of a `remote.Peer`.
    """
    buffer = bytearray()
    try:
        module = loaded(source, prelude=settings.get("prelude", True))
    except BaseException as error:
        frames.send(CHANNEL, raised(error))
        if not isinstance(error, (SystemExit, Exception)):
            raise
        return
    frames.send(CHANNEL, {"loaded": True})
    if settings.get("objects"):
        remote.Peer(CHANNEL, partial(_named, module), gives_attributes=True).serve()
        return
    while True:
        try:
            request = frames.receive(CHANNEL, buffer)
        except EOFError:
            return
        frames.send(CHANNEL, answer(module, request))  # type: ignore[arg-type]


def loaded(source: bytes, *, prelude: bool) -> types.ModuleType:
    module = types.ModuleType("solution")
    names = dict(vars(builtins))
    if prelude:
        names = prelude_names() | names
    module.__dict__.update(__file__="solution.py", __builtins__=names)
    sys.modules["solution"] = module
    exec(compile(source, "solution.py", "exec", dont_inherit=True), module.__dict__)
    return module


def prelude_names() -> dict:
    """What a solution may use without importing it."""
    modules = {name: __import__(name) for name in _PRELUDE_MODULES}
    names = {name: getattr(modules[module], name) for module, wanted in _PRELUDE_NAMES.items() for name in wanted}
    return modules | names | {"inf": float("inf")}


def answer(module: types.ModuleType, request: dict) -> dict:
    try:
        function = _found(module, request["name"])
        if function is None:
            return {"missing": request["name"]}
        keywords = {name: plain.decoded(value) for name, value in request["kwargs"].items()}
        value = remote.awaited(function(*map(plain.decoded, request["args"]), **keywords))  # type: ignore[operator]
        sys.stdout.flush()
        return {"value": plain.encoded(value)}
    except BaseException as error:
        return raised(error)


def _named(module: types.ModuleType, name: str) -> object:
    """What the module itself calls `name`, else its `Solution`; a module's `__getattr__` is not asked."""
    own = vars(module)
    found = own[name] if name in own else _found(module, name)
    if found is None:
        raise NameError(f"name {name!r} is not defined")
    return found


def _found(module: types.ModuleType, name: str) -> object:
    """The function of that name: of the module itself, else of a fresh `Solution`; None for none."""
    own = vars(module)
    function = own.get(name)
    solution = own.get("Solution")
    if function is None and isinstance(solution, type):
        function = getattr(solution(), name, None)
    return function if callable(function) else None


def raised(error: BaseException) -> dict:
    """Of an exception its class's name and, clipped, its text."""
    name = type.__getattribute__(type(error), "__name__")
    try:
        text = str(error)[:_MAX_TEXT_CHARS]
    except BaseException:
        text = ""
    return {"raised": name, "text": text}
