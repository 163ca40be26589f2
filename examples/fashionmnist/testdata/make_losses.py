"""Writes losses.json: the first 100 losses that ../reference.py prints.

    python make_losses.py FOLDER_OF_FASHION_MNIST

Once for each kind of vector instructions that this processor has: kernels of
another width round otherwise, and by step 40 training has made 1e-2 of that.
"""

import json
import os
import subprocess
import sys
import tempfile

import torch

here = os.path.dirname(os.path.abspath(__file__))
settings = dict(seed=0, threads=2, batch=64, steps=100)
kinds = {
    "AVX2": dict(ATEN_CPU_CAPABILITY="avx2", ONEDNN_MAX_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2"),
    "AVX512": dict(ATEN_CPU_CAPABILITY="avx512"),
}
if torch.backends.cpu.get_cpu_capability() != "AVX512":
    sys.exit("run this on a processor with AVX512")

losses = {}
for kind, env in kinds.items():
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "losses")
        subprocess.run(
            [sys.executable, os.path.join(here, "..", "reference.py"), "--data", sys.argv[1], "--losses", path]
            + [a for k, v in settings.items() for a in (f"--{k}", str(v))],
            check=True,
            env=os.environ | env,
        )
        with open(path) as f:
            losses[kind] = [float(line) for line in f]
with open(os.path.join(here, "losses.json"), "w") as f:
    json.dump(dict(torch=torch.__version__.split("+")[0], **settings, losses=losses), f, indent=1)
    f.write("\n")
