"""`rewardgate doctor` on packages that are there, missing, broken, hanging or crashing; real ones are not asked."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rewardgate.cli import doctor_devices, doctor_packages, main
from rewardgate.cli.doctor_devices import device
from rewardgate.cli.doctor_packages import TESTED, Package, asked_of, packages
from rewardgate.cli.doctor_report import DoctorReport, PackageReport

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes a package that this process and every one that it starts finds before any real one."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def install(name: str, version: str, module: str | None, source: str = "") -> None:
        about = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if module is not None:
            (tmp_path / f"{module}.py").write_text(source)

    return install


def examined(*asked: Package, monkeypatch: pytest.MonkeyPatch, imports: bool = False) -> dict[str, PackageReport]:
    monkeypatch.setattr(doctor_packages, "TESTED", asked)
    return {one.name: one for one in packages(imports=imports, timeout_s=30.0)}


ONE = Package("its-name|its-other-name", "its_module", "hosts", "a purpose", "", "1.2.3")


def test_a_package_that_is_not_there_says_what_would_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined(ONE, monkeypatch=monkeypatch)["its-name"]
    assert (found.state, found.version, found.fix) == ("missing", None, "pip install its-name==1.2.3")


def test_an_extra_that_the_project_has_is_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [Package(f"no-{extra}", "no", "hosts", "", extra, "1") for extra in ("trl", "no-such-extra")]
    found = examined(*asked, monkeypatch=monkeypatch)
    assert found["no-trl"].fix == "pip install 'rewardgate[trl]'"
    assert found["no-no-such-extra"].fix == "pip install no-no-such-extra==1"


@pytest.mark.parametrize("name", ["its-name", "its-other-name"])
def test_a_package_is_found_under_each_of_its_names_and_not_imported(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    install(name, "4.5", "its_module", "raise SystemExit('imported')")
    found = examined(ONE, monkeypatch=monkeypatch)["its_module"]
    assert (found.state, found.version, found.was_imported, found.fix) == ("here", "4.5", False, "")
    assert "its_module" not in sys.modules


def test_metadata_without_a_module_is_a_broken_install(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("its-name", "4.5", None)
    found = examined(ONE, monkeypatch=monkeypatch)["its_module"]
    assert (found.state, found.error) == ("broken", "it is installed, but there is no module its_module")
    assert found.fix == "pip install --force-reinstall its-name"


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("", None),
        ("print('noise'); import warnings; warnings.warn('noise')", None),
        ("raise ImportError('no lib.so')", "ImportError: no lib.so"),
        ("raise ImportError('no lib.so\\n\\nSee the manual')", "ImportError: no lib.so"),
        ("import os; os.abort()", "the process was ended by signal 6"),
        ("import sys; sys.exit(3)", "the process ended with 3"),
    ],
)
def test_an_import_is_tried_where_it_can_do_no_harm(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, source: str, error: str | None
) -> None:
    install("its-name", "4.5", "its_module", source)
    monkeypatch.setattr(doctor_packages, "_core", lambda: iter(()))
    found = examined(ONE, monkeypatch=monkeypatch, imports=True)["its_module"]
    assert (found.state, found.error, found.was_imported) == ("broken" if error else "here", error, True)


def test_what_does_not_answer_is_given_up() -> None:
    assert asked_of("while True: pass", timeout_s=0.5) == ({}, "no answer within 0.5 s")


def torch_here() -> list[PackageReport]:
    about = {"purpose": "", "tested": None, "was_imported": False, "error": None, "fix": ""}
    return [PackageReport(name="torch", part="models", state="here", version="9", **about)]


CUDA = """
class version: cuda = "12.8"
class cuda:
    is_available = staticmethod(lambda: {available})
    device_count = staticmethod(lambda: 2)
    @staticmethod
    def get_device_properties(place):
        class about: name, total_memory = f"H{{place}}", 139 * 2**30
        return about
class backends: mps = None
get_num_threads = lambda: 4
"""


def test_devices_are_named_with_their_memory(install: Callable[..., None]) -> None:
    install("torch", "9", "torch", CUDA.format(available=True))
    found = device(torch_here())
    assert found is not None
    assert found.model_dump() == {
        "kind": "cuda", "names": ["H0, 139 GiB", "H1, 139 GiB"], "build": "CUDA 12.8", "hint": ""
    }  # fmt: skip


@pytest.mark.parametrize(
    ("build", "hint"),
    [
        ('"12.8"', "an NVIDIA GPU is here, but its driver does not answer: nvidia-smi"),
        ("None", "an NVIDIA GPU is here, but this build of torch cannot use it"),
    ],
)
def test_a_gpu_that_torch_does_not_use_is_told_with_the_reason(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, build: str, hint: str
) -> None:
    install("torch", "9", "torch", CUDA.format(available=False).replace('"12.8"', build))
    monkeypatch.setattr(doctor_devices, "_NVIDIA", tmp_path)
    found = device(torch_here())
    assert found is not None
    assert (found.kind, found.names, found.hint) == ("cpu", ["4 threads"], hint)


def test_a_torch_that_does_not_import_is_broken_and_has_no_device(install: Callable[..., None]) -> None:
    install("torch", "9", "torch", "raise OSError('libcudart.so.12: cannot open shared object file')")
    found = torch_here()
    assert device(found) is None
    assert (found[0].state, found[0].was_imported) == ("broken", True)
    assert found[0].error == "OSError: libcudart.so.12: cannot open shared object file"


def test_the_core_is_what_the_project_requires() -> None:
    import tomllib

    required = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    core = {one.name for one in packages(imports=False) if one.part == "core"}
    assert len(core) == len(required)
    assert {"numpy", "math_verify", "pydantic"} < core


def test_each_optional_package_stands_in_the_table_once() -> None:
    names = [one.name for one in TESTED]
    assert len(names) == len(set(names))
    extras = {one.extra for one in TESTED} - {""}
    assert {"torch", "trl", "vllm", "testing"} <= extras


def test_each_version_tested_is_one_that_the_extras_allow() -> None:
    import tomllib

    from packaging.requirements import Requirement

    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    asked = [Requirement(line) for lines in extras.values() for line in lines]
    tested = {name: one.tested for one in TESTED for name in one.name.split("|") if one.tested is not None}
    refused = [
        f"{one} {tested[one.name]}" for one in asked if one.name in tested and tested[one.name] not in one.specifier
    ]
    assert refused == []
    assert {"trl", "torch", "vllm"} <= {one.name for one in asked} & tested.keys()


def test_the_command_writes_every_package_as_text_and_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_packages, "TESTED", (ONE, Package("pytest", "pytest", "tests", "", "testing", "0.1")))

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["rewardgate", "doctor", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        return capsys.readouterr().out

    lines = run().splitlines()
    assert "  no   its-name     missing, for a purpose: pip install its-name==1.2.3" in lines
    assert f"  yes  pytest       {pytest.__version__}, tested with 0.1" in lines
    report = DoctorReport.model_validate_json(run("--json"))
    assert report.packages is not None
    assert {"its-name", "pytest", "numpy", "chromium"} <= {one.name for one in report.packages}
    assert json.loads(run("sandbox", "--json"))["packages"] is None


def loaded_after(statement: str) -> set[str]:
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    done: Any = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_the_command_loads_no_pydantic_before_it_needs_it() -> None:
    assert not loaded_after("import rewardgate.cli") & {"pydantic", "numpy", "torch", "rich"}


def test_the_doctor_itself_loads_no_torch() -> None:
    loaded = loaded_after(
        "import rewardgate.cli.doctor_packages as p, rewardgate.cli.doctor_devices as d, contextlib, io\n"
        "found = [one for one in p.packages(imports=False) if one.name != 'torch']\n"
        "d.device(found)"
    )
    assert not loaded & {"torch", "transformers", "hypothesis", "pytest"}
