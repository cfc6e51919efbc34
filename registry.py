"""One generic registry: name -> factory, for verifiers, extractors, formats and every later plug-in.

Built-in plug-ins are registered as `"module:attribute"` strings (`"rewardgate.verifiers.math:MathVerifier"`) and
imported when first asked for, so that a registry costs nothing to import. Other packages add theirs by entry
point, in the group that the registry is built with.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import Any, Generic, TypeVar, cast

from .errors import ArgumentError, DuplicateNameError, UnknownNameError

T = TypeVar("T")
Factory = Callable[..., T]


class Registry(Generic[T]):
    """Names of one kind of plug-in and the factories behind them.

    Args:
        kind: what is registered, for error messages (`"verifier"`).
        entry_point_group: the group whose entry points of installed packages are known too.

    Example:
        >>> shapes = Registry[str]("shape", entry_point_group="example.shapes")
        >>> shapes.register("square", lambda: "four sides")
        >>> shapes.create("square")
        'four sides'
        >>> shapes.create("circle")
        Traceback (most recent call last):
            ...
        rewardgate.errors.UnknownNameError: shape: unknown name "circle"; known: square
    """

    def __init__(self, kind: str, *, entry_point_group: str) -> None:
        self._kind = kind
        self._entry_point_group = entry_point_group
        self._factories: dict[str, Factory[T] | str] = {}
        self._asked: set[str] = set()

    def register(self, name: str, factory: Factory[T] | str) -> None:
        """Add `factory` under `name`.

        Args:
            name: the name users type.
            factory: called with the user's options; or `"module:attribute"`, the module by its full name,
                imported when first asked for.

        Raises:
            DuplicateNameError: the name is taken.
        """
        if name in self._factories:
            raise DuplicateNameError(f'{self._kind}: name "{name}" is registered already')
        self._factories[name] = factory

    def factory(self, name: str) -> Factory[T]:
        """The factory registered under `name`, here or by an entry point.

        Raises:
            UnknownNameError: nobody registered it.
            DuplicateNameError: several did, so that which one answers would depend on what is installed.
        """
        found = self._factories.get(name)
        if found is None or name not in self._asked:
            # Once for a name of ours.
            points = [point for point in self._entry_points() if point.name == name]
            if len(points) + (found is not None) > 1:
                owners = ", ".join([*["rewardgate"] * (found is not None), *(point.value for point in points)])
                raise DuplicateNameError(f'{self._kind}: expected one plug-in named "{name}", got {owners}')
            if points:
                return cast("Factory[T]", points[0].load())
            if found is None:
                known = ", ".join(self.names())
                raise UnknownNameError(f'{self._kind}: unknown name "{name}"; known: {known}')
            self._asked.add(name)
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = cast("Factory[T]", getattr(import_module(module), attribute))
            self._factories[name] = found
        return found

    def create(self, name: str, /, *arguments: Any, **options: Any) -> T:
        """What the factory under `name` returns for `options`, and for whatever a kind of plug-in is always given.

        Raises:
            UnknownNameError: nobody registered `name`.
            DuplicateNameError: several did.
            ArgumentError: an option is missing, or is none of the factory's.
        """
        factory = self.factory(name)
        try:
            return factory(*arguments, **options)
        except TypeError:
            # The factory's own mistakes are its own: only a call that its signature does not allow is the caller's.
            problem = _options_problem(factory, len(arguments), options)
            if not problem:
                raise
        raise ArgumentError(f'{self._kind} "{name}": {problem}')

    def names(self) -> list[str]:
        """Every known name, sorted; one that is registered twice is listed too."""
        return sorted({*self._factories, *(point.name for point in self._entry_points())})

    def __contains__(self, name: str) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _entry_points(self) -> EntryPoints:
        return _installed(tuple(sys.path)).select(group=self._entry_point_group)


@lru_cache(maxsize=1)
def _installed(_path: tuple[str, ...]) -> Any:
    """What the packages on the path offer, with `select`; asked once, since it opens a file of each of them."""
    return entry_points()


def _options_problem(factory: Callable[..., Any], n_arguments: int, options: Mapping[str, Any]) -> str:
    """Which options `factory` misses or does not know; empty where it could be called with these."""
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):  # written in C, without one
        return ""
    known = [one for one in list(signature.parameters.values())[n_arguments:] if one.kind in _TAKES_AN_OPTION]
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in signature.parameters.values())
    missing = [one.name for one in known if one.default is one.empty and one.name not in options]
    unknown = [name for name in options if not takes_any and name not in {one.name for one in known}]
    if unknown:
        wanted = ", ".join(one.name for one in known)
        return f"expected {f'options among {wanted}' if wanted else 'no options'}, got {', '.join(unknown)}"
    if missing:
        return f"expected {', '.join(missing)} among the options, got {', '.join(options) or 'none'}"
    return ""


_TAKES_AN_OPTION = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
