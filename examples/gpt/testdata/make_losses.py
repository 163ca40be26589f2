"""Writes losses.json: the losses that ../reference.py prints for text.txt, by dtype.

    python make_losses.py
"""

import json
import os
import subprocess
import sys
import tempfile

import torch

here = os.path.dirname(os.path.abspath(__file__))
settings = dict(steps=20, batch=4, block=32, layers=2, heads=2, width=32, warmup=5, seed=0, threads=2)


def losses(dtype):
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "losses")
        subprocess.run(
            [sys.executable, os.path.join(here, "..", "reference.py"), "--text", os.path.join(here, "text.txt"),
             "--bench", "--dtype", dtype, "--losses", path]
            + [a for k, v in settings.items() for a in (f"--{k}", str(v))],
            check=True,
        )
        with open(path) as f:
            return [float(line.split()[1]) for line in f]


with open(os.path.join(here, "losses.json"), "w") as f:
    golden = {dtype: losses(dtype) for dtype in ["float32", "bfloat16", "float16"]}
    json.dump(dict(torch=torch.__version__.split("+")[0], **settings, losses=golden), f, indent=1)
    f.write("\n")
