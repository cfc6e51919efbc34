TARGET = {'asserts': ['import unittest\nclass T(unittest.TestCase):\n    def test_near(self):\n        self.assertAlmostEqual(root(2), 1.41421356)\n    def test_bad(self):\n        with self.assertRaisesRegex(ValueError, "neg"):\n            root(-1)\n    def test_type(self):\n        self.assertIsInstance(root(4), float)\nunittest.main()']}
# --- the program ---
def root(x):
    if x < 0:
        raise ValueError("negative")
    return x ** 0.5
