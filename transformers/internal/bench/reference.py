"""The program of main.go in Python, with transformers. It prints the same line."""

import time

BEGAN = time.perf_counter_ns()

import argparse  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

import torch  # noqa: E402
import transformers  # noqa: E402

PROMPT, NEW = 64, 64


def write_folder(file, folder):
    """Writes the model of a GGUF file, unpacked to float32, to a folder. Needs gguf and accelerate."""
    where = {"pretrained_model_name_or_path": os.path.dirname(file), "gguf_file": os.path.basename(file)}
    model = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    model.hf_quantizer, model.is_quantized = None, False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(**where).save_pretrained(folder)


def peak():
    with open("/proc/self/status") as f:
        return int(re.search(r"VmHWM:\s+(\d+) kB", f.read()).group(1)) * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--write", help="write the model of this GGUF file to the folder and stop")
    args = parser.parse_args()
    if args.write:
        return write_folder(args.write, args.model)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(args.model, dtype=getattr(torch, args.dtype)).eval()
    ids = torch.arange(100, 100 + PROMPT).unsqueeze(0)

    def generate(n):
        start = time.perf_counter_ns()
        model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=n, eos_token_id=None)
        return time.perf_counter_ns() - start

    generate(1)
    first = time.perf_counter_ns() - BEGAN
    prefill = generate(1)
    generate(4)
    decode = (generate(1 + NEW) - prefill) // NEW
    print(f"bench prefill={prefill} decode={decode} start={first} peak={peak()}")


main()
