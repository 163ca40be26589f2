"""Loads adapters from folders and writes the logits of the models with them.

Usage: load.py FOLDER. Each folder in FOLDER has a model, cases.safetensors with ids and the
folder saved with an adapter. The result is logits.safetensors.
"""
import sys
import warnings
from pathlib import Path

import torch
import transformers
from peft import PeftModel, get_peft_model_state_dict
from safetensors.torch import load_file, save_file

warnings.simplefilter("ignore")
transformers.logging.set_verbosity_error()
for folder in sorted(Path(sys.argv[1]).iterdir()):
    dtype = torch.bfloat16 if folder.name == "bfloat16" else torch.float32
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    peft = PeftModel.from_pretrained(model, folder / "saved")
    with torch.no_grad():
        out = {"logits": peft(load_file(folder / "cases.safetensors")["ids"]).logits.float()}
    for k, v in get_peft_model_state_dict(peft, save_embedding_layers=False).items():
        out["state." + k] = v.contiguous()
    save_file(out, folder / "logits.safetensors")
