"""A second implementation of disclosed fields, written from docs/format/proof.md alone: what a proof shows of a content. Checks the vectors
in proof/ and the example of that page."""
import base64, hashlib, json, pathlib, re, sys
sys.dont_write_bytecode = True
from check import jcs, parse, same

def unbase64(text, length):
    data = base64.b64decode(text, validate=True)
    same("base64", (base64.b64encode(data).decode(), len(data)), (text, length))
    return data

def closed(what, value, *members):
    same("members of " + what, sorted(value), sorted(members))

def disclosed(entry, member):
    """The fields that the member shows, which must lead to the field root of the entry."""
    stated = re.fullmatch("fields sha256:([0-9a-f]{64}) (0|[1-9][0-9]*)", entry.split("\n")[4])
    closed("disclosed", member, "fields", "hashes")
    hashes = [unbase64(text, 32) for text in member["hashes"]]
    shown = []
    for field in member["fields"]:
        closed("a field", field, "index", "path", "salt", "value")
        same("index", str(int(field["index"])), field["index"])
        same("path", bool(re.fullmatch("(/([^~]|~[01])*)?", field["path"], re.S)), True)
        value = parse(field["value"])
        same("leaf", isinstance(value, (dict, list)) and len(value) > 0, False)
        path, salt = field["path"].encode(), unbase64(field["salt"], 16)
        leaf = b"\0counterfoil/field/v1\n" + len(path).to_bytes(4, "big") + path + salt + field["value"].encode()
        shown.append((int(field["index"]), path, hashlib.sha256(leaf).digest()))
    same("fields", len(shown) > 0, True)
    same("order", all(a[0] < b[0] and a[1] < b[1] for a, b in zip(shown, shown[1:])), True)

    def root(begin, end):
        inner = [leaf for index, _, leaf in shown if begin <= index < end]
        if not inner:
            return hashes.pop(0)
        if end - begin == 1:
            return inner[0]
        middle = begin + (1 << (end - begin - 1).bit_length() >> 1)
        return hashlib.sha256(b"\1" + root(begin, middle) + root(middle, end)).digest()
    same("an index beyond the tree", shown[-1][0] < int(stated[2]), True)
    same("field root", root(0, int(stated[2])).hex(), stated[1])
    same("hashes left over", hashes, [])
    return {path.decode() for _, path, _ in shown}

def check(golden):
    closed("a vector", golden, "about", "proof")
    disclosed(golden["proof"]["entry"], golden["proof"]["disclosed"])

def vectors():
    found = json.loads((pathlib.Path(__file__).parent / "proof/disclosed-v1.json").read_text("utf-8"))
    page = (pathlib.Path(__file__).parents[2] / "docs/format/proof.md").read_text("utf-8")
    example = next(json.loads(text) for text in re.findall("```json\n(.*?)```", page, re.S) if '"method"' in text)
    return found + [{"about": "the example", "proof": {name: example["proof"][name] for name in ("entry", "disclosed")}}]

if __name__ == "__main__":
    for golden in vectors():
        check(golden)
    print(len(vectors()), "disclosures hold")
