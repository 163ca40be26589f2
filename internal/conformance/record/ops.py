"""Records calls of libtorch's operators, with arguments and results. The calls are those that
the samples of PyTorch's operator database make in the forward and backward pass. A call that is
already recorded is not recorded again."""

import functools
import hashlib
import json
import multiprocessing
import os
import sys

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

from store import SMALL, Recorder

DTYPES = [torch.float32, torch.float64, torch.complex64, torch.bfloat16, torch.int64]
if os.environ.get("DTYPES"):
    DTYPES = [getattr(torch, d) for d in os.environ["DTYPES"].split(",")]
SEED = 30
FORMS = 3  # how many calls of an operator are repeated in the in-place and out= forms
LARGE = 1 << 20  # calls with more bytes are left out


class Skip(Exception):
    pass


class Listener(TorchDispatchMode):
    """Records each operator that is called below autograd."""

    def __init__(self, recorder, seen):
        super().__init__()
        self.r, self.seen, self.cases, self.skipped, self.derived = recorder, seen, [], {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if SMALL and (str(func) in self.seen or nbytes((args, kwargs)) > 400):
            return func(*args, **kwargs)
        before = len(self.cases)
        out = self.call(func, args, kwargs)
        if len(self.cases) > before and self.derived.get(func, 0) < FORMS:
            self.derived[func] = self.derived.get(func, 0) + 1
            self.derive(func, args, kwargs, out)
        return out

    def call(self, func, args, kwargs):
        """Calls an operator, and records the call unless it is already recorded."""
        try:
            if func.namespace != "aten":
                raise Skip("an operator of another library than ATen")
            case, given = self.arguments(func, args, kwargs)
        except (Skip, NotImplementedError) as e:
            self.skipped[str(e)] = self.skipped.get(str(e), 0) + 1
            return func(*args, **kwargs)
        key = hashlib.blake2b(json.dumps(self.r.name(case)).encode(), digest_size=16).digest()
        if key in self.seen:
            return func(*args, **kwargs)
        if torch.Tag.nondeterministic_seeded in func.tags:
            case["seed"] = SEED
            torch.manual_seed(SEED)
        out = func(*args, **kwargs)
        try:
            self.results(func, case, given, out)
        except (Skip, NotImplementedError) as e:
            self.skipped[str(e)] = self.skipped.get(str(e), 0) + 1
            return out
        self.seen.add(str(func) if SMALL else key)
        self.cases.append(case)
        return out

    def derive(self, func, args, kwargs, out):
        """Calls the in-place and out= forms of an operator that have the same arguments."""
        if func._schema.is_mutable or out is None:
            return
        for form, written in forms(func):
            copies = tree_map_only(torch.Tensor, lambda t: t.detach().clone(), (args, kwargs))
            try:
                if written:
                    outs = out if isinstance(out, tuple) else (out,)
                    kw = {n: torch.empty(0, dtype=o.dtype) for n, o in zip(written, outs)}
                    self.call(form, copies[0], {**copies[1], **kw})
                else:
                    self.call(form, *copies)
            except Exception as e:  # Many forms fail for these dtypes or sizes.
                self.skipped["form: " + type(e).__name__] = self.skipped.get("form: " + type(e).__name__, 0) + 1

    def arguments(self, func, args, kwargs):
        self.r.begin()
        schema = func._schema
        name = schema.name.removeprefix("aten::")
        if schema.overload_name:
            name += "." + schema.overload_name
        given = []
        for i, p in enumerate(schema.arguments):
            if i < len(args):
                given.append(args[i])
            elif p.name in kwargs:
                given.append(kwargs[p.name])
            elif p.has_default_value():
                given.append(p.default_value)
            else:
                raise Skip(f"{name} has no argument {p.name}")
        if nbytes(given) > LARGE:
            raise Skip("a call of more than a megabyte")
        values = []
        for p, v in zip(schema.arguments, given):
            if isinstance(v, torch.Generator):
                raise Skip("a generator as an argument")
            if isinstance(v, (int, float, complex)) and str(p.type) in ("Tensor", "Optional[Tensor]"):
                values.append({"number": self.r.value(v)})
            # 4 is int64, the default of an operator that returns indices
            elif p.name == "dtype" and isinstance(v, int) and v == 4:
                values.append({"dtype": "int64"})
            else:
                values.append(self.r.value(v))
        return {"op": name, "args": values}, given

    def results(self, func, case, given, out):
        outs = out if isinstance(out, tuple) and len(func._schema.returns) > 1 else (out,)
        if not func._schema.returns:
            outs = ()
        if nbytes(outs) > LARGE:
            raise Skip("a call of more than a megabyte")
        case["out"] = [self.result(v) for v in outs]
        after = {}
        for i, (p, v) in enumerate(zip(func._schema.arguments, given)):
            if p.alias_info is not None and p.alias_info.is_write:
                after[i] = self.result(v)
        if after:
            case["after"] = after

    def result(self, v):
        """Returns a result in the form of an argument, but without the identity of tensors."""
        if isinstance(v, torch.Tensor):
            return {"t": self.r.tensor(v)}
        if isinstance(v, (list, tuple)):
            return [self.result(x) for x in v]
        return self.r.value(v)


class Above(Listener, SchemaCheckMode):
    """Records calls above autograd, before composite operators such as einsum, linear and to
    are split into others. A mode for this dispatch key has to be of a kind that PyTorch knows.
    SchemaCheckMode is only the name of such a kind; none of its methods are used."""

    def __init__(self, recorder, seen):
        TorchDispatchMode.__init__(self, _dispatch_key=torch._C.DispatchKey.PreDispatch)
        self.r, self.seen, self.cases, self.skipped, self.derived = recorder, seen, [], {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # The Python dispatcher is off, because it has implementations of its own. This
        # mode enables it.
        with torch._C._DisablePythonDispatcher():
            return Listener.__torch_dispatch__(self, func, types, args, kwargs)


@functools.cache
def forms(func):
    """Returns the other forms of an operator, each with the names of its out arguments."""
    def parts(s, skip=()):
        return [(a.name, str(a.type)) for a in s.arguments if a.name not in skip]

    want, found = parts(func._schema), []
    for name in func.overloadpacket.overloads():
        o = getattr(func.overloadpacket, name)
        written = tuple(a.name for a in o._schema.arguments if a.is_out)
        if written and parts(o._schema, written) == want and len(written) == len(func._schema.returns):
            found.append((o, written))
    twin = getattr(torch.ops.aten, func.overloadpacket.__name__ + "_", None)
    for name in twin.overloads() if twin else ():
        if parts(getattr(twin, name)._schema) == want:
            found.append((getattr(twin, name), ()))
    return found


def nbytes(v):
    return sum(t.untyped_storage().nbytes()
               for t in tree_flatten(v)[0] if isinstance(t, torch.Tensor) and t.layout == torch.strided)


def backward(op, sample, out):
    inputs = [t for t in tree_flatten((sample.input, sample.args, sample.kwargs))[0]
              if isinstance(t, torch.Tensor) and t.requires_grad]
    out = sample.output_process_fn_grad(out)
    roots = [t for t in tree_flatten(out)[0] if isinstance(t, torch.Tensor) and t.requires_grad]
    if roots and inputs:
        draw = torch.Generator().manual_seed(SEED + 1)
        return roots, inputs, [torch.randn(t.shape, generator=draw, dtype=t.dtype) for t in roots]
    return None


def record(op, dtype, listener, above, failed):
    grads = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    torch.manual_seed(SEED)
    for sample in op.sample_inputs("cpu", dtype, requires_grad=grads):
        try:
            with listener:
                out = op(sample.input, *sample.args, **sample.kwargs)
            with torch.no_grad(), enable_python_dispatcher(), above:
                op(sample.input, *sample.args, **sample.kwargs)
            job = backward(op, sample, out) if grads else None
            if job:
                with listener:
                    torch.autograd.grad(job[0], job[1], job[2], allow_unused=True)
        except Exception as e:
            failed.append(f"{dtype}: {type(e).__name__}: {str(e)[:120]}")


def formatted(op):
    return op.formatted_name.replace(" ", "_")


def run(out, want):
    """Records with a process per core, or with one process if only some operators are wanted."""
    if SMALL:
        return small(out)
    parts = 1 if want else os.cpu_count()
    fork = multiprocessing.get_context("fork")
    jobs = [fork.Process(target=part, args=(out, want, i, parts)) for i in range(1, parts)]
    for j in jobs:
        j.start()
    part(out, want, 0, parts)
    for j in jobs:
        j.join()
        if j.exitcode != 0:
            sys.exit("record: a process failed")


def small(out):
    """Records the first small call of each operator, in one file."""
    r, seen, cases = Recorder(), set(), []
    for op in op_db:
        if "linalg" in op.name or op.name in ("svd", "svd_lowrank", "pca_lowrank", "empty_permuted"):
            continue  # The results depend on the LAPACK library.
        listener, above = Listener(r, seen), Above(r, seen)
        for dtype in (torch.float32, torch.int64):
            if dtype in op.supported_dtypes("cpu"):
                try:
                    record(op, dtype, listener, above, [])
                except Exception as e:
                    print(f"{op.name}: {e}")
        cases += listener.cases + above.cases
    r.write(f"{out}/ops/each.gz", cases)


def part(out, want, k, parts):
    seen = set()
    for op in op_db[k::parts]:
        name = formatted(op)
        if want and op.name not in want and name not in want:
            continue
        r, failed = Recorder(), []
        listener, above = Listener(r, seen), Above(r, seen)
        for dtype in DTYPES:
            if dtype in op.supported_dtypes("cpu"):
                try:
                    record(op, dtype, listener, above, failed)
                except Exception as e:
                    failed.append(f"{dtype}: samples: {type(e).__name__}: {str(e)[:120]}")
        cases = listener.cases + above.cases
        r.write(f"{out}/ops/{name}.gz", cases)
        print(f"{name}: {len(cases)} calls, skipped {listener.skipped} {above.skipped}, "
              f"failed {failed[:2]} {len(failed)}", flush=True)
