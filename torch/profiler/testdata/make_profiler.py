"""Writes programs.json and tables.json, results of Python's profiler.

    python make_profiler.py

Made with PyTorch 2.11.0. programs.json has the operators of two small programs, which are also
in programs_test.go, with their calls, shapes and estimated floating-point operations.
tables.json has the tables that EventList prints for the events in events.json.
"""

import json
import pathlib

import torch
from torch import nn
from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile, record_function

here = pathlib.Path(__file__).parent


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4 * 13 * 13, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return self.fc(torch.flatten(x, 1))


def train(model, opt, x, y):
    opt.zero_grad()
    with record_function("forward"):
        loss = F.cross_entropy(model(x), y)
    loss.backward()
    opt.step()


def programs():
    out = {}
    mlp = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    cnn = CNN()
    for name, model, opt, x, classes in [
        ("mlp", mlp, torch.optim.SGD(mlp.parameters(), lr=0.1), torch.randn(5, 4), 3),
        ("cnn", cnn, torch.optim.SGD(cnn.parameters(), lr=0.1, momentum=0.9), torch.randn(2, 1, 28, 28), 10),
    ]:
        y = torch.arange(len(x)) % classes
        train(model, opt, x, y)
        with profile(activities=[ProfilerActivity.CPU], with_flops=True, profile_memory=True) as p:
            train(model, opt, x, y)
        rows = []
        for e in p.key_averages(group_by_input_shape=True):
            if e.key != "[memory]":
                rows.append([e.key, e.input_shapes, e.count, e.flops or 0, e.cpu_memory_usage])
        out[name] = rows
    return out


def events():
    es = []
    for i, e in enumerate(json.loads((here / "events.json").read_text())):
        fe = FunctionEvent(
            id=i,
            name=e["name"],
            trace_name=e["name"],
            overload_name="",
            thread=e.get("thread", 1),
            start_us=e["start"] / 1000,
            end_us=e["end"] / 1000,
            fwd_thread=0,
            input_shapes=e.get("shapes", []),
            stack=e.get("stack", []),
            scope=e.get("scope", 0),
            cpu_memory_usage=e.get("memory", 0),
            device_memory_usage=e.get("device_memory", 0),
            device_type=DeviceType.CUDA if e.get("cuda") else DeviceType.CPU,
            flops=e.get("flops", 0),
            is_user_annotation=False,
        )
        for k in e.get("kernels", []):
            fe.append_kernel(k, 0, e["kernels"][k] / 1000)
        es.append(fe)
    return es


def tables():
    out = []
    for case in json.loads((here / "cases.json").read_text()):
        es = events()
        for e in es:
            e.use_device = "cuda"
        if not case.get("device"):
            es = [e for e in es if e.device_type == DeviceType.CPU]
            for e in es:
                e.use_device, e.kernels = None, []
        if not case.get("stack"):
            for e in es:
                e.stack = []
        es = EventList(es, use_device="cuda" if case.get("device") else None, profile_memory=case.get("memory", False),
                       with_flops=case.get("flops", False))
        es._build_tree()
        if not case.get("events"):
            es = es.key_averages(**case.get("group", {}))
        out.append(es.table(**case.get("table", {})))
    return out


def dump(name, rows):
    (here / name).write_text(json.dumps(rows, indent=None if name == "programs.json" else 1) + "\n")


dump("programs.json", programs())
dump("tables.json", tables())
