"""Writes small Whisper models with random weights, their inputs, outputs, losses and gradients.

Usage: whisper.py FOLDER. Each model has a folder with config.json, model.safetensors,
cases.safetensors and, with a head, generate.json. The part of its name after the last dot
says which part of Whisper it is. The folder also has features.safetensors: sounds and what
WhisperFeatureExtractor makes of them.
"""
import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file

SIZES = dict(vocab_size=61, num_mel_bins=8, d_model=32, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=40,
             decoder_layers=3, decoder_attention_heads=2, decoder_ffn_dim=50, max_source_positions=20,
             max_target_positions=30, pad_token_id=1, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3,
             begin_suppress_tokens=None)
CONFIGS = {
    "whisper": SIZES,
    "whisper_act": SIZES | {"activation_function": "relu", "scale_embedding": True, "decoder_layers": 1},
    "whisper_untied": SIZES | {"tie_word_embeddings": False, "num_mel_bins": 5},
}
ENDS = list(range(20, 28))
SETTINGS = {
    "greedy": dict(max_new_tokens=15),
    "ends": dict(max_new_tokens=20, eos_token_id=ENDS),
    "beams": dict(max_new_tokens=12, num_beams=3, num_return_sequences=2, eos_token_id=ENDS),
    "suppress": dict(max_new_tokens=12, suppress_tokens=list(range(30, 60)), begin_suppress_tokens=list(range(0, 20))),
    "suppress_beams": dict(max_new_tokens=12, num_beams=2, suppress_tokens=list(range(4, 40)),
                           begin_suppress_tokens=list(range(40, 55))),
    "sample": dict(max_new_tokens=10, do_sample=True),
}
PROMPTS = [[3, 9, 12], [3, 10, 12]]


def cases(model, part):
    config = model.config
    features = torch.randn(2, config.num_mel_bins, 40)
    decoder = torch.randint(4, 61, (2, 14))
    decoder_mask = torch.ones_like(decoder)
    decoder_mask[0, 10:] = 0
    labels = torch.randint(4, 61, (2, 14))
    labels[1, 9:] = -100
    out = {"features": features, "decoder": decoder, "decoder_mask": decoder_mask, "labels": labels}
    field = "logits" if part == "lm" else "last_hidden_state"
    with torch.no_grad():
        for name, given in {"plain": {}, "masked": {"decoder_attention_mask": decoder_mask}}.items():
            result = model(features, decoder_input_ids=decoder, use_cache=False, **given)
            out[f"{name}.decoded"] = getattr(result, field)
            out[f"{name}.encoded"] = result.encoder_last_hidden_state
        if part == "lm":
            encoded, cache, steps = model.model.encoder(features), None, []
            for cut in ((0, 6), (6, 7), (7, 8), (8, 14)):
                step = model(encoder_outputs=encoded, decoder_input_ids=decoder[:, slice(*cut)], cache=cache,
                             use_cache=True)
                cache = step.cache
                steps.append(step.logits)
            out["steps"] = torch.cat(steps, 1)
    if part == "lm":
        loss = model(features, labels=labels).loss
    else:
        loss = model(features, decoder_input_ids=decoder, use_cache=False).last_hidden_state.pow(2).mean()
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters(remove_duplicate=False):
        if p.grad is not None:
            out["grad." + n] = p.grad
    return {k: v.clone().contiguous() for k, v in out.items()}


def generate(model, case):
    model.generation_config = transformers.GenerationConfig(decoder_start_token_id=3, pad_token_id=0)
    results = {}
    for name, settings in SETTINGS.items():
        results[name] = []
        for rows in (1, 2):
            torch.manual_seed(7)
            prompts = torch.tensor(PROMPTS[:rows])
            # Whisper's own generate cuts long sounds and fixes languages around this one
            tokens = transformers.GenerationMixin.generate(model, case["features"][:rows], decoder_input_ids=prompts,
                                                           **settings)
            results[name].append(tokens[:, 3:].tolist())
    return {"settings": SETTINGS, "results": results, "prompts": PROMPTS}


def write_features(path):
    rng = np.random.default_rng(0)
    out, settings = {}, {}
    for name, given, seconds in (("short", dict(chunk_length=1), (0.3, 1.0, 1.7)), ("bands", dict(
            feature_size=128, chunk_length=1), (0.9,)), ("other", dict(chunk_length=2, hop_length=100, n_fft=256,
            feature_size=40, padding_value=0.1), (0.5, 1.99)), ("whole", {}, (12.0,))):
        extractor = transformers.WhisperFeatureExtractor(**given)
        sounds = []
        for i, length in enumerate(seconds):
            t = np.arange(int(length * 16000)) / 16000
            sound = 0.3 * np.sin(2 * np.pi * 220 * (i + 1) * t) + 0.05 * rng.standard_normal(t.size)
            sounds.append(sound.astype(np.float32))
            out[f"{name}.sound{i}"] = torch.from_numpy(sounds[-1])
        out[f"{name}.features"] = torch.from_numpy(np.asarray(extractor(sounds, sampling_rate=16000).input_features))
        settings[name] = extractor.to_dict()
    out["silence.sound0"] = torch.zeros(16000)
    settings["silence"] = settings["short"]
    out["silence.features"] = torch.from_numpy(np.asarray(transformers.WhisperFeatureExtractor(chunk_length=1)(
        [np.zeros(16000, np.float32)], sampling_rate=16000).input_features))
    save_file({k: v.clone().contiguous() for k, v in out.items()}, path / "features.safetensors")
    (path / "features.json").write_text(json.dumps(settings, default=str))


def main():
    root = Path(sys.argv[1])
    torch.set_num_threads(1)  # the models are too small for more
    root.mkdir(exist_ok=True)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    write_features(root)
    names = []
    for i, (name, settings) in enumerate(CONFIGS.items()):
        for j, part in enumerate(("lm", "model")):
            names.append(f"{name}.{part}")
            folder = root / names[-1]
            torch.manual_seed(10 * i + j)
            config = transformers.WhisperConfig(**settings)
            kind = transformers.WhisperForConditionalGeneration if part == "lm" else transformers.WhisperModel
            model = kind(config).float().eval()
            for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
                p.data.add_(torch.randn_like(p) * 0.1)
            model.save_pretrained(folder)
            case = cases(model, part)
            save_file(case, folder / "cases.safetensors")
            if part == "lm":
                (folder / "generate.json").write_text(json.dumps(generate(model, case)))
    (root / "names.json").write_text(json.dumps(names))


main()
