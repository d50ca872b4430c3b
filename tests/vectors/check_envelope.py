"""A second implementation of the envelope of a proposal, written from docs/format/envelope.md alone: what is signed, by whom,
for whom and under which nonce. Checks the vectors in envelope/."""
import json, pathlib, re, sys
sys.dont_write_bytecode = True
from datetime import datetime, timezone
from nacl.signing import SigningKey
from check import jcs, parse, public_key, same
from check_exchange import but, proof, sha

def envelope(document, audience):
    """Checks the envelope of a proposal for the authority of a name; gives back the key and the nonce."""
    same("proof", type(document["proof"]), dict)
    key, _, again = document["proof"]["verificationMethod"].partition("#")
    same("verificationMethod", "did:key:" + again, key)
    if document["actor"]["actorId"].startswith("did:"):
        same("actor", document["actor"]["actorId"], key)
    nonce = document["proof"]["challenge"]
    same("nonce", bool(re.fullmatch("[A-Za-z0-9_-]{22,128}", nonce)), True)
    at = datetime.fromtimestamp(document["submittedAt"] // 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    created = f"{at}.{document['submittedAt'] % 1000:03}000Z"
    same("proof", proof(document, key, "authentication", created, audience, nonce), True)
    return key, nonce

def check(golden):
    document = parse(golden["document"])
    key, nonce = envelope(document, golden["audience"])
    same("nonce", nonce, golden["nonce"])
    same("seed", bytes(SigningKey(bytes.fromhex(golden["seed"])).verify_key), bytes(public_key(key)))
    same("proposalHash", sha(jcs(but(document, "proof"))), golden["proposalHash"])

def vectors():
    return sorted(pathlib.Path(__file__).parent.glob("envelope/*.json"))

if __name__ == "__main__":
    for path in vectors():
        check(json.loads(path.read_text("utf-8")))
    print(len(vectors()), "envelopes of proposals hold")
