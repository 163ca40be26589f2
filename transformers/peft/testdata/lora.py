"""Adds adapters to small models with random weights, trains them and saves them.

Usage: lora.py CASES.json FOLDER. The cases are the type of a model, its settings and those of
LoraConfig, by name. Each case has a folder with the model, cases.safetensors
and the folder adapter. One more folder, conv, has a network of convolutions.
"""
import json
import sys
import warnings
from pathlib import Path

import torch
import transformers
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import save_file

LLAMA = dict(vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=2, num_attention_heads=6,
             num_key_value_heads=2, max_position_embeddings=64, pad_token_id=None, bos_token_id=1, eos_token_id=2)
GPT2 = dict(vocab_size=61, n_embd=48, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)


def write(folder, kind, settings, lora, dtype):
    torch.manual_seed(3)
    config = transformers.AutoConfig.for_model(kind, **({"llama": LLAMA, "gpt2": GPT2}[kind] | settings))
    model = transformers.AutoModelForCausalLM.from_config(config).float()
    for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
        p.data.add_(torch.randn_like(p) * 0.1)
    model.tie_weights()
    model.save_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    ids = torch.randint(3, config.vocab_size, (2, 12))
    torch.manual_seed(7)
    peft = get_peft_model(model, LoraConfig(**lora))
    out = {"ids": ids}

    def logits():
        peft.eval()
        with torch.no_grad():
            return peft(ids).logits.float()

    for k, v in get_peft_model_state_dict(peft, save_embedding_layers=False).items():
        out["init." + k] = v.clone()
    out["first"] = logits()
    opt = torch.optim.AdamW([p for p in peft.parameters() if p.requires_grad], lr=1e-2)
    peft.train()
    torch.manual_seed(11)
    losses = []
    for _ in range(10):
        loss = peft(ids, labels=ids).loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    out["losses"] = torch.tensor(losses)
    out["trained"] = logits()
    with peft.disable_adapter():
        out["disabled"] = logits()
    peft.save_pretrained(folder / "adapter")
    for k, v in get_peft_model_state_dict(peft, save_embedding_layers=False).items():
        out["state." + k] = v.clone()
    if not config.tie_word_embeddings or not {"embed_tokens", "wte"} & set(lora.get("target_modules", [])):
        peft.merge_adapter()
        out["merged"] = logits()
        peft.unmerge_adapter()
        out["unmerged"] = logits()
        for k, v in peft.merge_and_unload().state_dict().items():
            out["weights." + k] = v.clone()
    save_file({k: v.contiguous() for k, v in out.items()}, folder / "cases.safetensors")


def write_conv(folder):
    torch.manual_seed(5)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, stride=2, padding=1), torch.nn.ReLU(),
                                torch.nn.Conv2d(8, 8, 1), torch.nn.ReLU(),
                                torch.nn.Conv2d(8, 4, (3, 5), padding="same", bias=False))
    folder.mkdir()
    x = torch.randn(2, 3, 9, 8)
    out = {"x": x} | {"model." + k: v.clone() for k, v in model.state_dict().items()}
    torch.manual_seed(7)
    peft = get_peft_model(model, LoraConfig(r=2, target_modules=["0", "2", "4"], init_lora_weights=False))
    for k, v in get_peft_model_state_dict(peft).items():
        out["init." + k] = v.clone()
    loss = peft(x).square().mean()
    loss.backward()
    out["loss"] = loss.detach()
    for k, p in peft.base_model.model.named_parameters():
        if p.requires_grad:
            out["grad." + k] = p.grad
    out["merged"] = peft.merge_and_unload()(x).detach()
    save_file({k: v.contiguous() for k, v in out.items()}, folder / "cases.safetensors")


def main():
    torch.set_num_threads(1)  # the models are too small for more
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    for name, case in json.loads(Path(sys.argv[1]).read_text()).items():
        folder = Path(sys.argv[2]) / name
        write(folder, case["kind"], case["settings"], case["lora"], getattr(torch, case["dtype"]))
    write_conv(Path(sys.argv[2]) / "conv")


main()
