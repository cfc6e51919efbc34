TARGET = {
    "prompt": "import math\n\ndef poly(xs, x):\n    return sum(c * math.pow(x, i) for i, c in enumerate(xs))\n\ndef find_zero(xs):\n    'A zero of it.'\n",
    "entry_point": "find_zero",
    "test": "def check(candidate):\n    for xs in ([1, 2], [-6, 11, -6, 1]):\n        assert abs(poly(xs, candidate(xs))) < 1e-4\n",
}
# --- the program ---
    lo, hi = -1.0, 1.0
    while poly(xs, lo) * poly(xs, hi) > 0:
        lo, hi = lo * 2, hi * 2
    while hi - lo > 1e-10:
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if poly(xs, lo) * poly(xs, mid) > 0 else (lo, mid)
    return lo
