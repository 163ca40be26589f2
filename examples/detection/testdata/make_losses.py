"""Writes losses.json: the losses of the steps of reference.py, plain and in mixed precision.

    ../../../build/venv/bin/python make_losses.py
"""

import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
flags = {"epochs": 1, "images": 48, "tests": 8, "batch": 4, "warmup": 5, "threads": 1, "seed": 3}

golden = dict(flags)
for name, more in [("losses", []), ("amp_losses", ["--amp", "--steps", "3"])]:
    with tempfile.NamedTemporaryFile("r") as losses:
        subprocess.run(
            [sys.executable, os.path.join(here, "..", "reference.py"), "--losses", losses.name]
            + [a for flag, v in flags.items() for a in (f"--{flag}", str(v))] + more,
            check=True)
        golden[name] = [float(line.split()[1]) for line in losses]
with open(os.path.join(here, "losses.json"), "w") as f:
    json.dump(golden, f, indent=1)
    f.write("\n")
