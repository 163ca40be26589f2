"""Writes kineto_tables.json: the tables that Python's profiler prints for kineto.json.

    python make_kineto.py

Made with PyTorch 2.11.0. kineto.json is an invented report of a program on two CUDA devices,
with the names and properties that Kineto reports: operators, CUDA calls, and what the devices
ran. Times are in ns. Each call and kernel names the operator that CUPTI links it to. The Go
profiler has to find the operator by thread and time.
"""

import json
import pathlib
from types import SimpleNamespace

from torch.autograd import DeviceType
from torch.autograd.profiler import profile
from torch.autograd.profiler_util import EventList

here = pathlib.Path(__file__).parent
given = json.loads((here / "kineto.json").read_text())


def event(e, *, number=0, linked=0, device=DeviceType.CPU, thread=0, annotation=False):
    facts = dict(
        name=e["name"], correlation_id=number, linked_correlation_id=linked, device_type=device,
        device_index=max(e.get("device", 0), 0), device_resource_id=e.get("resource", 0),
        start_thread_id=thread, end_thread_id=thread, fwd_thread_id=0, overload_name="",
        start_ns=e["start"], end_ns=e["end"], shapes=[], concrete_inputs=[], kwinputs={}, stack=[],
        scope=e.get("scope", 0), is_async=False, is_hidden_event=False, sequence_nr=-1, flops=0,
        is_user_annotation=annotation, metadata_json="", cuda_elapsed_us=-1, nbytes=e.get("bytes", 0),
    )
    return SimpleNamespace(**{k: (lambda v=v: v) for k, v in facts.items()})


def events():
    out = []
    for e in given["regions"]:
        out.append(event(e, number=1000 + len(out), thread=1, annotation=True))
    for e in given["operators"]:
        out.append(event(e, number=e["id"], thread=e["thread"]))
        # An allocation by the operator itself, not by an operator that it calls.
        if e.get("device_memory") and e["id"] in (2, 8):
            memory = {"name": "[memory]", "start": e["start"] + 1, "end": e["start"] + 1, "bytes": e["device_memory"]}
            out.append(event(memory, device=DeviceType.CUDA, thread=e["thread"]))
    threads = {1: 1, 2: 2}
    of = {e["id"]: e["thread"] for e in given["operators"]}
    for e in given["devices"]:
        on = DeviceType.CUDA if e["device"] >= 0 else DeviceType.CPU
        out.append(event(e, number=e["correlation"] + 5000, linked=e["operator"], device=on,
                         thread=of.get(e["operator"], 77 + e["resource"])))
    for e in given["annotations"]:
        out.append(event(e, number=9000, device=DeviceType.CUDA, thread=77 + e["resource"], annotation=True))
    return out


p = profile(use_kineto=True)
p.use_device = "cuda"
result = SimpleNamespace(events=events, trace_start_ns=lambda: 0)
evs = events()
result.events = lambda: evs
tables = []
for case in json.loads((here / "kineto_cases.json").read_text()):
    es = EventList(p._parse_kineto_results(result), use_device="cuda", profile_memory=True, with_flops=False)
    es = EventList([e for e in es if e.device_type != DeviceType.CUDA or e.name != "[memory]"], use_device="cuda",
                   profile_memory=True, with_flops=False)
    es._build_tree()
    if not case.get("events"):
        es = es.key_averages()
    tables.append(es.table(**case.get("table", {})))
(here / "kineto_tables.json").write_text(json.dumps(tables, indent=1) + "\n")
