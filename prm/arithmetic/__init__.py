"""The equalities of a text: found, read, computed, and judged by what a careful reader could hold for right."""
