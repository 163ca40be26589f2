"""Writes losses.json: what reference.py prints and the losses of its batches.

    ../../../build/venv/bin/python make_losses.py
"""

import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
flags = {"epochs": 2, "batch": 32, "accumulate": 3, "warmup": 5, "examples": 640, "threads": 1, "seed": 3}

with tempfile.NamedTemporaryFile("r") as losses:
    out = subprocess.run(
        [sys.executable, os.path.join(here, "..", "reference.py"), "--losses", losses.name]
        + [a for name, v in flags.items() for a in (f"--{name}", str(v))],
        check=True, capture_output=True, text=True).stdout
    golden = {**flags, "printed": out.splitlines(), "losses": [float(line) for line in losses]}
with open(os.path.join(here, "losses.json"), "w") as f:
    json.dump(golden, f, indent=1)
    f.write("\n")
