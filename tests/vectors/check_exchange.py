"""A second implementation of the request protocol's documents, written from docs/format/exchange.md alone: what is hashed,
what is signed, by whom, and to what it is bound. Checks the vectors in exchange/."""
import base64, hashlib, json, pathlib, sys
sys.dont_write_bytecode = True
from nacl.signing import SigningKey, VerifyKey
from check import jcs, parse, public_key, same

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
def base58(text):
    number = 0
    for character in text:
        number = number * 58 + BASE58.index(character)
    body = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return b"\0" * (len(text) - len(text.lstrip("1"))) + body
def sha(text, prefix=""):
    return hashlib.sha256((prefix + text).encode()).hexdigest()
def but(value, *names):
    return {name: inner for name, inner in value.items() if name not in names}

# Data Integrity, eddsa-jcs-2022 (vc-di-eddsa 3.3).
def proof(document, did, purpose, created, domain=None, challenge=None):
    """Checks the proof of a document by the key that it names, if it carries one."""
    if "proof" not in document:
        return False
    configuration = but(document["proof"], "proofValue")
    expected = {
        "type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "proofPurpose": purpose, "created": created,
        "verificationMethod": did + "#" + did.removeprefix("did:key:"), "domain": domain, "challenge": challenge}
    same("proof", jcs(configuration), jcs({name: value for name, value in expected.items() if value is not None}))
    hashed = [hashlib.sha256(jcs(part).encode()).digest() for part in (configuration, but(document, "proof"))]
    value = document["proof"]["proofValue"]
    same("proofValue", value[:1], "z")
    VerifyKey(bytes(public_key(did))).verify(b"".join(hashed), base58(value[1:]))
    return True

# What each document is bound to, and by whom it is signed.
def request_hash(document):
    return sha(jcs(but(document, "proof")), "counterfoil/exchange/v1 request\n")
def request(document):
    header, key = document["header"], document["requester"].get("public_key")
    signed = proof(document, key, "authentication", header["timestamp"], document["audience"], header["nonce"])
    same("a key without proof", key is not None, signed)
    return key
def answer(document, to):
    asker, header = request(to), document["header"]
    same("in_response_to", document["in_response_to"], request_hash(to))
    same("request_id", header["request_id"], to["header"]["request_id"])
    same("audience", document["audience"], asker or "*")
    key = document["responder"]["public_key"]
    same("proof", proof(document, key, "assertionMethod", header["timestamp"], asker or "*", to["header"]["nonce"]), True)
    return key
def response(document, to):
    key = answer(document, to)
    same("returned", document["meta"]["returned"], len(document["results"]))
    for result in document["results"]:
        attestation(result["attestation"], None)
        for inner in result.get("vouches", []):
            vouch(inner)
    return key
def result(document, to):
    same("attestation_id", document["attestation_id"], to["attestation_id"])
    same("checks", sorted(document["checks"]), sorted(to["checks_requested"]))
    return answer(document, to)
def claim_hash(document):
    return sha(jcs(document["claim"]), "counterfoil/exchange/v1 claim\n")
def attestation(document, hops):
    key = document.get("agent", {}).get("public_key")
    same("proof", proof(document, key, "assertionMethod", document.get("created_at")), key is not None)
    chain, before = document.get("provenance", {}).get("chain", []), None
    for at, hop in enumerate(chain):
        same("hop's claim", hop["claim"], claim_hash(document))
        same("hop before it", hop.get("previous"), sha(jcs(before)) if before else None)
        text = "counterfoil/exchange/v1 hop\n" + jcs(but(hop, "signature"))
        signature = base64.b64decode(hop["signature"], validate=True)
        VerifyKey(bytes(public_key(hop["agent"]))).verify(text.encode(), signature)
        same("hop signed again", SigningKey(hops[at]).sign(text.encode()).signature if hops else signature, signature)
        before = hop
    same("hops", len(hops or chain), len(chain))
    return key
def vouch(document):
    key = document["voucher"]["public_key"]
    same("proof", proof(document, key, "assertionMethod", document["created_at"]), True)
    public_key(document["subject"]["public_key"])
    return key
def revocation(document, of):
    key = document["voucher"]["public_key"]
    same("proof", proof(document, key, "assertionMethod", document["created_at"]), True)
    same("voucher", key, vouch(of))
    same("vouch", (document["vouch_id"], document["vouch_hash"]), (of["id"], sha(jcs(of))))
    return key
def capability(document):
    key = document["agent"]["public_key"]
    same("proof", proof(document, key, "assertionMethod", document["created_at"]), True)
    return key

def check(golden):
    """Checks one vector: the document, what it answers, and all that is stated beside it."""
    document = parse(golden["document"])
    same("version", document["version"], "1")
    to = parse(golden["request"]) if "request" in golden else None
    hops = [bytes.fromhex(seed) for seed in golden.get("hopSeeds", [])] or None
    kinds = {
        "memory_request": lambda: request(document), "memory_response": lambda: response(document, to),
        "memory_verify": lambda: request(document), "verify_result": lambda: result(document, to),
        "attestation": lambda: attestation(document, hops), "vouch": lambda: vouch(document),
        "vouch_revocation": lambda: revocation(document, parse(golden["vouch"])),
        "capability": lambda: capability(document)}
    key = kinds[document["type"]]()
    seed = golden.get("seed")
    same("seed", bytes(SigningKey(bytes.fromhex(seed)).verify_key) if seed else None, bytes(public_key(key)) if key else None)
    out = {"documentHash": sha(jcs(document))}
    if document["type"] == "attestation":
        out["claimHash"] = claim_hash(document)
    if to or document["type"] in ("memory_request", "memory_verify"):
        out["requestHash"] = request_hash(to or document)
    for name in ("documentHash", "claimHash", "requestHash"):
        if name in golden:
            same(name, out[name], golden[name])

def vectors():
    return sorted(pathlib.Path(__file__).parent.glob("exchange/*.json"))

def main():
    for path in vectors():
        check(json.loads(path.read_text("utf-8")))
    print(len(vectors()), "documents of the request protocol hold")

if __name__ == "__main__":
    main()
