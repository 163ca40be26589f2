"""Writes shards/ with huggingface_hub: sharded checkpoints, and the expected names of shards.

The script needs huggingface_hub, which no other script needs:

    build/venv/bin/pip install --target /tmp/hub huggingface_hub==2.4.0
    PYTHONPATH=/tmp/hub build/venv/bin/python torch/safetensors/testdata/shards.py
"""

import json
import os
import shutil

import torch
from huggingface_hub import save_torch_state_dict
from huggingface_hub.serialization import split_state_dict_into_shards_factory

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "shards")
shutil.rmtree(folder, ignore_errors=True)
for name in ("many", "one"):
    os.makedirs(os.path.join(folder, name))

tied = torch.arange(6.0)
state = {
    "a.weight": torch.arange(12.0).view(3, 4),
    "b.bias": torch.arange(3, dtype=torch.int64),
    "c.large": torch.arange(40.0),
    "d.half": torch.arange(5.0).to(torch.bfloat16),
    "e.embed": tied,
    "f.head": tied.view(2, 3),
    "g.t": torch.arange(6.0).view(2, 3).t(),
}
save_torch_state_dict(dict(state), os.path.join(folder, "many"), max_shard_size=64, metadata={"source": "test"})
save_torch_state_dict(dict(state), os.path.join(folder, "one"), metadata={"source": "test"})

# For some lists of tensor sizes: to which shards the tensors go, and the names of the shards.
splits = []
for sizes, most in [
    ([5], 10), ([10], 10), ([11], 10), ([5, 5], 10), ([5, 6], 10), ([6, 6, 2, 6, 2, 2], 10),
    ([11, 1, 12, 1], 10), ([1, 11], 10),
    ([0, 0, 10, 0], 10), ([3] * 30, 10), ([1] * 5, 1),
]:
    state = {f"t{i:02d}": n for i, n in enumerate(sizes)}
    split = split_state_dict_into_shards_factory(state, get_storage_size=lambda n: n,
                                                 filename_pattern="model{suffix}.safetensors", max_shard_size=most)
    splits.append({"sizes": sizes, "most": most, "files": split.filename_to_tensors})
with open(os.path.join(folder, "splits.json"), "w") as f:
    json.dump(splits, f)
    f.write("\n")
