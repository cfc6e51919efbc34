OPTIONS = {"asserts": "in_process"}
TARGET = {
    "entry_point": "now",
    "test": "import unittest\nfrom unittest.mock import patch\n\nclass T(unittest.TestCase):\n    @patch('solution.clock')\n    def test_patched(self, clock):\n        clock.return_value = 5\n        self.assertEqual(now().value, 5)\n        self.assertIsInstance(now(), Moment)\n        self.assertEqual(Moment(3), Moment(3))\n",
}
# --- the program ---
import time

def clock():
    return time.time()

class Moment:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Moment) and other.value == self.value

def now():
    return Moment(clock())
