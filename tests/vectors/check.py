"""A second implementation of the capsule format, written from docs/format/ alone. With the packages of
requirements.txt it checks the vectors beside it, or with arguments the files that `counterfoil export` wrote."""
import base64, copy, decimal, hashlib, json, pathlib, sys
from blake3 import blake3
from nacl.signing import SigningKey, VerifyKey
def same(what, found, stated):
    if found != stated or type(found) is not type(stated):
        raise ValueError(f"{what} is {found!r}; stated is {stated!r}")

# JSON: strict in, canonical out (RFC 8785).
def parse(text):
    value = json.loads(text, parse_constant=int)
    same("JSON", jcs(value), text)  # A member that stands there twice is lost, and found here.
    return value
def jcs(value):
    if isinstance(value, dict):
        order = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(jcs(name) + ":" + jcs(value[name]) for name in order) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    if isinstance(value, float):
        number = decimal.Decimal(repr(value)).normalize()
        return format(number, "f" if -7 < number.adjusted() < 21 else "e") if value else "0"
    same("an integer beyond 2^53-1", isinstance(value, int) and abs(value) >= 2**53, False)
    return json.dumps(value, ensure_ascii=False)

def digest(context, data):
    return "blake3:" + blake3(data, derive_key_context="memory-capsule 2026-02-10 v1 " + context).hexdigest()
def leaves(value, path=""):
    if not value or not isinstance(value, (dict, list)):
        return [(path.encode(), jcs(value).encode())]
    names = value.items() if isinstance(value, dict) else enumerate(value)
    escaped = ((str(name).replace("~", "~0").replace("/", "~1"), inner) for name, inner in names)
    return sorted(leaf for name, inner in escaped for leaf in leaves(inner, path + "/" + name))
def field(salt, path, value):
    salt = bytes.fromhex(digest("field-salt", salt + path)[7:])[:16]
    leaf = hashlib.sha256(b"\0counterfoil/field/v1\n" + len(path).to_bytes(4, "big") + path + salt + value)
    return {"path": path.decode(), "salt": salt.hex(), "value": value.decode(), "leafHash": leaf.hexdigest()}
def root(hashes):
    split = 1 << (len(hashes) - 1).bit_length() >> 1
    return hashlib.sha256(b"\1" + root(hashes[:split]) + root(hashes[split:])).digest() if split else hashes[0]
def public_key(did):
    number = 0
    for character in did.removeprefix("did:key:z"):
        number = number * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".index(character)
    same("kind of key", number.to_bytes(34, "big")[:2], b"\xed\x01")
    return VerifyKey(number.to_bytes(34, "big")[2:])

# Deltas (delta.md).
def apply(document, operations):
    holder = {"": copy.deepcopy(document)}
    for operation in copy.deepcopy(operations):
        at, kind = holder, operation["op"]
        *way, last = [name.replace("~1", "/").replace("~0", "~") for name in operation["path"].split("/")]
        for name in way:
            at = at[int(name) if isinstance(at, list) else name]
        if isinstance(at, list):
            last = [str(index) for index in range(len(at) + 1)].index(last)
        if kind != "add":
            same("what stands at " + operation["path"], jcs(at[last]), jcs(operation["old"]))
        if kind == "remove":
            del at[last]
        elif kind == "add" and isinstance(at, list):
            at.insert(last, operation["value"])
        else:
            same("member to be added is there", kind == "add" and last in at, False)
            at[last] = operation["value"]
    return holder[""]
def invert(operations):
    other = {"add": "remove", "remove": "add", "value": "old", "old": "value"}
    turn = lambda name, value: (other.get(name, name), other.get(value, value) if name == "op" else value)
    return [dict(turn(*member) for member in operation.items()) for operation in reversed(operations)]

# Capsules (capsule.md, "Exported").
def body(head, name, member):
    """Takes a body with its salt out of the header that names it; None for what is erased."""
    salt = base64.b64decode(head.pop(name + "_salt", ""))
    text = jcs(head[name].pop(member)) if member in (head[name] or {}) else None
    named = {"hash": digest(name, salt + text.encode()), "size": len(text.encode())} if text else {}
    same(name, jcs((head[name] or {}) | named), jcs(head[name] or {}))
    return text, salt
def capsule(line, chains, keys):
    """Checks one capsule behind those before it, and gives what follows from it."""
    head = parse(line)
    signature, fields = base64.b64decode(head.pop("signature")), head.pop("fields")
    (payload, salt), (delta, delta_salt) = body(head, "payload", "state"), body(head, "delta", "ops")
    agent, ext, hashed = head["agent"], head.get("ext", {}), digest("capsule", jcs(head).encode())
    chain, number, kind = chains.setdefault((agent, head["chain"]), {}), ext.get("key", 0), ext.get("kind")
    world, content = base64.b64encode(head.get("world", "").encode()).decode(), json.loads(payload or "null")
    record = kind not in (None, "claim")
    entry = (("counterfoil/record/v1\nkind " + kind if record else "counterfoil/capsule/v1\nworld " + world)
             + f"\ncapsule {hashed}\ncontent {head['payload']['hash']} {head['payload']['size']}"
             + f"\nfields {fields['root']} {fields['count']}\n")
    out = head | {
        "salt": salt.hex(), "payload": payload, "payloadHash": head["payload"]["hash"], "content": content, "ext": ext,
        "kind": kind,
        "world": content, "record": {"kind": kind, "document": content}, "rollbackTo": ext.get("rollback_to"),
        "delta": delta, "deltaHash": None, "inverse": None, "fieldRoot": fields["root"], "fieldCount": fields["count"],
        "header": jcs(head), "capsuleHash": hashed, "entry": entry, "signature": signature.hex(), "key": number,
        "leafHash": hashlib.sha256(b"\0" + entry.encode()).hexdigest(), "exported": line,
        "signedHeader": jcs(head | {"signature": base64.b64encode(signature).decode()})}
    link = {"seq": 0, "previous": None, "delta": None, "mutation": None, "chain": head["id"]}
    if head["previous"]:
        before, out["deltaHash"], out["deltaSalt"] = chain[head["previous"]], head["delta"]["hash"], delta_salt.hex()
        same("a claim with another capsule in its chain", "claim" in (kind, before["kind"]), False)
        halves = bytes.fromhex(before["capsuleHash"][7:] + out["deltaHash"][7:])
        link = {"seq": before["seq"] + 1, "mutation": digest("mutation", halves)}
        same("order of time", head["timestamp"] > before["timestamp"], True)
        if payload and delta and before["payload"] and head["delta"]["format"] == "rev-json-patch/1":
            out["inverse"] = jcs(invert(parse(delta)))
            same("content by delta", jcs(apply(before["content"], parse(delta))), payload)
            same("content undone", jcs(apply(content, parse(out["inverse"]))), before["payload"])
    same("link", jcs(head | {"type": "memory_capsule", "version": "1"} | link), jcs(head))
    if payload:
        out["fields"] = [field(salt, *leaf) for leaf in leaves(content)]
        tree = root([bytes.fromhex(leaf["leafHash"]) for leaf in out["fields"]]).hex()
        same("fields", jcs({"count": len(out["fields"]), "root": "sha256:" + tree}), jcs(fields))
    if out["rollbackTo"] and payload and chain[out["rollbackTo"]]["payload"]:
        versions = out["content"], chain[out["rollbackTo"]]["content"]
        same("state", *(jcs(one | {"worldId": None, "createdAt": None}) for one in versions))
    same("agent", public_key(agent), keys.setdefault((agent, 0), public_key(agent)))
    keys[agent, number].verify(entry.encode(), signature)
    if kind == "key_rotation":
        keys[agent, content["number"]] = public_key(content["key"])
        same("next_key", digest("next-key", bytes(public_key(content["key"]))), before["ext"]["next_key"])
    chain[hashed] = out
    return out

def check(golden):
    """Checks capsules one behind the other, and all that is stated beside each."""
    chains, lines, seeds = {}, {}, [bytes.fromhex(seed) for seed in golden.get("seeds", [golden.get("seed")])]
    keys = {(golden.get("agent"), number): SigningKey(seed).verify_key for number, seed in enumerate(seeds)}
    for at, stated in enumerate(golden.get("capsules") or [golden]):
        out = capsule(stated["exported"], chains, keys)
        same("agent", golden.get("agent", out["agent"]), out["agent"])
        for name in stated.keys() & out.keys():
            same(name, out[name], stated[name])
        tag = out["ext"].get("line")
        if tag and out["kind"] == "claim" and out["payload"]:
            line = [out["content"]["data"][name] for name in ("subject", "predicate")]
            same("line of a tag", line, lines.setdefault((out["agent"], tag), line))
        if "recoverySeed" in golden:
            recovery = SigningKey(bytes.fromhex(golden["recoverySeed"])).verify_key
            same("recovery_key", out["ext"]["recovery_key"], digest("recovery-key", bytes(recovery)))
            same("next_key", out["ext"]["next_key"], digest("next-key", bytes(keys[out["agent"], at + 1])))
    return sum(map(len, chains.values()))

def main(files):
    for path in files or sorted(pathlib.Path(__file__).parent.glob("capsule/*.json")):
        text = pathlib.Path(path).read_text("utf-8")
        lines = {"seeds": [], "capsules": [{"exported": line} for line in text.removesuffix("\n").split("\n")]}
        print(path, end=": ", flush=True)
        print(check(lines if files else json.loads(text)), "capsules hold")

if __name__ == "__main__":
    main(sys.argv[1:])
