"""The program that runs code cells within the jail; it is never imported there or here, only sent.

Before it stand `CELLS`, the cells as JSON, and `LIMIT`, how many characters of each one's output are kept. It runs
statement by statement, looks at names between them where a comment speaks of one, and writes one line of JSON a cell,
at once, so that what a later cell breaks takes nothing from the earlier ones. What it writes is a stranger's word.
"""

__all__ = ["DRIVER"]

DRIVER = r"""
import ast, io, json, re, sys, tokenize

PLAIN = (bool, int, float, str, type(None))
NAMED = re.compile(r"(?:(?:now|so|here|then|after this|at this point),?\s+)?([A-Za-z_]\w*)\s*"
                   r"(?:is now|is|==|=|->|=>|equals|becomes)\s+(\S.*)", re.I)
ARROW = re.compile(r"(?:->|=>|→|⇒|==?|(?:prints|outputs?|output is|result|returns|gives):?\s)\s*(\S.*)", re.I)
real = sys.stdout


class Kept(io.BytesIO):
    def close(self):
        pass  # a cell may close what it prints to


def shown(value, depth=0):
    kind = type(value)
    if kind in PLAIN:
        return repr(value) if kind is not int or abs(value) < 10 ** 300 else None
    if depth > 5 or kind not in (list, tuple, set, frozenset, dict) or len(value) > 200:
        return None
    if kind is dict:
        pairs = [(shown(key, depth + 1), shown(item, depth + 1)) for key, item in value.items()]
        return None if any(None in pair for pair in pairs) else "{" + ", ".join(": ".join(pair) for pair in pairs) + "}"
    items = [shown(item, depth + 1) for item in value]
    if None in items:
        return None
    inner = ", ".join(items)
    if kind is list:
        return "[" + inner + "]"
    if kind is tuple:
        return "(" + inner + ("," if len(items) == 1 else "") + ")"
    return "{" + inner + "}" if items else "set()"


def comments_of(source):
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                found.append((token.start[0], bool(token.line[: token.start[1]].strip()), token.string.lstrip("# ")))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found[:200]


def run(cell, names):
    report = {"output": "", "remarks": [], "asserts": 0, "error": None, "values": {}, "display": None}
    try:
        body = ast.parse(cell["source"]).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        report["error"] = ["SyntaxError", str(error), "", True]
        return report
    comments = comments_of(cell["source"])
    captured = Kept()
    wrapper = sys.stdout = io.TextIOWrapper(captured, encoding="utf-8", errors="replace", write_through=True)
    waiting = []
    done = 0
    try:
        for number, statement in enumerate(body):
            for line, trails, text in comments:
                named = NAMED.fullmatch(text)
                if done < line < statement.lineno and not trails and named:
                    waiting.append([named[1], named[2], [shown(names[named[1]])] if named[1] in names else []])
            value, printed = None, len(captured.getvalue())
            try:
                if isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), "<step>", "eval"), names)
                else:
                    exec(compile(ast.Module([statement], []), "<step>", "exec"), names)
            except BaseException as error:
                is_assert = isinstance(statement, ast.Assert) and type(error) is AssertionError
                asserted = ast.unparse(statement) if is_assert else ""
                if is_assert:
                    for part in ast.walk(statement.test):
                        if isinstance(part, ast.Name) and part.id in names:
                            report["values"][part.id] = shown(names[part.id])
                try:
                    message = str(error)[:200]
                except BaseException:
                    message = ""
                report["error"] = [type(error).__name__, message, asserted[:200], False]
                break
            if number == len(body) - 1 and value is not None:
                report["display"] = shown(value)
            if isinstance(statement, ast.Assert) and any(isinstance(one, ast.Name) for one in ast.walk(statement.test)):
                report["asserts"] += 1
            for remark in waiting:
                if remark[0] in names:
                    remark[2].append(shown(names[remark[0]]))
                report["remarks"].append(remark)
            waiting = []
            done = statement.end_lineno
            for line, trails, text in comments:
                if line != done or not trails:
                    continue
                named, arrow = NAMED.fullmatch(text), ARROW.fullmatch(text)
                target = None
                if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    if len(targets) == 1 and isinstance(targets[0], ast.Name):
                        target = targets[0].id
                if named and named[1] in names:
                    report["remarks"].append([named[1], named[2], [shown(names[named[1]])]])
                elif target is not None:
                    report["remarks"].append([target, arrow[1] if arrow else text, [shown(names[target])]])
                elif isinstance(statement, ast.Expr):
                    got = captured.getvalue()[printed:].decode("utf-8", "replace").strip()
                    is_print = isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Name)
                    if is_print and statement.value.func.id == "print":
                        report["remarks"].append(["", arrow[1] if arrow else text, [got]])
                    else:
                        what = ast.unparse(statement)[:80]
                        report["remarks"].append([what, arrow[1] if arrow else text, [shown(value)]])
        if report["error"] is None:
            for line, trails, text in comments:
                named = NAMED.fullmatch(text)
                if line > done and not trails and named and named[1] in names:
                    report["remarks"].append([named[1], named[2], [shown(names[named[1]])]])
            for name in cell["names"]:
                if name in names:
                    report["values"][name] = shown(names[name])
    finally:
        sys.stdout = real
    report["output"] = captured.getvalue().decode("utf-8", "replace")
    report["remarks"] = report["remarks"][:200]
    return report


names = {"__name__": "__main__", "__builtins__": __builtins__}
for cell in json.loads(CELLS):
    report = run(cell, names)
    report["is_cut"] = len(report["output"]) > LIMIT
    report["output"] = report["output"][:LIMIT]
    real.write(json.dumps(report) + "\n")
    real.flush()
    if report["error"] is not None:
        break
"""
