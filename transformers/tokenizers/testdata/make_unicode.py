"""Writes ../unicode.txt, the properties of characters that Python's tokenizers uses.

Its parts follow different versions of Unicode, so the script asks the package itself. Run:

    build/venv/bin/python transformers/tokenizers/testdata/make_unicode.py
"""

import pathlib
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

ALL = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
lines = []


def write(name, items):
    line = name
    for item in items:
        if len(line) + 1 + len(item) > 116:
            lines.append(line)
            line = name
        line += " " + item
    lines.append(line)


def ranges(chars):
    out = []
    for c in sorted(map(ord, chars)):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return [f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in out]


def write_class(name, chars):
    write("class " + name, ranges(chars))


def removed(pattern):
    kept = set(normalizers.Replace(Regex(pattern), "").normalize_str("".join(ALL)))
    return {c for c in ALL if c not in kept}


def mapped(normalizer, sep):
    """The result of a normalizer for each character alone."""
    chars = [c for c in ALL if c != sep]
    parts = normalizer.normalize_str(sep.join(chars)).split(sep)
    assert len(parts) == len(chars), (len(parts), len(chars))
    return dict(zip(chars, parts, strict=True))


def text(s):
    return "+".join(f"{ord(c):x}" for c in s)


# Classes of regular expressions.
categories = {}
for gc in "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co".split():
    categories[gc] = removed(rf"\p{{{gc}}}")
    write_class(gc, categories[gc])
for script in "Han Hiragana Katakana Hangul Latin Greek Cyrillic Arabic Hebrew Thai Devanagari".split():
    write_class(script, removed(rf"\p{{{script}}}"))
space = removed(r"\s")
word = removed(r"\w")
assert removed(r"\d") == categories["Nd"]
write_class("regexword", word)
write_class("space", space)

# Classes of pre-tokenizers.
white = {c for c in ALL if len(pre_tokenizers.WhitespaceSplit().pre_tokenize_str("a" + c + "a")) == 2}
assert white == space, "is_whitespace"
numeric = {c for c in ALL if len(pre_tokenizers.Digits(True).pre_tokenize_str("a" + c)) == 2}
write_class("numeric", numeric)
whitespace = pre_tokenizers.Whitespace()
write_class("word", {c for c in ALL if len(whitespace.pre_tokenize_str("a" + c + "a")) == 1})
punctuation = pre_tokenizers.Punctuation("removed")
write_class("punct", {c for c in ALL if not punctuation.pre_tokenize_str(c)})

# Classes of normalizers.
clean = mapped(normalizers.BertNormalizer(True, False, False, False), "|")
assert {c for c, s in clean.items() if s == " "} == {c for c in white if clean[c]}
write_class("control", {c for c, s in clean.items() if s == "" and c not in "\0\ufffd"})
accents = mapped(normalizers.BertNormalizer(False, False, True, False), "|")
write_class("nonspacing", {c for c, s in accents.items() if s == ""})
strip = mapped(normalizers.StripAccents(), "|")
write_class("mark", {c for c, s in strip.items() if s == ""})

# Mappings of normalizers.
lower = mapped(normalizers.Lowercase(), "|")
write("lower", [f"{ord(c):x}={text(s)}" for c, s in lower.items() if c != s])
hangul = {chr(c) for c in range(0xAC00, 0xD7A4)}
nfd = mapped(normalizers.NFD(), "\x01")
write("nfd", [f"{ord(c):x}={text(s)}" for c, s in nfd.items() if c != s and c not in hangul])
nfkd = mapped(normalizers.NFKD(), "\x01")
write("nfkd", [f"{ord(c):x}={text(s)}" for c, s in nfkd.items() if nfd[c] != s])
nfc = normalizers.NFC()
pairs = []
for c in ALL:
    d = unicodedata.decomposition(c).split()
    if len(d) == 2 and not d[0].startswith("<") and c not in hangul:
        a, b = (chr(int(x, 16)) for x in d)
        if nfc.normalize_str(a + b) == c:
            pairs.append(f"{ord(c):x}={text(a + b)}")
write("compose", pairs)
order = {}
for c in ALL:
    if nfd.get(c, c) != c:
        continue
    # U+0334 has the lowest class of combining marks, 1, so it moves before the others.
    moved = normalizers.NFD().normalize_str("a" + c + "\u0334") == "a\u0334" + c and c != "\u0334"
    ccc = unicodedata.combining(c)
    assert not moved or ccc > 1, hex(ord(c))
    if moved or ccc == 1:
        order.setdefault(ccc, []).append(c)
for ccc in sorted(order):
    write(f"ccc {ccc}", ranges(order[ccc]))

out = pathlib.Path(__file__).parent.parent / "unicode.txt"
out.write_text("# Written by testdata/make_unicode.py.\n" + "\n".join(lines) + "\n")
