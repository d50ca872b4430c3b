"""A second implementation of the map beside the log, written from docs/format/standing.md alone: keys, roots and lookups. Checks
the vectors in map/."""
import base64, functools, hashlib, json, pathlib, sys
sys.dont_write_bytecode = True
from check import same

EMPTY = bytes(32)

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def key(context, fields):
    texts = [text.encode() for text in (context, *fields)]
    return sha(*(part for text in texts for part in (len(text).to_bytes(4, "big"), text)))

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

def check(golden):
    same("type", golden["type"], "map")
    for map in golden["maps"]:
        same("root", numbered(map["keys"]).hex(), map["root"])
        for asked in map["lookups"]:
            same("key", key(asked["context"], asked["fields"]).hex(), asked["key"])
            number = int(asked["fields"][0].removeprefix("world-"))
            value = lookup(asked["lookup"], bytes.fromhex(asked["key"]), bytes.fromhex(map["root"]))
            same("value", value, f"value {number}" if number < map["keys"] else None)

def vectors():
    return sorted(pathlib.Path(__file__).parent.glob("map/*.json"))

if __name__ == "__main__":
    for path in vectors():
        check(json.loads(path.read_text("utf-8")))
    print(len(vectors()), "files of maps hold")
