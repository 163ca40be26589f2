# Compiles the models of the tests into a folder, and stores the results of running the
# packages in Python next to them: python compile.py FOLDER MODEL...
# A package runs only on the kind of machine that compiled it, so none is committed.
import os
import sys

import torch
from safetensors.torch import save_file
from torch.export import Dim

BATCH = Dim("batch", min=1, max=64)


class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


class Conv(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)

    def forward(self, x):
        return torch.nn.functional.max_pool2d(torch.relu(self.bn(self.conv(x))), 2).flatten(1)


class Parts(torch.nn.Module):
    """Takes several inputs and returns several results, of which one is a buffer and one an input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([2.0, 3.0]))

    def forward(self, x, rest, *, offset):
        y = rest["y"] * self.scale
        return {"sum": x + y, "offset": (x - offset, self.scale), "same": rest["y"]}


def models():
    x = torch.randn(3, 4)
    yield "mlp", MLP(), (x,), {}, ({0: BATCH},), [x, torch.randn(1, 4), torch.randn(64, 4)]
    image = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    yield "conv", Conv(), (image,), {}, None, [image]
    args, kwargs = (torch.randn(3, 2), {"y": torch.randn(3, 2)}), {"offset": torch.randn(2)}
    yield "parts", Parts(), args, kwargs, {"x": {0: BATCH}, "rest": {"y": {0: BATCH}}, "offset": None}, None
    yield "empty", MLP(), (x,), {}, None, [x]  # the package has no weights


def main(folder, wanted):
    torch.manual_seed(0)
    for name, model, args, kwargs, dynamic, runs in models():
        if name not in wanted:
            continue
        model.eval()
        exported = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic)
        torch.export.save(exported, os.path.join(folder, name + ".exported.pt2"))
        configs = {
            "aot_inductor.metadata": {"purpose": "test"},
            "aot_inductor.precompile_headers": False,
            "always_keep_tensor_constants": True,  # otherwise small constants become part of the code
        }
        if name != "parts":
            configs["aot_inductor.check_lowerbound"] = False  # otherwise the least size is 2 although 1 works
        if name == "empty":
            configs["aot_inductor.package_constants_in_so"] = False
        path = os.path.join(folder, name + ".pt2")
        torch._inductor.aoti_compile_and_package(exported, package_path=path, inductor_configs=configs)
        compiled = torch._inductor.aoti_load_package(path)
        if name == "empty":
            compiled.load_constants(model.state_dict(), check_full_update=True)
        out = {}
        for i, x in enumerate(runs or [None]):
            results = compiled(*args, **kwargs) if runs is None else compiled(x)
            flat = torch.utils._pytree.tree_leaves(((args, kwargs) if runs is None else x))
            for j, t in enumerate(flat):
                out[f"{i}.in.{j}"] = t
            for j, t in enumerate(torch.utils._pytree.tree_leaves(results)):
                out[f"{i}.out.{j}"] = t.clone()
        save_file({k: v.clone(memory_format=torch.contiguous_format) for k, v in out.items()},
                  os.path.join(folder, name + ".safetensors"))
        save_file({k: v.clone() for k, v in model.state_dict().items()},
                  os.path.join(folder, name + ".weights.safetensors"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
