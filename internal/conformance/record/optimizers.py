"""Records every sample of PyTorch's optimizer database: steps on fixed parameters
with fixed gradients, and the state afterwards."""

import torch
from torch.testing._internal.common_optimizers import optim_db

from store import SMALL, Recorder, some

STEPS = 20
SHAPES = [[3, 5], [5], [2, 3, 4], [33]]
FLAT = [[3, 5], [7, 4], [4, 4]]  # shapes for Muon, whose parameters must be matrices


def gradients(name, shapes, dtype):
    """Returns the gradients of each step. Gradients for SparseAdam have only some rows."""
    draw = torch.Generator().manual_seed(7)
    steps = []
    for _ in range(STEPS):
        row = [torch.randn(s, generator=draw, dtype=torch.float64).to(dtype) for s in shapes]
        if name == "SparseAdam":
            for i, g in enumerate(row):
                rows = (torch.rand(g.shape[0], generator=draw) < 0.6).nonzero()
                row[i] = torch.sparse_coo_tensor(rows.T, g[rows[:, 0]], g.shape).coalesce()
        steps.append(row)
    return steps


def record(r, info, sample, dtype, how):
    r.begin()
    name = info.name
    shapes = FLAT if name == "Muon" else SHAPES
    draw = torch.Generator().manual_seed(6)
    start = [torch.randn(s, generator=draw, dtype=torch.float64).to(dtype) for s in shapes]
    target = [torch.randn(s, generator=draw, dtype=torch.float64).to(dtype) for s in shapes]
    kwargs = {**sample.kwargs, **how}
    case = {"desc": sample.desc, "dtype": str(dtype)[6:], "how": next(iter(how), "")}
    case["args"] = {k: r.value(v) for k, v in kwargs.items()}
    case["start"] = [r.tensor(p) for p in start]
    ps = [p.clone().requires_grad_() for p in start]
    opt = info.optim_cls(ps, **kwargs)
    case["text"] = str(opt)
    if info.step_requires_closure:
        case["target"] = [r.tensor(p) for p in target]
        case["losses"] = []

        def closure():
            opt.zero_grad()
            loss = sum(((p - t) ** 4).sum() + ((p - t) ** 2).sum() for p, t in zip(ps, target))
            loss.backward()
            return loss

        for _ in range(STEPS):
            case["losses"].append(r.tensor(opt.step(closure)))
    else:
        case["gradients"] = []
        for row in gradients(name, shapes, dtype):
            case["gradients"].append([r.tensor(g) for g in row])
            for p, g in zip(ps, row):
                p.grad = g.clone()
            opt.step()
    case["end"] = [r.tensor(p) for p in ps]
    sd = opt.state_dict()
    case["state"] = [{k: r.value(v) for k, v in sd["state"].get(i, {}).items()} for i in range(len(ps))]
    case["groups"] = [{k: r.value(v) for k, v in g.items()} for g in sd["param_groups"]]
    return case


def run(out, want):
    for info in optim_db:
        if want and info.name not in want:
            continue
        r, cases, failed = Recorder(), [], []
        for dtype in (torch.float32,) if SMALL else (torch.float32, torch.float64):
            for how in ({}, *({h: True} for h in ("foreach", "fused") if h in info.supported_impls)):
                for sample in some(info.optim_inputs_func(device="cpu"), 1 if how else 2):
                    try:
                        cases.append(record(r, info, sample, dtype, how))
                    except Exception as e:
                        failed.append(f"{sample.desc} {dtype} {how}: {type(e).__name__}: {str(e)[:200]}")
        r.write(f"{out}/optimizers/{info.name}.gz", cases)
        print(f"{info.name}: {len(cases)} cases" + "".join(f"\n  failed: {f}" for f in failed), flush=True)
