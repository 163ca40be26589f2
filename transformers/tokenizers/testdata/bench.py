"""Prints the megabytes a second that Python's tokenizers encodes, for the lines of BenchmarkEncode."""

import os
import pathlib
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

here = pathlib.Path(__file__).parent
data = (here / "corpus.txt").read_text()
lines = data.strip().split("\n")
for path in sorted(here.glob("*.json")) + sys.argv[1:]:
    if path == here / "goldens.json":
        continue
    tok = Tokenizer.from_file(str(path))
    best = float("inf")
    for _ in range(15):
        start = time.perf_counter()
        for _ in range(20):
            for line in lines:
                tok.encode(line)
        best = min(best, time.perf_counter() - start)
    print(f"{pathlib.Path(path).stem:20}{20 * len(data.encode()) / best / 1e6:8.2f} MB/s")
