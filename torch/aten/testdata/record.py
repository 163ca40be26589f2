"""Records the results of PyTorch's operators, for replay_test.go.

    python record.py operators.jsonl

Runs the samples of PyTorch's own operator database (torch.testing). For each
operator overload that is dispatched in the forward or backward pass, it keeps
the first small call. From a functional call it derives calls of the in-place
and out= overloads of the same operator. Each line is a JSON object:

    {"op": "add.Tensor", "args": [...], "out": [...], "after": {"0": ...}}

"args" has every argument in the schema's order. "after" has the arguments that
the operator wrote to, by position. Made with torch 2.11.0.
"""
import json
import math
import os
import random
import sys
import types
import warnings

warnings.simplefilter("ignore")
stub = types.ModuleType("expecttest")  # imported by torch.testing, not needed here
stub.TestCase = __import__("unittest").TestCase
sys.modules.setdefault("expecttest", stub)

import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

MAX_NUMEL, MAX_SAMPLES, MAX_LINE = 36, 24, 2600
torch.set_num_threads(1)


class Skip(Exception):
    pass


def number(x):
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return x


def tensor(t):
    if t is None:
        return None
    if t.layout != torch.strided or t.device.type != "cpu" or t.is_quantized or t.numel() > MAX_NUMEL:
        raise Skip
    if t.is_conj() or t.is_neg():
        raise Skip
    t = t.detach()
    name = str(t.dtype).removeprefix("torch.")
    if t.dtype in (torch.complex64, torch.complex128):
        v = [number(x) for x in torch.view_as_real(t.resolve_conj().contiguous()).flatten().tolist()]
    elif t.dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        v = [number(float(f"{x:.9g}")) for x in t.flatten().tolist()]
    elif t.dtype in (torch.int64, torch.int32, torch.bool, torch.uint8, torch.int16, torch.int8):
        v = t.flatten().tolist()
    else:
        raise Skip
    return {"d": name, "s": list(t.shape), "v": v}


def scalar(x):
    if x is None:
        return None
    if isinstance(x, bool):
        return {"b": x}
    if isinstance(x, int):
        return {"i": x}
    if isinstance(x, float):
        return {"f": number(x)}
    return {"c": [x.real, x.imag]}


def encode(kind, v):
    """Encodes a value according to its type in the schema."""
    if v is None:
        return None
    if kind.startswith("Optional["):
        return encode(kind[len("Optional["):-1], v)
    if kind.startswith("List["):
        items = v if isinstance(v, (list, tuple, torch.Size)) else [v]
        return [encode(kind[len("List["):-1], x) for x in items]
    if kind == "Tensor":
        return tensor(v)
    if kind in ("number", "Scalar"):
        return scalar(v)
    if kind == "float":
        return number(float(v))
    if kind in ("int", "SymInt") and isinstance(v, (torch.dtype, torch.layout, torch.memory_format)):
        return str(v).removeprefix("torch.")
    if kind in ("int", "SymInt"):
        return int(v)
    if kind in ("bool", "str"):
        return v
    if kind == "Device":
        return str(v)
    raise Skip


def real_type(arg):
    """Returns the argument's type. ScalarType and similar types are not reported as int."""
    return str(arg.real_type) if hasattr(arg, "real_type") else str(arg.type)


ENUMS = {"dtype", "layout", "memory_format", "out_dtype", "input_dtype", "cuda_dtype", "cpu_dtype", "output_dtype"}


def is_enum(arg):
    return arg.name in ENUMS and "int" in str(arg.type)


def values(func, args, kwargs):
    """Returns every argument of the call in the schema's order, including defaults."""
    out = []
    for i, a in enumerate(func._schema.arguments):
        if i < len(args):
            out.append(args[i])
        elif a.name in kwargs:
            out.append(kwargs[a.name])
        elif a.has_default_value():
            v = a.default_value
            # Default dtypes are numbers here. In Go the zero value means the default.
            out.append(None if is_enum(a) and v is not None else v)
        else:
            raise Skip
    return out


def call(func, vals):
    args, kwargs = [], {}
    for a, v in zip(func._schema.arguments, vals):
        if a.kwarg_only:
            if not (is_enum(a) and v is None):
                kwargs[a.name] = v
        else:
            args.append(v)
    return func(*args, **kwargs)


def copied(v):
    if isinstance(v, torch.Tensor):
        # A contiguous copy, because the Go test makes contiguous tensors.
        return v.detach().clone(memory_format=torch.contiguous_format)
    if isinstance(v, (list, tuple)) and not isinstance(v, torch.Size):
        return [copied(x) for x in v]
    return v


records, failed, busy = {}, set(), False


def consider(func, args, kwargs):
    global busy
    name = func._schema.name.removeprefix("aten::")
    if func._schema.overload_name:
        name += "." + func._schema.overload_name
    if name in records or func.namespace != "aten" or (name, len(failed)) in failed:
        return
    if torch.Tag.nondeterministic_seeded in func.tags or "empty" in name or "rand" in name or name.startswith("new_"):
        return
    if name == "_make_dep_token":  # uninitialized, like the result of empty
        return
    busy = True
    try:
        rec = record(func, values(func, args, kwargs))
        line = json.dumps({"op": name, **rec}, separators=(",", ":"))
        if len(line) <= MAX_LINE:
            records[name] = line
            derive(func, args, kwargs)
    except Skip:
        pass
    except Exception as e:  # the operator refuses copies of its arguments
        print(name, type(e).__name__, str(e).split("\n")[0][:100], file=sys.stderr)
    finally:
        busy = False


def record(func, vals):
    schema = func._schema
    if any(a.name == "names" for a in schema.arguments) or "result_type" in schema.name:
        raise Skip  # named tensors are not bound; a dtype is a number here
    encoded = [encode(str(a.type), v) for a, v in zip(schema.arguments, vals)]
    mine = [copied(v) for v in vals]
    with torch.no_grad():
        got = call(func, mine)
        again = call(func, [copied(v) for v in vals])
    results = list(got) if len(schema.returns) > 1 else [got] if schema.returns else []
    others = list(again) if len(schema.returns) > 1 else [again] if schema.returns else []
    kinds = [str(r.type) for r in schema.returns]
    out = [encode(k, v) for k, v in zip(kinds, results)]
    if out != [encode(k, v) for k, v in zip(kinds, others)]:
        raise Skip  # uninitialised memory or random numbers
    rec = {"args": encoded, "out": out}
    after = {str(i): encode(str(a.type), mine[i]) for i, a in enumerate(schema.arguments)
             if a.alias_info is not None and a.alias_info.is_write}
    if after:
        rec["after"] = after
    return rec


def derive(func, args, kwargs):
    """Records the in-place and out= overloads that take the same arguments."""
    base = func._schema
    root = base.name.removeprefix("aten::")
    if root.endswith("_") or any(a.name == "out" for a in base.arguments):
        return
    vals = dict(zip([a.name for a in base.arguments], values(func, args, kwargs)))
    for name in (root, root + "_"):
        packet = getattr(torch.ops.aten, name, None)
        if packet is None:
            continue
        for o in packet.overloads():
            other = getattr(packet, o)
            if other is func:
                continue
            key = name + ("." + o if o != "default" else "")
            if key in records or torch.Tag.nondeterministic_seeded in other.tags:
                continue
            plain = [a for a in other._schema.arguments if not (a.is_out)]
            if [(a.name, str(a.type)) for a in plain] != [(a.name, str(a.type)) for a in base.arguments]:
                continue
            try:
                with torch.no_grad():
                    result = call(func, [copied(v) for v in vals.values()])
                outs = iter(result if isinstance(result, tuple) else [result])
                full = []
                for a in other._schema.arguments:
                    full.append(next(outs) if a.is_out else vals[a.name])
                for i, a in enumerate(other._schema.arguments):
                    if a.is_out:
                        full[i] = [torch.empty_like(x) for x in full[i]] if isinstance(full[i], (list, tuple)) else \
                            torch.empty(0, dtype=full[i].dtype) if "Tensor" in str(a.type) else full[i]
                rec = record(other, zeroed(other, full))
                line = json.dumps({"op": key, **rec}, separators=(",", ":"))
                if len(line) <= MAX_LINE:
                    records[key] = line
            except Exception:
                pass  # not every overload takes these values


def zeroed(func, vals):
    """Replaces out arguments by zeros, so that their initial values can be recorded."""
    return [([x.zero_() for x in v] if isinstance(v, list) else v.zero_()) if a.is_out else v
            for a, v in zip(func._schema.arguments, vals)]


class Recorder(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if not busy and isinstance(func, torch._ops.OpOverload):
            consider(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))


def tensors(x):
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for y in x:
            yield from tensors(y)


def run(op, dtype):
    grad = op.supports_autograd and dtype.is_floating_point
    for n, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=grad)):
        if n >= MAX_SAMPLES:
            break
        with Recorder():
            try:
                out = op(sample.input, *sample.args, **sample.kwargs)
                diff = [t for t in tensors(out) if t.requires_grad and t.dtype == dtype]
                if diff:
                    torch.autograd.backward(diff, [torch.ones_like(t) for t in diff])
            except Exception as e:
                print(op.name, type(e).__name__, str(e).split("\n")[0][:80], file=sys.stderr)


def composites():
    """Records operators that are split into others before they are dispatched, with simple arguments."""
    a, b = torch.tensor([[1.5, -2.0], [0.25, 3.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    fill = {"Tensor": [a, b, a + 2, b.t().contiguous()], "number": [2],
            "int": [0, 1], "SymInt": [1, 1], "bool": [True, False], "float": [0.5, 2.0],
            "List[int]": [[0], [1]], "List[SymInt]": [[2, 2]], "List[Tensor]": [[a, b], [b, a]], "str": ["mean"]}
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        if not name.startswith("aten::"):
            continue
        root, _, overload = name.removeprefix("aten::").partition(".")
        try:
            func = getattr(getattr(torch.ops.aten, root), overload or "default")
        except AttributeError:
            continue
        key = name.removeprefix("aten::")
        private = ("_test", "_debug", "_assert", "_nested", "_use", "_coalesced", "_mkldnn", "_backward")
        if key in records or key.startswith(private) or not wanted(func):
            continue
        counts, vals = {}, []
        for arg in func._schema.arguments:
            kind = str(arg.type)
            if arg.has_default_value():
                v = arg.default_value
                vals.append(None if is_enum(arg) and v is not None else v)
                continue
            n = counts.get(kind, 0)
            counts[kind] = n + 1
            if kind.startswith("Optional["):
                vals.append(None)
            elif kind in fill and not is_enum(arg):
                vals.append(fill[kind][n % len(fill[kind])])
            else:
                break
        else:
            line = forked(lambda: json.dumps({"op": key, **record(func, vals)}, separators=(",", ":")))
            if line and len(line) <= MAX_LINE:
                records[key] = line


def forked(fn):
    """Returns the result of fn, or "" if it fails. Runs fn in a forked process, because fn may crash."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(w, fn().encode()[:60000])
        finally:
            os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return text


RISKY = ("mkldnn", "quant", "fbgemm", "cudnn", "miopen", "sparse", "cuda", "rnn", "lstm", "gru", "embedding",
          "nested", "packed", "fft_", "storage", "data", "from_file", "resize", "unsafe", "mps", "vulkan",
          "grid", "index", "upsample", "pool", "set_", "set.", "flash", "attention", "scatter", "gather",
          "pad", "ctc", "segment", "record_stream", "_cast", "alias", "requires_grad", "retain", "rename",
          "promote_types", "_weight_norm", "output_nr", "version", "coo", "csr")


def wanted(func):
    name = func._schema.name.removeprefix("aten::")
    if torch.Tag.nondeterministic_seeded in func.tags or any(w in name for w in RISKY):
        return False
    # The results of these operators are random or uninitialized.
    return not any(w in name for w in ("empty", "rand", "dropout", "_make_dep_token"))


def main():
    for op in op_db:
        if op.name.startswith(("torch.ops", "_refs", "_native", "ops.")):
            continue
        for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float64):
            if op.supports_dtype(dtype, "cpu"):
                torch.manual_seed(0)
                random.seed(0)
                try:
                    run(op, dtype)
                except Exception as e:
                    print(op.name, type(e).__name__, str(e).split("\n")[0][:80], file=sys.stderr)
                break
    composites()
    with open(sys.argv[1], "w") as f:
        f.writelines(records[name] + "\n" for name in sorted(records))
    print(len(records), "overloads", file=sys.stderr)


main()
