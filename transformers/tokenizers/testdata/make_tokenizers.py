"""Writes the tokenizers of the tests. It needs the package sentencepiece, too. Run:

    build/venv/bin/python transformers/tokenizers/testdata/make_tokenizers.py
"""

import base64
import json
import pathlib
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).parent
CORPUS = [line.replace("\\n", "\n") for line in (HERE / "corpus.txt").read_text().splitlines()]
CORPUS += [(HERE / name).read_text() for name in ("make_unicode.py", "make_tokenizers.py", "../doc.go", "../load.go")]
CORPUS += [(HERE.parent.parent.parent / name).read_text() for name in ("LICENSE", "README.md")]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
])
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
DEEPSEEK = [
    r"[\r\n]", r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ]+",
    r"\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\s+$", r"[一-龥ࠀ-一가-퟿]+",
]
BYTES = pre_tokenizers.ByteLevel.alphabet()


def save(name, tok, edit=None):
    doc = json.loads(tok.to_str())
    if edit:
        edit(doc)
    text = json.dumps(doc, ensure_ascii=False, separators=(",", ":"))
    Tokenizer.from_str(text)
    (HERE / f"{name}.json").write_text(text + "\n")


def bpe(size, special=(), alphabet=BYTES, **options):
    return trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False, **options
    )


def template(bos, eos, tok):
    ids = [(t, tok.token_to_id(t)) for t in {bos, eos}]
    return processors.TemplateProcessing(
        single=f"{bos} $A {eos}", pair=f"{bos} $A {eos} $B:1 {eos}:1", special_tokens=ids
    )


def byte_level(name, pre, normalizer=None, post=None, special=("<|endoftext|>",), edit=None, size=1500):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer, tok.decoder = pre, decoders.ByteLevel()
    if normalizer:
        tok.normalizer = normalizer
    tok.train_from_iterator(CORPUS, bpe(size, special))
    if post:
        tok.post_processor = post(tok)
    tok.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("naïve", single_word=True)])
    tok.add_special_tokens([AddedToken("<mask>", lstrip=True), AddedToken("<r>", rstrip=True)])
    save(name, tok, edit)


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def seq(*parts):
    return pre_tokenizers.Sequence(list(parts))


plain = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
byte_level("gpt2", pre_tokenizers.ByteLevel(add_prefix_space=False),
post=lambda t: processors.ByteLevel(trim_offsets=True))
byte_level(
    "roberta", pre_tokenizers.ByteLevel(add_prefix_space=True), special=("<s>", "</s>"),
    post=lambda t: processors.RobertaProcessing(("</s>", 1), ("<s>", 0), trim_offsets=True, add_prefix_space=True),
)
byte_level(
    "llama3", seq(split(LLAMA3), plain), special=("<|begin_of_text|>", "<|eot_id|>"),
    post=lambda t: processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), template("<|begin_of_text|>", "<|eot_id|>", t)]
    ),
    edit=lambda d: d["model"].update(ignore_merges=True),
)
byte_level("qwen2", seq(split(QWEN2), plain), normalizers.NFC())
byte_level("o200k", seq(split(O200K), plain))
byte_level("deepseek", seq(*map(split, DEEPSEEK), pre_tokenizers.Digits(True), plain))
byte_level("smollm", seq(pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)))
byte_level("bytes_first", seq(pre_tokenizers.ByteLevel(), pre_tokenizers.Punctuation("merged_with_next")))
byte_level(
    "bytes_normalizer", pre_tokenizers.Split("Ġ", "merged_with_next"),
    normalizers.Sequence([normalizers.Nmt(), normalizers.Strip(), normalizers.ByteLevel()]), special=(),
)

tok = Tokenizer(models.BPE(unk_token="<unk>"))
tok.normalizer = normalizers.Sequence(
    [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
)
tok.pre_tokenizer = seq(split(CLIP, "removed", True), pre_tokenizers.ByteLevel(add_prefix_space=False))
tok.decoder = decoders.BPEDecoder(suffix="</w>")
tok.train_from_iterator(CORPUS, bpe(1500, ["<s>", "</s>", "<unk>"], end_of_word_suffix="</w>"))
tok.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), trim_offsets=False, add_prefix_space=False)
save("clip", tok)

tok = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
tok.decoder = decoders.Sequence(
    [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
)
special = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
tok.train_from_iterator(
    [w for line in CORPUS for w in line.replace(" ", " ▁").split(" ")], bpe(1200, special, [], limit_alphabet=150)
)
tok.post_processor = template("<s>", "</s>", tok)
save("llama2", tok)

tok = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=False, continuing_subword_prefix="##"))
tok.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tok.decoder = decoders.WordPiece(prefix="##")
tok.train_from_iterator(CORPUS, bpe(900, ["<unk>"], [], continuing_subword_prefix="##", limit_alphabet=60))
tok.enable_truncation(20)
tok.enable_padding(direction="left", pad_id=0, pad_token="<unk>", pad_to_multiple_of=8)
save("prefix", tok)

for name, lower in ("bert", True), ("bert_cased", False):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=30))
    tok.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tok.train_from_iterator(
        CORPUS, trainers.WordPieceTrainer(vocab_size=1500, special_tokens=special, show_progress=False,
        limit_alphabet=300)
    )
    tok.post_processor = template("[CLS]", "[SEP]", tok) if lower else processors.BertProcessing(("[SEP]", 3),
    ("[CLS]", 2))
    if lower:
        tok.enable_truncation(32, strategy="longest_first")
        tok.enable_padding(length=None, pad_id=0, pad_token="[PAD]")
    tok.add_tokens(["Fuchs", "Größe"])
    save(name, tok)


def unigram(normalizer, pre, size=1200):
    tok = Tokenizer(models.Unigram())
    tok.normalizer, tok.pre_tokenizer, tok.decoder = normalizer, pre, decoders.Metaspace()
    tok.train_from_iterator(
        CORPUS,
        trainers.UnigramTrainer(
            vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False
        ),
    )
    tok.post_processor = template("<s>", "</s>", tok)
    return tok


def byte_fallback(doc):
    doc["model"]["byte_fallback"] = True
    kept = [v for v in doc["model"]["vocab"] if len(v[0]) > 1 or v[0] < "\u0250"]
    doc["model"]["vocab"] = kept + [[f"<0x{b:02X}>", -20.0] for b in range(256)]


tok = unigram(
    normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "),
    normalizers.Strip(right=False)]),
    pre_tokenizers.Metaspace(),
)
save("unigram", tok)
tok = unigram(normalizers.NFD(), pre_tokenizers.Metaspace(prepend_scheme="first"), 1000)
tok.add_special_tokens(["<extra>"])
tok.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first")])
save("unigram_bytes", tok, byte_fallback)

with tempfile.TemporaryDirectory() as d:
    rules = [
        "41\t61", "C4\t61 65", "FB01\t66 69", "2460\t31", "3000\t20", "AD\t", "65 301\tE9", "FF21\t41 42 43", "200B\t",
        "1F1E9\t44", "E01 E33\tE33", "D A\tA", "9\t20",
    ]
    pathlib.Path(d, "rules.tsv").write_text("\n".join(rules) + "\n")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_prefix=f"{d}/m", vocab_size=600, hard_vocab_limit=False,
        normalization_rule_tsv=f"{d}/rules.tsv", character_coverage=0.99, minloglevel=2,
    )
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(pathlib.Path(d, "m.model").read_bytes())
tok = Tokenizer(models.Unigram([(p.piece, p.score) for p in proto.pieces], 0))
charsmap = base64.b64encode(proto.normalizer_spec.precompiled_charsmap)
tok.normalizer = normalizers.Precompiled(base64.b64decode(charsmap))
tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
tok.decoder = decoders.Metaspace()
save("xlmr", tok)


def words(name, pre, decoder=None, unk="[UNK]"):
    tok = Tokenizer(models.WordLevel(unk_token=unk))
    tok.pre_tokenizer = pre
    if decoder:
        tok.decoder = decoder
    tok.train_from_iterator(
        CORPUS, trainers.WordLevelTrainer(vocab_size=1500, special_tokens=["[UNK]", "<pad>", "|"], show_progress=False)
    )
    save(name, tok)


words("whitespace", pre_tokenizers.Whitespace())
words("ctc", pre_tokenizers.CharDelimiterSplit(" "), decoders.CTC())
words("digits", seq(pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(),
pre_tokenizers.Punctuation("contiguous")))
words("fixed", pre_tokenizers.FixedLength(3))
words("merged", seq(split(r"[\p{Lu}&&[^\p{Han}]]", "merged_with_next"), split(r"(?<=\d)\W+?", "merged_with_previous")))
words("chinese", seq(split(r"\p{Han}|[\u3040-\u30ff]", "contiguous"), split(r"(?<!a)b*+|\bqu\B|^T", "isolated")))
