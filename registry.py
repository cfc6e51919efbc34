"""One generic registry: name -> factory, for verifiers, extractors, formats and every later plug-in.

Built-in plug-ins are registered as `"module:attribute"` strings (`"rewardgate.verifiers.math:MathVerifier"`) and
imported when first asked for, so that a registry costs nothing to import. Other packages add theirs by entry
point, in the group that the registry is built with.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar, cast

from .errors import DuplicateNameError, UnknownNameError

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
            # Once for a name of ours: reading what is installed takes milliseconds.
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

    def create(self, name: str, **options: Any) -> T:
        """What the factory under `name` returns for `options`.

        Raises:
            UnknownNameError: nobody registered `name`.
            DuplicateNameError: several did.
        """
        return self.factory(name)(**options)

    def names(self) -> list[str]:
        """Every known name, sorted; one that is registered twice is listed too."""
        return sorted({*self._factories, *(point.name for point in self._entry_points())})

    def __contains__(self, name: str) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _entry_points(self) -> Any:
        return entry_points(group=self._entry_point_group)
