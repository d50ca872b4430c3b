"""Changes each member of each vector in turn: the check*.py must refuse every one of them, or they check nothing."""
import copy, json, pathlib, sys
sys.dont_write_bytecode = True
import check, check_envelope, check_exchange, check_map, check_proof

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

def refused(path, golden, way, at, reads):
    spoilt = inner = copy.deepcopy(golden)
    for name in way[:-1]:
        inner = inner[name]
    inner[way[-1]] = changed(inner[way[-1]], at)
    try:
        reads(spoilt)
    except Exception:
        return 1
    sys.exit(f"{path}: nobody sees that {'/'.join(map(str, way))} was changed at {at}")

count = 0
for path in sorted(pathlib.Path(__file__).parent.glob("capsule/*.json")):
    golden = json.loads(path.read_text("utf-8"))
    for way, value in places(golden):
        for at in {0, len(str(value)) // 2, len(str(value)) - 1}:
            count += refused(path, golden, way, at, check.check)
for path in check_exchange.vectors():
    golden = json.loads(path.read_text("utf-8"))
    for way, value in places(golden):
        for at in {0, len(str(value)) // 2, len(str(value)) - 1}:
            count += refused(path, golden, way, at, check_exchange.check)
    if "seed" in golden:
        # Each letter of what is signed, with nothing beside it that tells its hash.
        bare = {name: golden[name] for name in golden if not name.endswith("Hash")}
        for at in range(len(golden["document"])):
            count += refused(path, bare, ("document",), at, check_exchange.check)
for path in check_envelope.vectors():
    golden = json.loads(path.read_text("utf-8"))
    bare = {name: golden[name] for name in golden if name != "proposalHash"}
    for way, value in places(golden):
        for at in {0, len(str(value)) // 2, len(str(value)) - 1}:
            count += refused(path, golden, way, at, check_envelope.check)
    for at in range(len(golden["document"])):
        count += refused(path, bare, ("document",), at, check_envelope.check)
for path in check_map.vectors():
    golden = json.loads(path.read_text("utf-8"))
    for way, value in places(golden):
        for at in {0, len(str(value)) // 2, len(str(value)) - 1}:
            count += refused(path, golden, way, at, check_map.check)
for golden in check_proof.vectors():
    for way, value in places(golden):
        # Of the entry the field root counts here; log and agent answer for the rest.
        start = value.index("fields sha256:") + 14 if way[-1] == "entry" else 0
        end = start + 64 if start else len(value)
        for at in {start, (start + end) // 2, end - 1}:
            count += refused(golden["about"], golden, way, at, check_proof.check)
print(f"{count} changed vectors, all refused")
