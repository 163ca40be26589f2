"""Writes the losses of ten steps of reference.py for each model.

    ../../../../build/venv/bin/python make_losses.py
"""

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
flags = {
    "data": os.path.join(here, "../../../gpt/testdata/text.txt"), "lr": 2, "emsize": 16, "nhid": 16,
    "batch-size": 8, "bptt": 6, "steps": 10, "threads": 1, "generate": 0,
}
for model in ("RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"):
    subprocess.run(
        [sys.executable, os.path.join(here, "..", "reference.py"), "--model", model,
         "--losses", os.path.join(here, model + ".txt")]
        + [a for flag, v in flags.items() for a in (f"--{flag}", str(v))],
        check=True)
