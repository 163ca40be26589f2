"""Writes graph.json: the autograd graphs of a few expressions as Python shows
them, node by node in breadth-first order, with the tensors that each saved.

python make_graph.py > graph.json
"""
import json

import torch
import torch.nn.functional as F


def ones(*shape, grad=False):
    return torch.ones(*shape).requires_grad_(grad)


def mlp():
    x, w1, b1 = ones(64, 20), ones(20, 30, grad=True), ones(30, grad=True)
    w2 = ones(30, 5, grad=True)
    return F.log_softmax((x.matmul(w1) + b1).relu().matmul(w2), 1).sum()


def shared():
    x = ones(7, grad=True)
    y = x.exp()
    return (y * y + y.tanh()).sum()


def numbers():
    return ones(3, grad=True) * 2 + 1


def views():
    x = ones(6, 4, grad=True)
    return x.transpose(0, 1)[1].sigmoid().sum()


def joined():
    a, b = ones(2, 3, grad=True), ones(4, 3, grad=True)
    return torch.cat([a, b.sin()]).sum()


def norm():
    x, w, b = ones(8, 16, grad=True), ones(16, grad=True), ones(16, grad=True)
    return F.layer_norm(x, [16], w, b).sum()


def in_place():
    x = ones(5, grad=True)
    y = x * 3
    y.exp_()
    return y.sum()


def walk(t):
    queue, number, nodes = [t.grad_fn], {t.grad_fn: 0}, []
    for fn in queue:
        edges = []
        for to, _ in fn.next_functions:
            if to is None:
                continue
            if to not in number:
                number[to] = len(queue)
                queue.append(to)
            edges.append(number[to])
        saved = {}
        for attr in dir(fn):
            if not attr.startswith("_saved_"):
                continue
            value = getattr(fn, attr)
            for s in value if isinstance(value, (tuple, list)) else [value]:
                if isinstance(s, torch.Tensor):
                    saved[(s.data_ptr(), tuple(s.shape))] = [list(s.shape), s.untyped_storage().nbytes()]
        name = fn.name()
        nodes.append({"name": name.split("::")[-1], "next": edges, "saved": sorted(saved.values())})
    return nodes


print(json.dumps({f.__name__: walk(f()) for f in (mlp, shared, numbers, views, joined, norm, in_place)}, indent=1))
