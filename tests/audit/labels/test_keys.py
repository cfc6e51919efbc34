import io
import os
import pty
import subprocess
import sys
import termios

from rewardgate.audit.labels.keys import read_keys

PROGRAM = """
import sys
from rewardgate.audit.labels.keys import read_keys
for key in read_keys():
    print(key, flush=True)
    if key == "q":
        break
"""


def test_lines_are_keys_and_blank_ones_are_none() -> None:
    assert list(read_keys(io.StringIO("c\n\n  W\nwhat\n"))) == ["c", "w", "what"]


def test_a_terminal_gives_single_keys_without_enter_and_is_left_as_it_was() -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    child = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=theirs, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        # What is typed before it listens is thrown away: nobody labels what is not on the screen yet.
        while termios.tcgetattr(theirs)[3] & termios.ICANON:
            assert child.poll() is None
            os.sched_yield()
        for key in "cW":
            os.write(ours, key.encode())
            assert child.stdout.readline() == f"{key.lower()}\n"
        # an arrow key and a letter that is no ASCII are nobody's label
        os.write(ours, "é".encode() + b" \nq")
        assert child.stdout.read() == "q\n"
        assert child.wait(timeout=60) == 0
        assert termios.tcgetattr(theirs) == before
    finally:
        child.kill()
        child.wait()
        os.close(ours)
        os.close(theirs)
