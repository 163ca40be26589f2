"""Writes goldens.json: texts with the tokens of Hugging Face's tokenizers, and for some the
vectors of transformers' BertModel, each text alone, as sentence-transformers pools them.

    pip install torch==2.11.0 tokenizers==0.23.3 transformers==5.23.0
    python make_goldens.py "$(../../../scripts/get_minilm.sh)" > goldens.json
"""

import json
import random
import sys

import torch
from tokenizers import Tokenizer
from transformers import BertModel

# Texts of many kinds. Their characters are all in Unicode 8, because the tables of Hugging
# Face's tokenizers are not newer.
# fmt: off
TEXTS = [
    "",
    ' ',
    '\t\n',
    "Hello, world!",
    "The quick brown fox jumps over the lazy dog.",
    "don't can't won't I'm you're",
    'naïve café résumé Ünïcödé ÀÉÎÕÜ',
    'ÅNGSTRÖM İstanbul ıslak ẞtraße STRASSE ﬁne ﬂuffy',
    '你好，世界！',
    '日本語のテキストです。東京タワー',
    '한국어 문장입니다',
    'مرحبا بالعالم',
    'שלום עולם',
    'Привет, мир! Ёлка й',
    'Γειά σου Κόσμε ΌΣΟΣ',
    'हिन्दी में वाक्य',
    'ไทยภาษา',
    '😀😃 emoji 👨\u200d👩\u200d👧\u200d👦 🇩🇪 ❤️ 👍🏽',
    'áé combining',
    '\u200bzero\u200bwidth\u200d',
    'tabs\tand\nnew\r\nlines',
    '\xa0nbsp\u3000ideographic',
    "[CLS] [SEP] [MASK] [UNK] [PAD]",
    "[mask] (mask) [MASK]x",
    "x[SEP]y",
    "[ MASK ]",
    "http://example.com/a?b=c&d=e#f user@example.org",
    '1,234.56 $99.99 50% 3/4 ½ ² ³ №5 ™ ® ©',
    "C++ C# F# .NET go1.26.0 x_y_z snake_case camelCase",
    "a" * 150,
    "b" * 100,
    "c" * 101,
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "...!!!???---",
    '“quotes” ‘single’ «guillemets» — – …',
    "$ + < = > ^ ` | ~",
    '\x00null\x01ctrl\x7f',
    '� replacement',
    '\ufeffbom',
    'mixed漢字andenglish混在',
    'ｆｕｌｌｗｉｄｔｈ ＴＥＸＴ １２３',
    '𝓯𝓪𝓷𝓬𝔂 𝐛𝐨𝐥𝐝',
    'ǅ ǆ Ǆ ŉ',
    'Việt Nam Hà Nội',
    'ç Ç ñ Ñ ø Ø ł Ł đ Đ æ Æ œ Œ',
    'ä̈ ä̈',
    '𠀀𪛖 ext b',
    '㐀㐁',
    '\u2028line\u2029para',
    'soft\xadhyphen',
    "'",
    '"',
    "''",
    "a'b'c",
    "--",
    "e.g. i.e. U.S.A.",
    "1st 2nd 3rd 4th",
    "under_score __init__",
    '١٢٣ ４５６',
    '🏳️\u200d🌈🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f',
    'ﷺ',
    'İ',
    'ß',
    'K Å ℃',
    'ｶﾞ',
    'が',
    '가각',
    '가',
    "word " * 300,
    "Long: " + "The committee approved the annual budget after a lengthy debate over infrastructure. " * 40,
]
# fmt: on
WORDS = (
    "search engine vector database neural network training gradient café naïve Zürich København 東京 "
    "Moscow Москва data-driven state-of-the-art COVID-19 iPhone 12 $5 u.s. e-mail don't it's O'Neil "
    "3.14 100% a/b C++ 😀 ❤️ transformer attention is all you need unbelievable "
    "antidisestablishmentarianism flibbertigibbet qwxzjk Σίσυφος"
).split()
RANGES = [
    (0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x400), (0x400, 0x480), (0x590, 0x5EB),
    (0x620, 0x6FF), (0x904, 0x978), (0xE00, 0xE60), (0x2000, 0x2070), (0x20A0, 0x20BE),
    (0x2190, 0x2200), (0x3000, 0x3100), (0x4E00, 0x4E80), (0xAC00, 0xAC50), (0xFF00, 0xFF60),
    (0x1F600, 0x1F640),
]  # fmt: skip
# The indices of the texts whose vectors are compared.
WITH_VECTORS = [0, 3, 4, 6, 8, 9, 13, 17, 26, 28, -2, -1]


def main():
    random.seed(1)
    folder = sys.argv[1]
    texts = list(TEXTS)
    for _ in range(120):
        texts.append(" ".join(random.choice(WORDS) for _ in range(random.randint(1, 25))))
    letters = [chr(c) for first, end in RANGES for c in range(first, end)]
    for _ in range(160):
        texts.append("".join(random.choice(letters) for _ in range(random.randint(1, 30))))

    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    model = BertModel.from_pretrained(folder, dtype=torch.float32).eval()
    cases = [{"text": t, "tokens": tokenizer.encode(t).ids} for t in texts]
    with torch.inference_mode():
        for i in WITH_VECTORS:
            case = cases[i if i >= 0 else len(TEXTS) + i]
            x = model(torch.tensor([case["tokens"]])).last_hidden_state.mean(1)
            x = torch.nn.functional.normalize(x)[0]
            case["vector"] = [round(v, 8) for v in x.tolist()]
    print("[")
    print(",\n".join(json.dumps(c, ensure_ascii=True, separators=(",", ":")) for c in cases))
    print("]")


if __name__ == "__main__":
    main()
