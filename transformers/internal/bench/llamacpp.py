"""Measures llama.cpp on a GGUF file as main.go measures gotorch. Needs llama-cpp-python."""

import sys
import time

from llama_cpp import Llama

PROMPT, NEW = 64, 64

model = Llama(sys.argv[1], n_ctx=PROMPT + NEW + 8, n_threads=2, n_threads_batch=2, verbose=False)


def generate(n):
    model.reset()
    start = time.perf_counter_ns()
    tokens = model.generate(list(range(100, 100 + PROMPT)), temp=0.0, reset=True)
    for _ in range(n):
        next(tokens)
    return time.perf_counter_ns() - start


generate(1)
prefill = generate(1)
decode = (generate(1 + NEW) - prefill) // NEW
print(f"bench prefill={prefill} decode={decode}")
