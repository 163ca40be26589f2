"""Writes losses.txt: the output of ../reference.py for a small image.

    python make_losses.py
"""

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
settings = dict(samples=400, every=20, size=64, radius=6, seed=3, threads=1)
with open(os.path.join(here, "losses.txt"), "w") as f:
    command = [sys.executable, os.path.join(here, "..", "reference.py")]
    subprocess.run(command + [a for k, v in settings.items() for a in (f"--{k}", str(v))], check=True, stdout=f)
