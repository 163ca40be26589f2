"""Shared by make_functional.py and make_functions.py. A case is a call of torch.nn.functional with
its inputs, its result and its gradients."""

import torch

torch.set_num_threads(1)
torch.manual_seed(0)


def rnd(*shape):
    return torch.randn(shape)


def tensor(t):
    d = t.detach()
    return dict(
        shape=list(d.shape),
        dtype=str(d.dtype).removeprefix("torch."),
        data=[round(x, 6) if isinstance(x, float) else int(x) for x in d.flatten().tolist()],
    )


def case(name, fn, *inputs):
    """Records a call of fn. Inputs of a floating-point dtype get gradients."""
    inputs = [
        torch.tensor(tensor(t)["data"], dtype=t.dtype).reshape(t.shape) for t in inputs
    ]
    leaves = [t.requires_grad_() if t.is_floating_point() else t for t in inputs]
    out = fn(*leaves)
    entry = dict(name=name, inputs=[tensor(t) for t in leaves], output=tensor(out))
    if out.requires_grad:
        weight = torch.linspace(-1, 2, out.numel()).reshape(out.shape)
        grads = torch.autograd.grad(
            out, [t for t in leaves if t.requires_grad], weight, allow_unused=True
        )
        grads = iter(grads)
        entry["weight"] = tensor(weight)
        entry["grads"] = [
            tensor(g) if t.requires_grad and (g := next(grads)) is not None else None
            for t in leaves
        ]
    return entry
