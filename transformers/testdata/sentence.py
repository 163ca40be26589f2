"""Writes folders of sentence-transformers with random weights, and the embeddings of texts.

Usage: sentence.py FOLDER. Each case has a folder as SentenceTransformer.save writes it. The
embeddings follow the source of sentence-transformers, which need not be installed. texts.json
has the texts, names.json the names of the cases.
"""
import json
import sys
from pathlib import Path

import tokenizers
import torch
import transformers
from safetensors.torch import save_file

WORDS = "the a sun moon sea sky is are bright dark deep blue over under we they sing sleep query".split()
TEXTS = [
    "the sun is bright", "", "  we sing over the deep blue sea and the dark sky \n", "Moon", "a b c",
    "they are under the sea , they sleep . the moon is dark and the sky is deep and blue",
]
SIZES = dict(hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=3,
             max_position_embeddings=40)
MODES = ["cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]


def old(*modes, **more):
    return {"word_embedding_dimension": 24} | {f"pooling_mode_{m}": m in modes for m in MODES} | more


DENSE = {"in_features": 24, "out_features": 10, "bias": True,
         "activation_function": "torch.nn.modules.activation.Tanh"}
CASES = {mode: {"pooling": old(mode)} for mode in MODES} | {
    "joined": {"pooling": old(*MODES)},
    "none": {"pooling": old()},
    "new": {"pooling": {"embedding_dimension": 24, "pooling_mode": ["lasttoken", "mean", "max"]}},
    "new_single": {"pooling": {"embedding_dimension": 24, "pooling_mode": "cls", "include_prompt": True}},
    "plain": {},
    "plain_roberta": {"model": "roberta"},
    "roberta": {"model": "roberta", "pooling": old("mean_tokens", "lasttoken"), "layers": [("Normalize", {})]},
    "t5": {"model": "t5", "pooling": old("mean_tokens"), "layers": [
        ("Dense", DENSE | {"bias": False, "activation_function": "torch.nn.modules.linear.Identity"}),
        ("Normalize", {}),
    ]},
    "dense": {"pooling": old("max_tokens"), "path": "0_Transformer", "layers": [
        ("Dropout", {"dropout": 0.5}), ("Dense", DENSE), ("LayerNorm", {"dimension": 10}), ("Normalize", {}),
    ]},
    "pickle": {"pooling": old("mean_tokens"), "pickle": True, "layers": [
        ("Dense", DENSE | {"activation_function": "torch.nn.modules.activation.GELU"}),
    ]},
    "short": {"pooling": old("weightedmean_tokens"), "length": {"max_seq_length": 6, "do_lower_case": True}},
    "model_max_length": {"pooling": old("mean_tokens"), "length": {}, "model_max_length": 5},
    "left": {"pooling": old("mean_tokens"), "length": {"max_seq_length": 7}, "truncation_side": "left"},
    "prompt": {"pooling": old("mean_tokens"), "prompts": {"query": "query : ", "none": ""}, "default": "query"},
    "no_prompt": {"pooling": old(*MODES, include_prompt=False), "prompts": {"query": "query : "},
                  "default": "query"},
}


def make_tokenizer(kind):
    special = {"bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "roberta": ["<s>", "<pad>", "</s>", "<unk>"],
               "t5": ["<pad>", "</s>", "<unk>"]}[kind]
    unknown = next(s for s in special if "UNK" in s.upper())
    vocab = {w: i for i, w in enumerate(special + WORDS + list(".,:"))}
    t = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocab, unk_token=unknown))
    t.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    if kind == "t5":
        t.post_processor = tokenizers.processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    else:
        first, last = ("[CLS]", "[SEP]") if kind == "bert" else ("<s>", "</s>")
        t.post_processor = tokenizers.processors.TemplateProcessing(
            single=f"{first} $A {last}", special_tokens=[(first, vocab[first]), (last, vocab[last])])
    t.add_special_tokens(special)
    # Settings of the file that no call may take over.
    pad = next(s for s in special if "PAD" in s.upper())
    t.enable_padding(length=30, pad_token=pad, pad_id=vocab[pad])
    t.enable_truncation(4)
    return t, vocab[pad]


def make_model(kind, vocabulary, pad):
    if kind == "t5":
        config = transformers.T5Config(vocab_size=vocabulary, d_model=24, d_kv=8, d_ff=40, num_layers=2, num_heads=3,
                                       pad_token_id=pad)
        return transformers.T5EncoderModel(config).eval()
    config = transformers.AutoConfig.for_model(kind, vocab_size=vocabulary, pad_token_id=pad, **SIZES)
    model = transformers.AutoModel.from_config(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.2)
    return model


def modes_of(config):
    if config is None:
        return ["mean"]
    if "pooling_mode" in config:
        m = config["pooling_mode"]
        return [m] if isinstance(m, str) else m
    modes = [m.removesuffix("_tokens").removesuffix("_token") if m != "mean_sqrt_len_tokens" else m
             for m in MODES if config[f"pooling_mode_{m}"]]
    return modes or ["mean"]


def pool(mode, x, mask):
    wide = mask.unsqueeze(-1).expand_as(x).to(x.dtype)
    if mode == "cls":
        return x[torch.arange(len(x)), mask.argmax(1)]
    if mode == "max":
        return x.masked_fill(wide == 0, float("-inf")).max(1).values
    if mode == "mean":
        return (x * wide).sum(1) / wide.sum(1).clamp(min=1e-9)
    if mode == "mean_sqrt_len_tokens":
        return (x * wide).sum(1) / wide.sum(1).clamp(min=1e-9).sqrt()
    if mode == "weightedmean":
        wide = wide * torch.arange(1, x.shape[1] + 1).unsqueeze(0).unsqueeze(-1)
        return (x * wide).sum(1) / wide.sum(1).clamp(min=1e-9)
    return x[torch.arange(len(x)), x.shape[1] - 1 - mask.flip(1).argmax(1)]


def embed(case, tokenizer, pad, model, layers, texts, prompt):
    length = case.get("length", {})
    longest = length.get("max_seq_length", case.get("model_max_length", 37))

    def tokenize(text):
        text = text.strip()
        if length.get("do_lower_case"):
            text = text.lower()
        return tokenizer.encode(text).ids

    tokenizer.no_padding()
    tokenizer.enable_truncation(longest, direction=case.get("truncation_side", "right"))
    rows = [tokenize(prompt + t) for t in texts]
    width = max(map(len, rows))
    ids = torch.tensor([r + [pad] * (width - len(r)) for r in rows])
    mask = torch.tensor([[1] * len(r) + [0] * (width - len(r)) for r in rows])
    with torch.no_grad():
        x = model(input_ids=ids, attention_mask=mask).last_hidden_state
        config = case.get("pooling")
        if prompt and not (config or {}).get("include_prompt", True):
            mask[:, :len(tokenize(prompt)) - 1] = 0
        x = torch.cat([pool(m, x, mask) for m in modes_of(config)], 1)
        for layer in layers:
            x = layer(x)
    return x


def main(folder):
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for seed, (name, case) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        kind = case.get("model", "bert")
        root = folder / name
        path = root / case.get("path", "")
        path.mkdir(parents=True)
        tokenizer, pad = make_tokenizer(kind)
        tokenizer.save(str(path / "tokenizer.json"))
        settings = {"model_max_length": case.get("model_max_length", 10**30)}
        if "truncation_side" in case:
            settings["truncation_side"] = case["truncation_side"]
        (path / "tokenizer_config.json").write_text(json.dumps(settings))
        model = make_model(kind, tokenizer.get_vocab_size(), pad)
        model.save_pretrained(path)
        layers = []
        if "pooling" in case:
            modules = [("Transformer", case.get("path", "")), ("Pooling", "1_Pooling")]
            (root / "1_Pooling").mkdir()
            (root / "1_Pooling" / "config.json").write_text(json.dumps(case["pooling"]))
            length = case.get("length", {"max_seq_length": 37, "do_lower_case": False})
            if length:
                (path / "sentence_bert_config.json").write_text(json.dumps(length))
            for i, (type, config) in enumerate(case.get("layers", []), 2):
                at = root / f"{i}_{type}"
                modules.append((type, at.name))
                at.mkdir()
                if type != "Normalize":
                    (at / "config.json").write_text(json.dumps(config))
                state = {}
                if type == "Dense":
                    linear = torch.nn.Linear(config["in_features"], config["out_features"], bias=config["bias"])
                    act = config["activation_function"].split(".")[-1]
                    layers += [linear, getattr(torch.nn, act)()]
                    state = {"linear." + k: v for k, v in linear.state_dict().items()}
                elif type == "LayerNorm":
                    layers.append(torch.nn.LayerNorm(config["dimension"]))
                    torch.nn.init.normal_(layers[-1].weight)
                    state = {"norm." + k: v for k, v in layers[-1].state_dict().items()}
                elif type == "Normalize":
                    layers.append(lambda x: torch.nn.functional.normalize(x, p=2, dim=1))
                if state and case.get("pickle"):
                    torch.save(state, at / "pytorch_model.bin")
                elif state:
                    save_file({k: v.contiguous() for k, v in state.items()}, at / "model.safetensors")
            (root / "modules.json").write_text(json.dumps([
                {"idx": i, "name": str(i), "path": p, "type": f"sentence_transformers.models.{t}"}
                for i, (t, p) in enumerate(modules)
            ]))
        prompts = case.get("prompts", {})
        if prompts:
            (root / "config_sentence_transformers.json").write_text(json.dumps(
                {"prompts": prompts, "default_prompt_name": case["default"], "similarity_fn_name": "cosine"}))
        prompt = prompts.get(case.get("default"), "")
        out = {"embeddings": embed(case, tokenizer, pad, model, layers, TEXTS, prompt)}
        out["other"] = embed(case, tokenizer, pad, model, layers, TEXTS, "the sky ")
        out["cut"] = torch.nn.functional.normalize(out["embeddings"][:, :5], dim=1)
        save_file({k: v.contiguous() for k, v in out.items()}, root / "cases.safetensors")
    (folder / "texts.json").write_text(json.dumps(TEXTS))
    (folder / "names.json").write_text(json.dumps(list(CASES)))


main(Path(sys.argv[1]))
