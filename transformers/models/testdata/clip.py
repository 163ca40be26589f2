"""Writes small CLIP models with random weights, their inputs, outputs, losses and gradients.

Usage: clip.py FOLDER. Each model has a folder with config.json, model.safetensors and
cases.safetensors. The part of its name after the last dot says which part of CLIP it is.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file

TEXT = dict(vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=20, eos_token_id=60)
VISION = dict(hidden_size=40, intermediate_size=70, num_hidden_layers=3, num_attention_heads=4, image_size=24,
              patch_size=8)
CONFIGS = {
    "clip": (TEXT, VISION, dict(projection_dim=32)),
    "clip_act": (TEXT | {"hidden_act": "gelu", "layer_norm_eps": 1e-6},
                 VISION | {"hidden_act": "gelu_new", "layer_norm_eps": 1e-4, "num_channels": 1},
                 dict(projection_dim=16, logit_scale_init_value=1.5, num_labels=1)),
    "clip_old": (TEXT | {"eos_token_id": 2}, VISION, dict(projection_dim=32, num_labels=5)),
}


def texts():
    ids = torch.randint(3, 59, (3, 12))
    mask = torch.ones_like(ids)
    for row, end in enumerate((11, 7, 4)):
        ids[row, end] = 60
        ids[row, end + 1:] = 1
        mask[row, end + 1:] = 0
    return ids, mask


def outputs(prefix, result):
    names = ("last_hidden_state", "pooler_output", "logits", "logits_per_image", "logits_per_text", "text_embeds",
             "image_embeds")
    return {f"{prefix}.{n}": getattr(result, n) for n in names if getattr(result, n, None) is not None}


def write(folder, part, text, vision, both, seed):
    torch.manual_seed(seed)
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, **both)
    model = {
        "both": lambda: transformers.CLIPModel(config),
        "text": lambda: transformers.CLIPTextModel(transformers.CLIPTextConfig(**text)),
        "vision": lambda: transformers.CLIPVisionModel(transformers.CLIPVisionConfig(**vision)),
        "image": lambda: transformers.CLIPForImageClassification(config),
    }[part]().float().eval()
    for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
        p.data.add_(torch.randn_like(p) * 0.1)
    model.save_pretrained(folder)
    if "old" in folder.name:
        make_old(folder, part)
    ids, mask = texts()
    positions = torch.randint(0, 20, ids.shape)
    channels = vision.get("num_channels", 3)
    pixels, large = torch.randn(3, channels, 24, 24), torch.randn(3, channels, 40, 34)
    out = {"ids": ids, "mask": mask, "positions": positions, "pixels": pixels, "large": large}
    with torch.no_grad():
        if part in ("both", "text"):
            first = (ids, pixels) if part == "both" else (ids,)
            out |= outputs("plain", model(*first))
            out |= outputs("masked", model(*first, attention_mask=mask))
            out |= outputs("positions", model(*first, position_ids=positions))
        if part == "both":
            out |= outputs("interpolated", model(ids, large, interpolate_pos_encoding=True))
        if part in ("vision", "image"):
            out |= outputs("plain", model(pixels))
        if part == "vision":
            out |= outputs("interpolated", model(large, interpolate_pos_encoding=True))
    if part == "both":
        loss = model(ids, pixels, attention_mask=mask, return_loss=True).loss
    elif part == "image":
        out["labels"] = torch.randn(3) if config.num_labels == 1 else torch.tensor([1, 0, 1])
        loss = model(pixels, labels=out["labels"]).loss
    else:
        result = model(ids, attention_mask=mask) if part == "text" else model(pixels)
        loss = result.last_hidden_state.pow(2).mean() + result.pooler_output.pow(2).mean()
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters():
        if p.grad is not None:
            out["grad." + n] = p.grad
    save_file({k: v.clone().contiguous() for k, v in out.items()}, folder / "cases.safetensors")


def make_old(folder, part):
    """Adds what files of old versions have: constants, and another place of the settings."""
    state = load_file(folder / "model.safetensors")
    if part in ("text", "vision"):
        state = {k if k.startswith(f"{part}_model.") else f"{part}_model.{k}": v for k, v in state.items()}
    if part in ("both", "text"):
        state["text_model.embeddings.position_ids"] = torch.arange(20)[None]
    if part != "text":
        state["vision_model.embeddings.position_ids"] = torch.arange(10)[None]
    save_file(state, folder / "model.safetensors", {"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    if part in ("both", "image"):
        config["text_config_dict"] = config["text_config"]
        config["text_config"] = {"hidden_size": 1000}
    (folder / "config.json").write_text(json.dumps(config))


def main():
    root = Path(sys.argv[1])
    torch.set_num_threads(1)  # the models are too small for more
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    names = []
    for i, (name, (text, vision, both)) in enumerate(CONFIGS.items()):
        for j, part in enumerate(("both", "text", "vision", "image")):
            names.append(f"{name}.{part}")
            write(root / names[-1], part, text, vision, both, 10 * i + j)
    (root / "names.json").write_text(json.dumps(names))


main()
