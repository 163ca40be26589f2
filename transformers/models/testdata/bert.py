"""Writes small BERT models with random weights, their inputs, outputs, losses and gradients.

Usage: bert.py FOLDER. Each model has a folder with config.json, model.safetensors and
cases.safetensors. The part of its name after the last dot says which head it has.
"""
import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file

SIZES = dict(vocab_size=61, hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=6,
             max_position_embeddings=40)
CONFIGS = {
    "bert": ("bert", SIZES),
    "bert_act": ("bert", SIZES | {"hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "num_labels": 5}),
    "bert_relu": ("bert", SIZES | {"hidden_act": "relu", "pad_token_id": None, "type_vocab_size": 3, "num_labels": 1}),
    "bert_untied": ("bert", SIZES | {"tie_word_embeddings": False, "classifier_dropout": 0.3, "num_labels": 4,
                                     "problem_type": "multi_label_classification"}),
    "bert_regression": ("bert", SIZES | {"num_labels": 3, "problem_type": "regression", "pad_token_id": 5}),
    "roberta": ("roberta", SIZES | {"type_vocab_size": 2, "num_labels": 3}),
    "roberta_pad": ("roberta", SIZES | {"pad_token_id": 4, "hidden_act": "silu", "tie_word_embeddings": False}),
    "xlm-roberta": ("xlm-roberta", SIZES),
    "camembert": ("camembert", SIZES),
}
HEADS = {
    "model": transformers.AutoModel,
    "masked": transformers.AutoModelForMaskedLM,
    "sequence": transformers.AutoModelForSequenceClassification,
    "token": transformers.AutoModelForTokenClassification,
    "answer": transformers.AutoModelForQuestionAnswering,
}


def outputs(prefix, result):
    names = ("last_hidden_state", "pooler_output", "logits", "start_logits", "end_logits")
    return {f"{prefix}.{n}": getattr(result, n) for n in names if getattr(result, n, None) is not None}


def labels(head, config, ids):
    n = config.num_labels
    if head == "masked":
        return {"labels": torch.where(torch.rand(ids.shape) < 0.4, ids, -100)}
    if head == "token":
        out = torch.randint(0, n, ids.shape)
        out[0, 3:5] = -100
        return {"labels": out}
    if head == "answer":
        return {"start_positions": torch.tensor([2, 40]), "end_positions": torch.tensor([5, 7])}
    if head == "sequence" and (n == 1 or config.problem_type == "regression"):
        return {"labels": torch.randn(2, n)}
    if head == "sequence" and config.problem_type:
        return {"labels": torch.randint(0, 2, (2, n)).float()}
    if head == "sequence":
        return {"labels": torch.tensor([1, 0])}
    return {}


def cases(model, head):
    config = model.config
    ids = torch.randint(6, config.vocab_size, (2, 12))
    mask = torch.ones_like(ids)
    mask[1, 8:] = 0
    padded = torch.where(mask == 1, ids, config.pad_token_id or 0)
    types = torch.randint(0, config.type_vocab_size, ids.shape)
    positions = torch.randint(6, 30, ids.shape)
    out = {"ids": ids, "mask": mask, "padded": padded, "types": types, "positions": positions}
    with torch.no_grad():
        out |= outputs("plain", model(ids))
        out |= outputs("masked", model(padded, attention_mask=mask))
        out |= outputs("types", model(ids, token_type_ids=types))
        out |= outputs("positions", model(ids, position_ids=positions))
    given = labels(head, config, ids)
    out |= given
    result = model(padded, attention_mask=mask, **given)
    loss = result.loss if given else result.last_hidden_state.pow(2).mean() + result.pooler_output.pow(2).mean()
    loss.backward()
    out["loss"] = loss.detach()
    for n, p in model.named_parameters(remove_duplicate=False):
        if p.grad is not None:
            out["grad." + n] = p.grad.clone()
    return {k: v.contiguous() for k, v in out.items()}


def write(folder, kind, settings, head, seed):
    torch.manual_seed(seed)
    config = transformers.AutoConfig.for_model(kind, **settings)
    model = HEADS[head].from_config(config).float().eval()
    for p in model.parameters():  # norms and biases start as constants, which would hide mistakes
        p.data.add_(torch.randn_like(p) * 0.1)
    model.tie_weights()
    model.save_pretrained(folder)
    save_file(cases(model, head), folder / "cases.safetensors")


def write_old(root):
    """Writes a model as files of old versions have it: with the names of TensorFlow, constants and all heads."""
    for head, name in (("masked", "old.masked"), ("masked", "old_body.model")):
        folder = root / name
        torch.manual_seed(77)
        config = transformers.AutoConfig.for_model("bert", **SIZES)
        full = transformers.BertForPreTraining(config).eval()
        full.tie_weights()
        full.save_pretrained(folder)
        state = {}
        for key, value in full.state_dict().items():
            key = key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            state[key] = value.clone()
        state["bert.embeddings.position_ids"] = torch.arange(40)[None]
        save_file(state, folder / "model.safetensors", {"format": "pt"})
        if head == "masked" and name == "old.masked":
            model = transformers.BertForMaskedLM(config)
            model.bert.load_state_dict({k: v for k, v in full.bert.state_dict().items() if "pooler" not in k})
            model.cls.load_state_dict({k: v for k, v in full.cls.state_dict().items() if "seq" not in k})
            model.tie_weights()
            save_file(cases(model.eval(), "masked"), folder / "cases.safetensors")
        else:
            save_file(cases(full.bert, "model"), folder / "cases.safetensors")


def main():
    root = Path(sys.argv[1])
    torch.set_num_threads(1)  # the models are too small for more
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    names = []
    for i, (name, (kind, settings)) in enumerate(CONFIGS.items()):
        for j, head in enumerate(HEADS):
            if name in ("xlm-roberta", "camembert") and head not in ("model", "masked"):
                continue  # they are RoBERTa
            if head == "answer":  # it has two labels, for the first and the last token
                settings = {k: v for k, v in settings.items() if k not in ("num_labels", "problem_type")}
            names.append(f"{name}.{head}")
            write(root / names[-1], kind, settings, head, 10 * i + j)
    write_old(root)
    (root / "names.json").write_text(json.dumps(names + ["old.masked", "old_body.model"]))


main()
