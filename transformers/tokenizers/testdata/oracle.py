"""Encodes and decodes texts with Python's tokenizers.

Reads {name: {"tokenizer": path, "texts": [...], "pairs": [[a, b], ...], "max_length": n}} from its input and writes
{name: [encoding, ...]} to its output. "lines": n in place of "texts" means n lines of real text, which the result
then has as "input". The result for a pattern that Oniguruma refuses is null.
"""

import json
import pathlib
import random
import sys
import sysconfig
import unicodedata

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream


def real_lines(count):
    """Lines of the corpus, of Python's library and of the names of characters, in a fixed order."""
    rng = random.Random(38)
    corpus = (pathlib.Path(__file__).parent / "corpus.txt").read_text().splitlines()
    words = [w for line in corpus for w in line.split()]
    source = []
    for path in sorted(pathlib.Path(sysconfig.get_path("stdlib")).glob("*.py"))[:60]:
        source += [line for line in path.read_text(errors="replace").splitlines() if line]
    letters = [chr(c) for c in range(0x21, 0x1FBCA) if unicodedata.category(chr(c)) not in ("Cs", "Co", "Cn")]
    lines = list(corpus)
    while len(lines) < count:
        kind = len(lines) % 5
        if kind == 0:
            lines.append(" ".join(rng.choices(words, k=rng.randint(3, 30))))
        elif kind == 1:
            lines.append("\n".join(rng.choices(source, k=rng.randint(1, 4))))
        elif kind == 2:
            lines.append("".join(rng.choices(letters, k=12)) + " " + unicodedata.name(rng.choice(letters), "?").lower())
        elif kind == 3:
            line = rng.choice(corpus)
            i = rng.randrange(len(line))
            lines.append(line[i:] + rng.choice([" ", "  ", "\t", "\n\n", "", "\u00a0", "\u200d"]) + line[:i])
        else:
            lines.append("".join(rng.choice(rng.choice(corpus)) for _ in range(rng.randint(5, 60))))
    return lines[:count]


def result(tok, e):
    stream = DecodeStream([], False)
    steps = []
    try:
        for i in e.ids:
            steps.append(stream.step(tok, i) or "")
    except Exception as err:
        if "Invalid prefix" not in str(err):
            raise
        steps = None
    return {
        "ids": e.ids, "types": e.type_ids, "mask": e.attention_mask, "special": e.special_tokens_mask,
        "tokens": e.tokens, "offsets": e.offsets, "words": [-1 if w is None else w for w in e.word_ids],
        "text": tok.decode(e.ids), "all": tok.decode(e.ids, skip_special_tokens=False),
        "stream": None if steps is None else "".join(steps),
    }


out = {}
for name, row in json.load(sys.stdin).items():
    try:
        tok = Tokenizer.from_str(row["json"]) if "json" in row else Tokenizer.from_file(row["tokenizer"])
    except Exception as err:
        if "Oniguruma" not in str(err):
            raise
        out[name] = None
        continue
    if "max_length" in row:
        tok.enable_truncation(row["max_length"], direction=row.get("side", "right"))
    lines = real_lines(row["lines"]) if "lines" in row else row.get("texts", [])
    results = []
    for a, b in [(t, None) for t in lines] + row.get("pairs", []):
        special = row.get("special", True)
        e = tok.encode(a, b, add_special_tokens=special) if b is not None else tok.encode(a, add_special_tokens=special)
        results.append(result(tok, e))
        if "lines" in row:
            results[-1]["input"] = a
    out[name] = results
json.dump(out, sys.stdout, ensure_ascii=False)
