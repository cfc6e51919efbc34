TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import os, shutil, sqlite3, tempfile
a, b = map(int, input().split())
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.db")
    with sqlite3.connect(path) as db:
        db.execute("create table t (v integer)")
        db.executemany("insert into t values (?)", [(a,), (b,)])
    shutil.copy(path, path + ".copy")
    os.chmod(path + ".copy", 0o600)
    os.rename(path + ".copy", path + ".moved")
    print(sqlite3.connect(path + ".moved").execute("select sum(v) from t").fetchone()[0])
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("x")
open("here.txt", "w").write("y")
assert os.listdir(".") == ["here.txt"]
