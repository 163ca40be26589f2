"""Writes small vision transformers with random weights, their inputs, outputs, losses and gradients.

Usage: vit.py FOLDER. Each model has a folder with config.json, model.safetensors and
cases.safetensors. The part of its name after the last dot says which head it has.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file

SIZES = dict(hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4, image_size=24,
             patch_size=8)
CONFIGS = {
    "vit": SIZES,
    "vit_act": SIZES | {"hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "num_labels": 5, "qkv_bias": False},
    "vit_wide": SIZES | {"image_size": [24, 40], "num_channels": 1, "pooler_output_size": 20, "pooler_act": "relu",
                         "num_labels": 1},
    "vit_multi": SIZES | {"patch_size": [4, 8], "image_size": 16, "num_labels": 4,
                          "problem_type": "multi_label_classification"},
    "vit_old": SIZES | {"num_labels": 3},
}
HEADS = {"model": transformers.AutoModel, "image": transformers.AutoModelForImageClassification}


def outputs(prefix, result):
    names = ("last_hidden_state", "pooler_output", "logits")
    return {f"{prefix}.{n}": getattr(result, n) for n in names if getattr(result, n, None) is not None}


def write(folder, settings, head, seed):
    torch.manual_seed(seed)
    config = transformers.ViTConfig(**settings)
    model = HEADS[head].from_config(config).float().eval()
    for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
        p.data.add_(torch.randn_like(p) * 0.1)
    model.save_pretrained(folder)
    if "old" not in folder.name:  # in the names of version 5; save_pretrained writes those of version 4
        save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "model.safetensors")
    size = config.image_size if isinstance(config.image_size, (list, tuple)) else [config.image_size] * 2
    pixels = torch.randn(2, config.num_channels, *size)
    out = {"pixels": pixels}
    with torch.no_grad():
        out |= outputs("plain", model(pixels))
        if size[0] == size[1] and isinstance(config.patch_size, int):
            out["large"] = torch.randn(2, config.num_channels, 40, 34)
            out |= outputs("interpolated", model(out["large"], interpolate_pos_encoding=True))
    given = {}
    if head == "image":
        n = config.num_labels
        if n == 1:
            given["labels"] = torch.randn(2)
        elif config.problem_type:
            given["labels"] = torch.randint(0, 2, (2, n)).float()
        else:
            given["labels"] = torch.tensor([1, 0])
    out |= given
    result = model(pixels, **given)
    loss = result.loss if given else result.last_hidden_state.pow(2).mean() + result.pooler_output.pow(2).mean()
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters():
        if p.grad is not None:
            out["grad." + n] = p.grad
    save_file({k: v.contiguous() for k, v in out.items()}, folder / "cases.safetensors")


def main():
    root = Path(sys.argv[1])
    torch.set_num_threads(1)  # the models are too small for more
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    names = []
    for i, (name, settings) in enumerate(CONFIGS.items()):
        for j, head in enumerate(HEADS):
            names.append(f"{name}.{head}")
            write(root / names[-1], settings, head, 10 * i + j)
    state = load_file(root / "vit_old.image" / "model.safetensors")
    assert any("encoder.layer." in name for name in state), list(state)
    (root / "names.json").write_text(json.dumps(names))


main()
