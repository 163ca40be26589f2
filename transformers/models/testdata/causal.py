"""Writes small models with random weights, their inputs, logits, losses and gradients.

Usage: causal.py FOLDER. Each model has a folder with config.json, model.safetensors and
cases.safetensors.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

LLAMA = dict(vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=6,
             num_key_value_heads=2, max_position_embeddings=64, pad_token_id=None, bos_token_id=1, eos_token_id=2)
GPT2 = dict(vocab_size=61, n_embd=48, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2)


def rope(kind, **more):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 10000.0, **more}}


CASES = {
    "llama": ("llama", LLAMA),
    "llama_heads": ("llama", LLAMA | {"num_key_value_heads": 6, "tie_word_embeddings": True}),
    "llama_one_head": ("llama", LLAMA | {"num_key_value_heads": 1, "attention_bias": True, "mlp_bias": True}),
    "llama_head_dim": ("llama", LLAMA | {"head_dim": 16, "hidden_act": "gelu_pytorch_tanh", "pad_token_id": 0}),
    "llama_act": ("llama", LLAMA | {"hidden_act": "gelu_new", "rms_norm_eps": 1e-5}),
    "llama_dropout": ("llama", LLAMA | {"attention_dropout": 0.5}),
    "rope_linear": ("llama", LLAMA | rope("linear", factor=4.0)),
    "rope_dynamic": ("llama", LLAMA | {"max_position_embeddings": 8} | rope("dynamic", factor=2.0)),
    "rope_llama3": ("llama", LLAMA | rope("llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                          original_max_position_embeddings=16)),
    "rope_yarn": ("llama", LLAMA | rope("yarn", factor=4.0, original_max_position_embeddings=16)),
    "rope_yarn_scaled": ("llama", LLAMA | rope("yarn", factor=4.0, original_max_position_embeddings=16, mscale=0.7,
                                               mscale_all_dim=1.1, beta_fast=16.0, beta_slow=2.0, truncate=False)),
    "rope_longrope": ("llama", LLAMA | rope("longrope", original_max_position_embeddings=8,
                                            short_factor=[1.0, 1.5, 2.0, 2.5], long_factor=[1.0, 3.0, 5.0, 9.0])),
    "mistral": ("mistral", LLAMA | {"sliding_window": None}),
    "mistral_window": ("mistral", LLAMA | {"sliding_window": 5}),
    "qwen2": ("qwen2", LLAMA),
    "qwen2_window": ("qwen2", LLAMA | {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    "qwen3": ("qwen3", LLAMA | {"head_dim": 12}),
    "qwen3_window": ("qwen3", LLAMA | {"head_dim": 8, "use_sliding_window": True, "sliding_window": 6,
                                       "max_window_layers": 2, "tie_word_embeddings": True}),
    "smollm3": ("smollm3", LLAMA | {"num_hidden_layers": 5}),
    "gpt2": ("gpt2", GPT2),
    "gpt2_inner": ("gpt2", GPT2 | {"n_inner": 70, "activation_function": "relu", "layer_norm_epsilon": 1e-4}),
    "gpt2_scaled": ("gpt2", GPT2 | {"scale_attn_by_inverse_layer_idx": True}),
    "gpt2_unscaled": ("gpt2", GPT2 | {"scale_attn_weights": False, "tie_word_embeddings": False}),
}


def write(folder, kind, settings, seed):
    torch.manual_seed(seed)
    config = transformers.AutoConfig.for_model(kind, **settings)
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
        p.data.add_(torch.randn_like(p) * 0.1)
    model.tie_weights()
    model.save_pretrained(folder)
    ids = torch.randint(3, config.vocab_size, (2, 12))
    mask = torch.ones_like(ids)
    mask[1, :4] = 0
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    out = {"ids": ids, "mask": mask, "positions": positions}
    with torch.no_grad():
        out["logits"] = model(ids).logits
        out["masked"] = model(ids, attention_mask=mask, position_ids=positions).logits
        out["last"] = model(ids, logits_to_keep=1).logits
        first = model(ids[:, :7], use_cache=True)
        cache, steps = first.cache, [first.logits]
        for cut in ((7, 8), (8, 9), (9, 12)):
            step = model(ids[:, slice(*cut)], use_cache=True, cache=cache)
            steps.append(step.logits)
        out["steps"] = torch.cat(steps, 1)
        half = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
        out["bfloat16"] = half(ids).logits.float()
    labels = ids.clone()
    labels[0, :3] = -100
    out["labels"] = labels
    loss = model(ids, labels=labels).loss
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters():
        out["grad." + n] = p.grad
    save_file({k: v.contiguous() for k, v in out.items()}, folder / "cases.safetensors")


def main():
    torch.set_num_threads(1)  # the models are too small for more
    root = Path(sys.argv[1])
    transformers.logging.set_verbosity_error()
    for seed, (name, (kind, settings)) in enumerate(CASES.items()):
        write(root / name, kind, settings, seed)
    (root / "names.json").write_text(json.dumps(list(CASES)))


main()
