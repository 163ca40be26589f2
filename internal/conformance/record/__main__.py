"""Records PyTorch's results for the samples of its own test databases.

    python internal/conformance/record OUT [modules|optimizers|ops [NAME...]]

DTYPES=float32,int64 selects the dtypes of the operators' samples; the default is all five.
With SMALL=1 it records a few samples of each member, for testdata.
"""

import sys
import types
import unittest
import warnings

# PyTorch's test helpers import a package for expected texts, which is not needed here.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase
sys.modules.setdefault("expecttest", expecttest)
warnings.simplefilter("ignore")

import torch  # noqa: E402

torch.set_num_threads(1)

kinds = ["modules", "optimizers", "ops"]
out, *rest = sys.argv[1:]
if rest and rest[0] not in kinds:
    sys.exit(f"record: {rest[0]} is none of {kinds}")
for kind in rest[:1] or kinds:
    __import__(kind).run(out, rest[1:])
