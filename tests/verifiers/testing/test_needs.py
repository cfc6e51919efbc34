import subprocess
import sys


def printed_by(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def test_without_hypothesis_the_error_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "try: import rewardgate.verifiers.testing\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    assert printed_by(program) == (
        "MissingExtraError rewardgate.verifiers.testing: expected Hypothesis, which is not installed; "
        "pip install 'rewardgate[testing]'"
    )


def test_importing_the_verifiers_imports_neither_the_kit_nor_hypothesis() -> None:
    names = "{'hypothesis', 'rewardgate.verifiers.testing'}"
    assert printed_by(f"import rewardgate.verifiers, sys; print(*{names} & set(sys.modules))") == ""
