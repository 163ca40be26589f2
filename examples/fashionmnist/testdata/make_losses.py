"""Writes losses.json: the first 100 losses that ../reference.py prints.

    python make_losses.py FOLDER_OF_FASHION_MNIST
"""

import json
import os
import subprocess
import sys
import tempfile

import torch

here = os.path.dirname(os.path.abspath(__file__))
settings = dict(seed=0, threads=2, batch=64, steps=100)

with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "losses")
    subprocess.run(
        [sys.executable, os.path.join(here, "..", "reference.py"), "--data", sys.argv[1], "--losses", path]
        + [a for k, v in settings.items() for a in (f"--{k}", str(v))],
        check=True,
    )
    with open(path) as f:
        losses = [float(line.split()[1]) for line in f]
with open(os.path.join(here, "losses.json"), "w") as f:
    json.dump(dict(torch=torch.__version__.split("+")[0], **settings, losses=losses), f, indent=1)
    f.write("\n")
