"""A second implementation of the map beside the log, written from docs/format/standing.md alone: keys, roots and lookups. Checks
the vectors in map/."""
import base64, functools, hashlib, json, pathlib, sys
sys.dont_write_bytecode = True
from check import digest, same

EMPTY = bytes(32)

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def framed(texts):
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)

def key(context, fields):
    return sha(framed([context.encode(), *(field if isinstance(field, bytes) else field.encode() for field in fields)]))

def bit(key, at):
    return key[at // 8] >> (7 - at % 8) & 1

def leaf(key, value_hash):
    return sha(b"\x02", key, value_hash)

def root(pairs, depth=0):
    if not pairs:
        return EMPTY
    if len(pairs) == 1:
        return leaf(*pairs[0])
    sides = [[pair for pair in pairs if bit(pair[0], depth) == side] for side in (0, 1)]
    return sha(b"\x03", root(sides[0], depth + 1), root(sides[1], depth + 1))

def decoded(text):
    data = base64.b64decode(text, validate=True)
    same("base64", base64.b64encode(data).decode(), text)
    return data

def lookup(document, key, root):
    """Checks a lookup; gives back the value, or None for a key that is absent."""
    same("members", set(document) <= {"siblings", "value", "other"}, True)
    data = decoded(document["siblings"])
    same("siblings", (len(data) % 32, len(data) <= 256 * 32), (0, True))
    siblings = [data[at:at + 32] for at in range(0, len(data), 32)]
    depth, place = len(siblings), EMPTY
    if "value" in document:
        same("value", ("other" in document, len(document["value"].encode()) <= 512), (False, True))
        place = leaf(key, sha(document["value"].encode()))
    elif "other" in document:
        other = decoded(document["other"])
        same("other", (len(other), other[:32] != key), (64, True))
        same("other", [bit(other, at) for at in range(depth)], [bit(key, at) for at in range(depth)])
        place = leaf(other[:32], other[32:])
    for at, sibling in zip(reversed(range(depth)), siblings):
        place = sha(b"\x03", *((sibling, place) if bit(key, at) else (place, sibling)))
    same("root", place, root)
    return document.get("value")

@functools.cache
def numbered(count):
    return root([(key("memory", [f"world-{number}"]), sha(f"value {number}".encode())) for number in range(count)])

def line(given):
    """Makes the tag of a line of claims and the value of its units (claims.md 9, standing.md 5), and looks the value up."""
    names = [given[name].encode() for name in ("subject", "predicate")]
    tag = digest("line", bytes.fromhex(given["secret"]) + framed(names))
    same("tag", tag, given["tag"])
    place = key("line", [given["agent"], bytes.fromhex(tag.removeprefix("blake3:"))])
    same("key", place.hex(), given["key"])
    units = given["units"]
    value = "counterfoil/map/line/v1\ncount {}\nlast {} {}\n".format(*units) if units else None
    return place, value

def check(golden):
    same("type", golden["type"], "map")
    for map in golden["maps"]:
        same("root", numbered(map["keys"]).hex(), map["root"])
        for asked in map["lookups"]:
            same("key", key(asked["context"], asked["fields"]).hex(), asked["key"])
            number = int(asked["fields"][0].removeprefix("world-"))
            value = lookup(asked["lookup"], bytes.fromhex(asked["key"]), bytes.fromhex(map["root"]))
            same("value", value, f"value {number}" if number < map["keys"] else None)

    lines = [line(given) for given in golden["lines"]]
    of_lines = root([(place, sha(value.encode())) for place, value in lines if value])
    for (place, value), given in zip(lines, golden["lines"]):
        same("value", lookup(given["lookup"], place, of_lines), value)

def vectors():
    return sorted(pathlib.Path(__file__).parent.glob("map/*.json"))

if __name__ == "__main__":
    for path in vectors():
        check(json.loads(path.read_text("utf-8")))
    print(len(vectors()), "files of maps hold")
