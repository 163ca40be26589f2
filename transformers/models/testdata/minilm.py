"""Computes embeddings of the lines of a file with all-MiniLM-L6-v2.

Usage: minilm.py FOLDER LINES.txt OUTPUT.safetensors. The folder has config.json,
model.safetensors and tokenizer.json.
"""
import sys
from pathlib import Path

import tokenizers
import torch
import transformers
from safetensors.torch import save_file

folder, lines, output = map(Path, sys.argv[1:])
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(256)
encoded = [tokenizer.encode(line) for line in lines.read_text().splitlines()]
width = max(len(e.ids) for e in encoded)
ids = torch.tensor([e.ids + [0] * (width - len(e.ids)) for e in encoded])
mask = torch.tensor([e.attention_mask + [0] * (width - len(e.ids)) for e in encoded])
model = transformers.AutoModel.from_pretrained(folder).eval()
with torch.no_grad():
    features = model(ids, attention_mask=mask).last_hidden_state
expanded = mask.unsqueeze(-1).expand(features.size()).float()
pooled = (features * expanded).sum(1) / expanded.sum(1).clamp(min=1e-9)
embeddings = torch.nn.functional.normalize(pooled, p=2, dim=1)
save_file({"ids": ids, "mask": mask, "features": features, "embeddings": embeddings}, output)
