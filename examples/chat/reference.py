"""chat in Python: the same model with transformers, which reads GGUF files with gguf and accelerate.

    python reference.py --model FILE.gguf --ask QUESTION
"""

import argparse
import os
import time

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True, help="GGUF file")
    p.add_argument("--ask", required=True, help="ask this")
    p.add_argument("--tokens", type=int, default=200, help="largest number of tokens of the answer")
    p.add_argument("--losses", help="write seconds and number of each token of the answer to this file")
    args = p.parse_args()
    where = {"pretrained_model_name_or_path": os.path.dirname(args.model), "gguf_file": os.path.basename(args.model)}
    tokenizer = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    messages = [{"role": "user", "content": args.ask}]
    prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = tokenizer(prompt, return_tensors="pt", add_special_tokens=False)
    out = model.generate(**ids, do_sample=False, max_new_tokens=args.tokens)
    answer = tokenizer.decode(out[0, ids.input_ids.shape[1]:], skip_special_tokens=True)
    print(answer)
    if args.losses:
        with open(args.losses, "w") as f:
            for number in tokenizer(answer, add_special_tokens=False).input_ids:
                f.write(f"{time.time():.6f} {number}\n")


main()
