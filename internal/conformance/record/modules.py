"""Records every sample of PyTorch's module database: the initial parameters, the results of
forward, gradients, and the state afterwards."""

import inspect

import torch
from torch.testing._internal.common_modules import module_db

from store import SMALL, Recorder, flat, some

DTYPES = [torch.float32, torch.float64]
SEED = 20


def remember_arguments():
    """Makes TransformerEncoderLayers, which are arguments of other modules, keep their arguments."""
    cls = torch.nn.TransformerEncoderLayer
    init = cls.__init__

    def wrapped(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.__dict__["recorded"] = bound(init, (self, *args), kwargs)

    cls.__init__ = wrapped


def bound(fn, args, kwargs):
    """Returns the given arguments by name, in the order of the signature."""
    given = inspect.signature(fn).bind(*args, **kwargs).arguments
    given.pop("self", None)
    given.update(given.pop("kwargs", {}))
    rest = given.pop("args", ())
    return {**given, **{f"arg{i}": a for i, a in enumerate(rest)}}


def leaves(v):
    """Returns the same arguments with tensors detached into leaf tensors."""
    if isinstance(v, torch.nn.utils.rnn.PackedSequence):
        return type(v)(leaves(v.data), *v[1:])
    if isinstance(v, torch.Tensor):
        return v.detach().requires_grad_(v.requires_grad)
    if isinstance(v, (list, tuple)):
        return type(v)(leaves(x) for x in v)
    return v


def wanting(v):
    if isinstance(v, torch.nn.utils.rnn.PackedSequence):
        return wanting(v.data)
    if isinstance(v, torch.Tensor):
        return [v] if v.requires_grad else []
    if isinstance(v, (list, tuple)):
        return [t for x in v for t in wanting(x)]
    return []


def index(r, t):
    return None if t is None else r.tensor(t)


def state(r, m):
    return [[n, index(r, t)] for n, t in m.state_dict().items()]


def record(r, info, sample, dtype, train):
    r.begin()
    cls, made = info.module_cls, sample.constructor_input
    case = {"desc": sample.desc, "dtype": str(dtype)[6:], "train": train, "seed": SEED}
    case["args"] = {k: r.value(v) for k, v in bound(cls, made.args, made.kwargs).items()}
    torch.manual_seed(SEED)
    m = cls(*made.args, **made.kwargs)
    case["init"] = state(r, m)
    m.to(dtype)
    m.train(train)
    case["text"] = str(m)

    given = sample.forward_input
    call = {k: leaves(v) for k, v in bound(m.forward, given.args, given.kwargs).items()}
    case["order"] = list(call)
    case["forward"] = {k: r.value(v) for k, v in call.items()}
    torch.manual_seed(SEED + 1)
    result = m(**call)
    out = flat(tuple(result) if isinstance(result, torch.nn.utils.rnn.PackedSequence) else result)
    case["out"] = [index(r, t) for t in out]

    draw = torch.Generator().manual_seed(SEED + 2)
    roots = [t for t in out if t is not None and t.requires_grad]
    grads = [torch.randn(t.shape, generator=draw, dtype=t.dtype) for t in roots]
    case["upstream"] = [index(r, g) for g in grads]
    if roots:
        torch.autograd.backward(roots, grads)
    case["in_grads"] = [index(r, t.grad) for v in call.values() for t in wanting(v)]
    case["grads"] = [[n, index(r, p.grad)] for n, p in m.named_parameters()]
    case["after"] = state(r, m)

    if not train:
        with torch.no_grad():
            torch.manual_seed(SEED + 1)
            result = m(**call)
        out = flat(tuple(result) if isinstance(result, torch.nn.utils.rnn.PackedSequence) else result)
        case["no_grad"] = [index(r, t) for t in out]
    return case


def run(out, want):
    remember_arguments()
    for info in module_db:
        name = info.name.removeprefix("nn.")
        if want and name not in want:
            continue
        r, cases, failed = Recorder(), [], []
        if info.is_lazy:
            r.write(f"{out}/modules/{name}.gz", cases)
            continue
        for dtype in DTYPES[:1] if SMALL else DTYPES:
            for train in (True, False) if info.train_and_eval_differ or not SMALL else (True,):
                torch.manual_seed(SEED)
                samples = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=train)
                for sample in some(samples):
                    try:
                        cases.append(record(r, info, sample, dtype, train))
                    except Exception as e:
                        failed.append(f"{sample.desc} {dtype}: {type(e).__name__}: {str(e)[:200]}")
        r.write(f"{out}/modules/{name}.gz", cases)
        print(f"{name}: {len(cases)} cases" + "".join(f"\n  failed: {f}" for f in failed), flush=True)
