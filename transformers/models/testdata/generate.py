"""Generates tokens with the models that causal.py wrote.

Usage: generate.py MODELS OUTPUT.json. The settings are the keyword arguments of generate.
"""
import json
import os
import sys
from pathlib import Path

import torch
import transformers

PROMPTS = [[5, 9, 33, 12, 7], [41, 3], [17, 17, 18, 17, 17, 18, 17]]
ENDS = [20, 21, 22, 23, 24, 25, 26, 27]
SETTINGS = {
    "greedy": dict(max_new_tokens=25),
    "default": dict(),
    "ends": dict(max_new_tokens=40, eos_token_id=ENDS, pad_token_id=0),
    "ends_late": dict(max_new_tokens=40, min_new_tokens=30, eos_token_id=ENDS, pad_token_id=0),
    "repetition": dict(max_new_tokens=25, repetition_penalty=1.3),
    "ngrams": dict(max_new_tokens=25, no_repeat_ngram_size=2),
    "chunks": dict(max_new_tokens=25, prefill_chunk_size=3),
    "sample": dict(max_new_tokens=25, do_sample=True),
    "sample_ends": dict(max_new_tokens=30, do_sample=True, eos_token_id=ENDS, pad_token_id=0, top_k=0),
    "temperature": dict(max_new_tokens=25, do_sample=True, temperature=0.7, top_k=0),
    "top_k": dict(max_new_tokens=25, do_sample=True, top_k=5),
    "top_p": dict(max_new_tokens=25, do_sample=True, top_p=0.6, top_k=0),
    "min_p": dict(max_new_tokens=25, do_sample=True, min_p=0.3, top_k=0),
    "all": dict(max_new_tokens=25, do_sample=True, min_p=0.05, top_k=40, top_p=0.9, temperature=1.3,
                repetition_penalty=1.1, no_repeat_ngram_size=3),
    "several": dict(max_new_tokens=15, do_sample=True, num_return_sequences=3),
    "beams": dict(max_new_tokens=15, num_beams=3),
    "beams_ends": dict(max_new_tokens=30, num_beams=4, eos_token_id=ENDS, pad_token_id=0, num_return_sequences=2),
    "beams_long": dict(max_new_tokens=30, num_beams=4, eos_token_id=ENDS, pad_token_id=0, length_penalty=2.5),
    "beams_short": dict(max_new_tokens=30, num_beams=2, eos_token_id=ENDS, pad_token_id=0, length_penalty=-1.0),
    "beams_early": dict(max_new_tokens=30, num_beams=3, eos_token_id=ENDS, pad_token_id=0, early_stopping=True),
    "beams_penalty": dict(max_new_tokens=20, num_beams=3, repetition_penalty=1.5),
}
MODELS = ["qwen2_window", "gpt2"]
if os.environ.get("GOTORCH_TEST_THOROUGH"):
    MODELS += ["llama", "mistral_window"]


def main():
    torch.set_num_threads(1)  # the models are too small for more
    transformers.logging.set_verbosity_error()
    out = {"prompts": PROMPTS, "settings": SETTINGS, "models": {}}
    for name in MODELS:
        model = transformers.AutoModelForCausalLM.from_pretrained(Path(sys.argv[1]) / name)
        model.generation_config = transformers.GenerationConfig()
        results = out["models"][name] = {}
        for case, settings in SETTINGS.items():
            results[case] = []
            for batch in ([PROMPTS[0]], PROMPTS):
                width = max(map(len, batch))
                ids = torch.tensor([[0] * (width - len(p)) + p for p in batch])
                mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in batch])
                settings = {"pad_token_id": 0} | settings
                torch.manual_seed(7)
                tokens = model.generate(ids, attention_mask=mask, **settings)
                results[case].append(tokens[:, width:].tolist())
    Path(sys.argv[2]).write_text(json.dumps(out))


main()
