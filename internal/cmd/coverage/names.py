"""Writes names.txt: the public names of PyTorch, for the rows of docs/coverage.md.

PyTorch's wheel has no list of the documented names, so the names come from the package:

- the names in a module's __all__, or without one its public attributes, if they have a documentation
  string, as all names in the documentation's index do;
- some names without one: torch's dtypes, layouts, memory formats and numbers, the functions of torch
  and Tensor that torch.overrides lists, and all of torch.distributed's own names, because its C++
  classes have none.

Names that a module only imports from another one, or for annotations, are left out.

Run: python names.py  (with torch 2.11.0 and torchvision 0.26.0)"""

import inspect
import sys
import types
import warnings
from pathlib import Path

import torch
import torch.autograd.functional
import torch.cuda
import torch.distributed
import torch.distributions
import torch.export
import torch.func
import torch.nested
import torch.nn.utils.fusion
import torch.nn.utils.parametrizations
import torch.nn.utils.parametrize
import torch.nn.utils.prune
import torch.nn.utils.rnn
import torch.nn.utils.stateless
import torch.optim.swa_utils
import torch.profiler
import torch.overrides
import torch.sparse
import torch.utils.checkpoint
import torch.utils.data
import torchvision.io
import torchvision.models
import torchvision.ops
import torchvision.transforms.v2
from torch.utils.tensorboard import SummaryWriter

warnings.simplefilter("ignore")


def documented(v):
    if isinstance(v, (types.ModuleType, torch.dtype, torch.layout, torch.memory_format, torch.qscheme, bool, str)):
        return False
    doc = inspect.getdoc(v)
    if isinstance(v, (int, float, tuple, list, dict, set)) or v is None or not doc:
        return False
    return True


def own(module, name, v):
    """Reports whether v belongs to the module, and is not only imported by it."""
    home = getattr(v, "__module__", None) or ""
    if isinstance(v, types.BuiltinFunctionType) or type(v).__name__ in ("builtin_function_or_method", "_OpNamespace"):
        return True
    return home.startswith("torch") and not home.startswith(("torch.types", "torch._jit_internal"))


def names(module, only_all=False):
    listed = getattr(module, "__all__", None)
    found = listed if listed is not None and only_all else sorted(set(dir(module)) | set(listed or ()))
    for n in sorted(found):
        if n.startswith("_") or not hasattr(module, n):
            continue
        v = getattr(module, n)
        # names that TorchScript's parser uses
        if n == "Tensor" and module is not torch or n in ("AVG", "SUM"):
            continue
        if documented(v) and own(module, n, v):
            yield n


def public(module):
    """Yields the public names of a module without __all__, documented or not."""
    for n in sorted(dir(module)):
        v = getattr(module, n)
        if not n.startswith("_") and not isinstance(v, types.ModuleType) and own(module, n, v):
            yield n


def methods(cls, base=object):
    """Yields the public methods and attributes of a class that its base lacks."""
    for n in sorted(dir(cls)):
        if n.startswith("_") or hasattr(base, n):
            continue
        if inspect.getdoc(inspect.getattr_static(cls, n)):
            yield n


def overridable(prefix):
    """Yields the names that torch.overrides lists for a module or class, including undocumented ones."""
    for f in torch.overrides.get_testing_overrides():
        name = torch.overrides.resolve_name(f) or ""
        if name.startswith(prefix) and "." not in name[len(prefix):] and not name[len(prefix):].startswith("_"):
            yield name[len(prefix):]


def sections():
    kinds = (torch.dtype, torch.layout, torch.memory_format)
    values = [n for n in dir(torch) if isinstance(getattr(torch, n), kinds)]
    bare = ["Tensor", "device", "dtype", "layout", "memory_format", "finfo", "iinfo", "quantize_per_tensor", "e", "inf",
            "nan", "newaxis", "pi"]
    listed = [n for n in names(torch) if not n.endswith(("Storage", "StorageBase", "Type"))]
    yield "torch", sorted(set(listed) | set(values) | set(bare) | set(overridable("torch.")))
    yield "torch.Tensor", sorted(set(methods(torch.Tensor)) | {"data", "dtype", "grad_fn"}
                                 | set(overridable("torch.Tensor.")))
    yield "torch.nn", (names(torch.nn, True) if hasattr(torch.nn, "__all__")
                       else [n for n in names(torch.nn) if inspect.isclass(getattr(torch.nn, n))])
    yield "torch.nn.Module", methods(torch.nn.Module)
    yield "torch.nn.functional", names(torch.nn.functional)
    yield "torch.nn.init", [n for n in names(torch.nn.init) if n.endswith("_") or n == "calculate_gain"]
    for m in ("", ".rnn", ".parametrize", ".parametrizations", ".prune", ".stateless", ".fusion"):
        module = sys.modules["torch.nn.utils" + m]
        yield "torch.nn.utils" + m, names(module, True)
    yield "torch.optim", names(torch.optim, True)
    yield "torch.optim.Optimizer", methods(torch.optim.Optimizer)
    yield "torch.optim.lr_scheduler", names(torch.optim.lr_scheduler, True)
    yield "torch.optim.swa_utils", names(torch.optim.swa_utils, True)
    for m in ("linalg", "fft", "special", "sparse", "nested", "autograd", "autograd.functional", "func",
              "utils.checkpoint", "utils.data", "export"):
        module = sys.modules["torch." + m]
        yield "torch." + m, names(module, m not in ("linalg", "fft", "special"))
    for m in ("", ".constraints", ".transforms", ".constraint_registry", ".kl"):
        module = sys.modules["torch.distributions" + m]
        yield "torch.distributions" + m, names(module, True)
    for cls in (torch.distributions.Distribution, torch.distributions.Transform,
                torch.distributions.constraints.Constraint):
        home = "torch.distributions.constraints" if cls.__name__ == "Constraint" else "torch.distributions"
        yield f"{home}.{cls.__name__}", methods(cls)
    d = torch.distributed
    yield "torch.distributed", sorted(set(public(d)) | {"default_pg_timeout"})
    for cls in (d.ReduceOp, d.Store, d.Work):
        yield f"torch.distributed.{cls.__name__}", methods(cls)
    for m in ("amp", "cuda", "profiler"):
        yield "torch." + m, names(sys.modules["torch." + m], True)
    yield "torch.profiler.profile", methods(torch.profiler.profile)
    yield "torch.utils.tensorboard.SummaryWriter", methods(SummaryWriter)
    v2 = torchvision.transforms.v2
    yield "torchvision.transforms.v2", sorted(
        n for n in dir(v2) if not n.startswith("_") and inspect.isclass(getattr(v2, n)))
    f = v2.functional
    # suffixes of functions for one kind of input each
    kernels = ("_image", "_video", "_mask", "_keypoints", "_bounding_boxes")
    yield "torchvision.transforms.v2.functional", sorted(
        n for n in dir(f) if not n.startswith("_") and inspect.isfunction(getattr(f, n))
        and (not n.endswith(kernels) or n.startswith(("to_", "sanitize_", "clamp_"))))
    for m in ("", ".segmentation", ".detection", ".video", ".optical_flow", ".quantization"):
        module = sys.modules["torchvision.models" + m]
        yield "torchvision.models" + m, names(module)
    yield "torchvision.ops", names(torchvision.ops, True)
    yield "torchvision.io", sorted(n for n in torchvision.io.__all__ if "video" not in n.lower())


def main():
    out = [f"# Written by names.py with torch {torch.__version__.split('+')[0]} "
           f"and torchvision {torchvision.__version__.split('+')[0]}."]
    for section, found in sections():
        out += [f"{section}.{n}" for n in found]
    assert len(out) == len(set(out))
    Path(__file__).with_name("names.txt").write_text("\n".join(out) + "\n")


main()
