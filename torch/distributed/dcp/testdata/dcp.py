"""Writes and reads checkpoints for python_test.go. Arguments: MODE FOLDERS. The environment has the rank."""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

torch.set_num_threads(1)


def pattern(*shape):
    """Returns a tensor with many bit patterns, including NaNs."""
    n = 1
    for s in shape:
        n *= s
    return (torch.arange(n, dtype=torch.int64) * 123456789).to(torch.int32).view(torch.float32).view(shape)


def tensors():
    n = torch.arange(12, dtype=torch.float64).view(3, 4) - 5.5
    t = {d: n.to(getattr(torch, d))
         for d in ("float64", "float16", "bfloat16", "int64", "int32", "int8", "bool", "complex64")}
    t["uint8"] = torch.arange(5, dtype=torch.uint8)
    t["pattern"] = pattern(7, 5)
    t["turned"] = pattern(4, 3).t()
    t["part"] = pattern(6, 6)[2:5, 1:3]
    t["scalar"] = torch.tensor(2.25)
    t["empty"] = torch.zeros(0, 4)
    return t


def state():
    return {
        "model": tensors(),
        "epoch": 5, "rate": 0.25, "name": "wörd", "flag": True, "none": None, "large": 1 << 40,
        "list": [1, 2, "x"], "tuple": (1, 2.5),
        "mixed": [pattern(2), 3, {"a": -1, "in": {"b": pattern(3, 1)}}],
    }


def whole():
    return {"rows": pattern(10, 3), "columns": pattern(2, 7), "few": pattern(1, 4)}


def blank(v):
    if isinstance(v, torch.Tensor):
        return torch.zeros_like(v)
    if isinstance(v, dict):
        return {k: blank(x) for k, x in v.items()}
    if isinstance(v, list):
        return [blank(x) for x in v]
    return "to be replaced"


def same(want, got, where=""):
    if isinstance(want, torch.Tensor):
        assert isinstance(got, torch.Tensor), (where, got)
        assert want.dtype == got.dtype and want.shape == got.shape, (
            where, want.dtype, got.dtype, want.shape, got.shape)
        bits = lambda t: t.contiguous().reshape(-1).view(torch.uint8)
        assert torch.equal(bits(want), bits(got)), (where, want, got)
    elif isinstance(want, dict):
        assert list(sorted(want)) == list(sorted(got)), (where, want, got)
        for k, v in want.items():
            same(v, got[k], f"{where}.{k}")
    elif isinstance(want, list):
        assert isinstance(got, list) and len(want) == len(got), (where, want, got)
        for i, v in enumerate(want):
            same(v, got[i], f"{where}.{i}")
    else:
        assert type(want) is type(got) and want == got, (where, want, got)


def trained():
    model = torch.nn.Linear(4, 3)
    with torch.no_grad():
        model.weight.copy_(torch.arange(12).view(3, 4) / 8)
        model.bias.zero_()
    opt = torch.optim.AdamW(model.parameters(), lr=0.125, betas=(0.5, 0.75))
    for i in range(3):
        opt.zero_grad()
        model(torch.ones(2, 4) * i).square().sum().backward()
        opt.step()
    return model, opt


def mesh():
    return init_device_mesh("cpu", (dist.get_world_size(),))


def write(folder):
    m = mesh()
    s = state()
    w = whole()
    s["parts"] = {
        "rows": distribute_tensor(w["rows"], m, [Shard(0)]),
        "columns": distribute_tensor(w["columns"], m, [Shard(1)]),
        "few": distribute_tensor(w["few"], m, [Shard(0)]),
    }
    model, opt = trained()
    s["net"], s["opt"] = model.state_dict(), opt.state_dict()
    from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
    s["named"] = get_optimizer_state_dict(model, opt)
    dcp.save(s, checkpoint_id=folder)


def read(folder):
    """Reads the whole tensors in one process."""
    s = blank(state())
    s["parts"] = blank(whole())
    dcp.load(s, checkpoint_id=folder, no_dist=True)
    want = state()
    want["parts"] = whole()
    same(want, s)
    # Load with only the checkpoint's metadata, as torch.distributed.checkpoint.format_utils does.
    from torch.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys
    same(want, {k: v for k, v in _load_state_dict_from_keys(checkpoint_id=folder).items() if k in want})


def read_optimizer(folder):
    """Loads the state that a Go optimizer has saved into a Python optimizer, and continues."""
    model, opt = trained()
    want_model, want_opt = {k: v.clone() for k, v in model.state_dict().items()}, opt.state_dict()
    import copy
    want_opt = copy.deepcopy(want_opt)
    s = {"net": blank(model.state_dict()), "opt": copy.deepcopy(opt.state_dict())}
    for of in s["opt"]["state"].values():
        for t in of.values():
            t.zero_()
    s["opt"]["param_groups"][0]["lr"] = None
    dcp.load(s, checkpoint_id=folder, no_dist=True, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    same(want_model, s["net"], "net")
    for n, of in want_opt["state"].items():
        same(of, s["opt"]["state"][n], f"state.{n}")
    group = s["opt"]["param_groups"][0]
    assert group["lr"] == 0.125 and tuple(group["betas"]) == (0.5, 0.75) and group["params"] == [0, 1], group
    opt.load_state_dict(s["opt"])


def read_parts(folder):
    """Reads on several ranks, each its part."""
    m = mesh()
    w = whole()
    s = {
        "rows": distribute_tensor(torch.zeros_like(w["rows"]), m, [Shard(1)]),
        "columns": distribute_tensor(torch.zeros_like(w["columns"]), m, [Shard(0)]),
        "few": distribute_tensor(torch.zeros_like(w["few"]), m, [Shard(0)]),
    }
    s = {"parts": s, "model": blank(tensors()), "epoch": 0}
    dcp.load(s, checkpoint_id=folder)
    same(tensors(), s["model"])
    same(w, {k: v.full_tensor() for k, v in s["parts"].items()})
    assert s["epoch"] == 5


mode, folder, *more = sys.argv[1:]
if "WORLD_SIZE" in os.environ:
    dist.init_process_group("gloo", init_method="file://" + folder + ".ranks", rank=int(os.environ["RANK"]),
                            world_size=int(os.environ["WORLD_SIZE"]))
{"write": write, "read": read, "read_parts": read_parts}[mode](folder)
for f in more:
    read(f)
if mode == "read":
    read_optimizer(folder)
if dist.is_initialized():
    dist.barrier()
    dist.destroy_process_group()
