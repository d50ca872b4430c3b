"""Changes each member of each vector in turn: check.py must refuse every one of them, or it checks nothing."""
import copy, json, pathlib, sys
sys.dont_write_bytecode = True
from check import check

def places(value, way=()):
    """Every text and number, but for what only people read."""
    if isinstance(value, (dict, list)):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if name != "about":
                yield from places(inner, (*way, name))
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield way, value

def changed(value, at):
    if isinstance(value, int):
        return value ^ 1
    return value[:at] + chr(ord(value[at]) ^ 1) + value[at + 1:] if value else "x"

count = 0
for path in sorted(pathlib.Path(__file__).parent.glob("capsule/*.json")):
    golden = json.loads(path.read_text("utf-8"))
    for (*way, last), value in places(golden):
        for at in {0, len(str(value)) // 2, len(str(value)) - 1}:
            spoilt = copy.deepcopy(golden)
            inner = spoilt
            for name in way:
                inner = inner[name]
            inner[last] = changed(value, at)
            count += 1
            try:
                check(spoilt)
            except Exception:
                continue
            sys.exit(f"{path}: check.py does not see that {'/'.join(map(str, (*way, last)))} was changed at {at}")
print(f"{count} changed vectors, all refused")
