"""Writes small T5 models with random weights, their inputs, outputs, losses and gradients.

Usage: t5.py FOLDER. Each model has a folder with config.json, model.safetensors,
cases.safetensors and, with a head, generate.json. The part of its name after the last dot
says which part of T5 it is.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file

SIZES = dict(vocab_size=61, d_model=48, d_kv=10, d_ff=70, num_layers=2, num_heads=4, decoder_start_token_id=0)
CONFIGS = {
    "t5": SIZES,
    "t5_gated": SIZES | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "num_layers": 3,
                         "num_decoder_layers": 2},
    "t5_silu": SIZES | {"feed_forward_proj": "gated-silu", "layer_norm_epsilon": 1e-4, "decoder_start_token_id": 5},
    "t5_buckets": SIZES | {"feed_forward_proj": "gelu", "relative_attention_num_buckets": 8,
                           "relative_attention_max_distance": 10, "num_decoder_layers": 1},
    "t5_old": SIZES | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
}
GENERATING = ("t5", "t5_gated", "t5_buckets")
ENDS = list(range(20, 28))
SETTINGS = {
    "greedy": dict(max_new_tokens=15),
    "ends": dict(max_new_tokens=20, eos_token_id=ENDS),
    "repetition": dict(max_new_tokens=15, repetition_penalty=1.3, no_repeat_ngram_size=2),
    "beams": dict(max_new_tokens=12, num_beams=3, num_return_sequences=2, eos_token_id=ENDS),
    "sample": dict(max_new_tokens=10, do_sample=True),
}


def build(part, settings):
    config = transformers.T5Config(**settings)
    model = {"lm": transformers.T5ForConditionalGeneration, "model": transformers.T5Model,
             "encoder": transformers.T5EncoderModel}[part](config).float().eval()
    for p in model.parameters():
        p.data.mul_(0.5).add_(torch.randn_like(p) * 0.1)
    if part == "lm" and settings.get("tie_word_embeddings") is False:
        model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight) * 0.2)
    return model


def cases(model, part):
    ids = torch.randint(3, 61, (2, 24))
    mask = torch.ones_like(ids)
    mask[1, 15:] = 0
    decoder = torch.randint(3, 61, (2, 14))
    decoder_mask = torch.ones_like(decoder)
    decoder_mask[0, 10:] = 0
    labels = torch.randint(3, 61, (2, 14))
    labels[1, 9:] = -100
    out = {"ids": ids, "mask": mask, "decoder": decoder, "decoder_mask": decoder_mask, "labels": labels}
    with torch.no_grad():
        if part == "encoder":
            out["plain.features"] = model(ids).last_hidden_state
            out["masked.features"] = model(ids, attention_mask=mask).last_hidden_state
        else:
            field = "logits" if part == "lm" else "last_hidden_state"
            for name, given in {"plain": {}, "masked": {"attention_mask": mask},
                                "both": {"attention_mask": mask, "decoder_attention_mask": decoder_mask}}.items():
                result = model(input_ids=ids, decoder_input_ids=decoder, use_cache=False, **given)
                out[f"{name}.decoded"] = getattr(result, field)
                out[f"{name}.encoded"] = result.encoder_last_hidden_state
        if part == "lm":
            encoded, cache, steps = model.encoder(input_ids=ids, attention_mask=mask), None, []
            for cut in ((0, 6), (6, 7), (7, 8), (8, 14)):
                step = model(encoder_outputs=encoded, attention_mask=mask, decoder_input_ids=decoder[:, slice(*cut)],
                             cache=cache, use_cache=True)
                cache = step.cache
                steps.append(step.logits)
            out["steps"] = torch.cat(steps, 1)
    if part == "lm":
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
    elif part == "model":
        result = model(input_ids=ids, attention_mask=mask, decoder_input_ids=decoder, use_cache=False)
        loss = result.last_hidden_state.pow(2).mean()
    else:
        loss = model(ids, attention_mask=mask).last_hidden_state.pow(2).mean()
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters(remove_duplicate=False):
        if p.grad is not None:
            out["grad." + n] = p.grad
    return {k: v.clone().contiguous() for k, v in out.items()}


def generate(model, case):
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=model.config.decoder_start_token_id, pad_token_id=0)
    results = {}
    for name, settings in SETTINGS.items():
        results[name] = []
        for rows in (1, 2):
            torch.manual_seed(7)
            tokens = model.generate(case["ids"][:rows], attention_mask=case["mask"][:rows], **settings)
            results[name].append(tokens[:, 1:].tolist())
    return {"settings": SETTINGS, "results": results}


def make_old(folder):
    """Writes what files of version 1.1 have."""
    config = json.loads((folder / "config.json").read_text())
    config["tie_word_embeddings"] = False
    config.pop("scale_decoder_outputs", None)
    (folder / "config.json").write_text(json.dumps(config))
    state = load_file(folder / "model.safetensors")
    for name in ("encoder", "decoder"):
        state[f"{name}.embed_tokens.weight"] = state["shared.weight"].clone()
    state["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] = torch.randn(32, 4)
    save_file(state, folder / "model.safetensors", {"format": "pt"})


def main():
    root = Path(sys.argv[1])
    torch.set_num_threads(1)  # the models are too small for more
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    names = []
    for i, (name, settings) in enumerate(CONFIGS.items()):
        for j, part in enumerate(("lm", "model", "encoder")):
            names.append(f"{name}.{part}")
            folder = root / names[-1]
            torch.manual_seed(10 * i + j)
            model = build(part, settings)
            model.save_pretrained(folder)
            if part == "encoder":  # as in the files of whole models
                config = json.loads((folder / "config.json").read_text())
                config["is_encoder_decoder"] = True
                (folder / "config.json").write_text(json.dumps(config))
            if name == "t5_old" and part != "encoder":
                make_old(folder)
            case = cases(model, part)
            save_file(case, folder / "cases.safetensors")
            if part == "lm" and name in GENERATING:
                (folder / "generate.json").write_text(json.dumps(generate(model, case)))
    (root / "names.json").write_text(json.dumps(names))


main()
