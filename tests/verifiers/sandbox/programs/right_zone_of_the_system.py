TARGET = {'inputs': ['0'], 'outputs': ['1970-01-01T00:00:00+00:00']}
# --- the program ---
from datetime import datetime
from zoneinfo import ZoneInfo
moment = datetime.fromtimestamp(int(input()), ZoneInfo("UTC"))
print(moment.isoformat())
