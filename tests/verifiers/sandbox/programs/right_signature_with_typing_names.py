TARGET = {'fn_name': 'keep', 'cases': [{'args': [[[2, 1], []]], 'expected': {'0': [1, 2], '1': []}}]}
# --- the program ---
class Solution:
    def keep(self, rows: List[List[int]], key: Optional[Callable[[int], bool]] = None) -> Dict[int, List[int]]:
        return {i: sorted(row) for i, row in enumerate(rows)}
