"""The list of packages in pyproject.toml, the tree, the sdist and the wheel hold the same library."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from library_tree import ROOT, library_files

LEFT_BEHIND = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", "build", "dist", ".?*")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, so that building leaves nothing in the checkout and finds nothing of an earlier build."""
    copy = tmp_path_factory.mktemp("build") / "checkout"
    shutil.copytree(ROOT, copy, ignore=LEFT_BEHIND)
    if (ROOT / ".ci").is_dir():
        shutil.copytree(ROOT / ".ci", copy / ".ci")
    return copy


@pytest.fixture(scope="module")
def distributions(checkout: Path) -> tuple[Path, Path]:
    """sdist and wheel, the wheel built from the sdist as an installer does."""
    out = checkout.parent / "out"
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(checkout)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def in_wheel(distributions: tuple[Path, Path]) -> set[str]:
    with zipfile.ZipFile(distributions[1]) as wheel:
        return set(wheel.namelist())


@pytest.fixture(scope="module")
def in_sdist(distributions: tuple[Path, Path]) -> set[str]:
    with tarfile.open(distributions[0]) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def test_the_listed_packages_are_the_folders_with_an_init_file() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {path.parent for path in library_files() if path.name == "__init__.py"}
    assert sorted(listed) == sorted(".".join(("rewardgate", *folder.parts)) for folder in folders)


def test_every_library_file_stands_in_a_listed_package() -> None:
    files = library_files()
    assert [str(path) for path in files if path.parent / "__init__.py" not in files] == []


def test_the_wheel_holds_the_library_and_nothing_else(in_wheel: set[str]) -> None:
    modules = {name.removeprefix("rewardgate/") for name in in_wheel if name.endswith(".py")}
    assert modules == {path.as_posix() for path in library_files()}
    assert {name.partition("/")[0] for name in in_wheel if ".dist-info/" not in name} == {"rewardgate"}


def test_the_wheel_holds_the_data_that_the_library_reads(in_wheel: set[str]) -> None:
    data = {path.name for path in (ROOT / "fixtures").iterdir() if path.suffix in {".jsonl", ".json"}}
    assert {f"rewardgate/fixtures/{name}" for name in data} <= in_wheel
    assert "rewardgate/py.typed" in in_wheel
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in in_wheel)


def test_the_sdist_holds_the_library_its_tests_and_their_data(in_sdist: set[str]) -> None:
    assert {path.as_posix() for path in library_files()} <= in_sdist
    for folder in ("tests", "fixtures", "examples", "benchmarks", "docs"):
        kept = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
        }
        assert kept <= in_sdist, folder
    assert {"pyproject.toml", "README.md", "LICENSE", "CONTRIBUTING.md", "MANIFEST.in"} <= in_sdist


def test_every_module_imports_from_the_installed_wheel(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "target"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", *install, "--target", str(target), str(distributions[1])]
    subprocess.run(command, check=True, timeout=60)
    program = """
import importlib, importlib.util, json, pkgutil, sys
from importlib.metadata import distribution
import rewardgate
from rewardgate.errors import MissingExtraError
names = [module.name for module in pkgutil.walk_packages(rewardgate.__path__, "rewardgate.")]
absent = []
def file_of(name):
    # Another interpreter runs the jail, by its folder: what lies there finds its siblings there and not in a package.
    if name.startswith("rewardgate.verifiers.sandbox.jail."):
        return importlib.util.find_spec(name).origin
    try:
        return importlib.import_module(name).__file__
    except MissingExtraError:  # it subclasses what a host brings
        absent.append(name)
        return importlib.util.find_spec(name).origin

files = [file_of(name) for name in names]
(script,) = distribution("rewardgate").entry_points.select(group="console_scripts", name="rewardgate")
print(json.dumps({"files": [rewardgate.__file__, *files], "main": callable(script.load()), "absent": absent}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["main"] is True
    # The first two subclass what verl brings, the others are loaded by name when somebody asks for such logs; every
    # other module loads its host when it is asked for it.
    assert set(said["absent"]) <= {
        "rewardgate.integrations.verl_manager",
        "rewardgate.integrations.verl_trainer",
        "rewardgate.training.monitor.to_tensorboard",
        "rewardgate.training.monitor.to_trackio",
        "rewardgate.training.monitor.to_wandb",
    }
    # Not the checkout's own files, which an editable install would offer.
    assert str(ROOT) not in done.stdout
    assert done.stdout.count(str(target)) == len(library_files())


def test_the_version_is_said_once() -> None:
    import rewardgate

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert rewardgate.__version__ == project["version"]
