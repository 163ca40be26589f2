"""Writes print.json: the texts that Python prints for the tensors of print_test.go.

Run with torch 2.11.0:  python make_print.py
"""

import json
import pathlib
import warnings

import torch

warnings.simplefilter("ignore")
inf, nan = float("inf"), float("nan")
T = torch.tensor


def leaf(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(float(n)).reshape(shape).requires_grad_()


def square(dtype):
    return torch.arange(-2, 4).reshape(2, 3).to(dtype)


def view_changed_without_grad():
    x = leaf(4).clone()
    with torch.no_grad():
        y = x[1:]
        y += 1
    return y


def inference():
    with torch.inference_mode():
        return torch.ones(2)


cases = {
    "scalar": lambda: T(3.5),
    "scalar int": lambda: T(-7),
    "scalar bool": lambda: T(True),
    "vector": lambda: T([1.5, -2.25, 1e-3]),
    "whole": lambda: T([1.0, -20.0, 300.0]),
    "sci": lambda: T([1.0, 1e-5, 12345.678]),
    "nonfinite": lambda: T([1.5, nan, -inf]),
    "matrix": lambda: torch.arange(6.0).reshape(2, 3),
    "cube": lambda: torch.arange(24.0).reshape(2, 3, 4) / 7,
    "transposed": lambda: torch.arange(6.0).reshape(2, 3).transpose(0, 1),
    "strided": lambda: torch.arange(20.0).reshape(4, 5)[1:, ::2],
    "expanded": lambda: torch.arange(3.0).reshape(3, 1).expand(3, 4),
    "huge expanded": lambda: T([1.5]).expand(100_000, 100_000),
    "wrapped": lambda: torch.arange(40.0) * 1.25,
    "empty": lambda: torch.empty(0),
    "empty matrix": lambda: torch.empty(0, 3),
    "empty int": lambda: torch.empty(0, dtype=torch.int64),
    "eye": lambda: torch.eye(4),
    "randn": lambda: (torch.manual_seed(0), torch.randn(3, 5))[1],
    "rand f64": lambda: (torch.manual_seed(1), torch.rand(2, 2, dtype=torch.float64))[1],
    "summary vector": lambda: torch.arange(2000.0),
    "summary int": lambda: torch.arange(100_000).reshape(100, 1000),
    "summary tall": lambda: torch.arange(3_000_000).reshape(1_000_000, 3),
    "summary cube": lambda: (torch.arange(64_000.0) / 3).reshape(40, 40, 40),
    "summary four": lambda: torch.arange(8 * 2 * 9 * 10).reshape(8, 2, 9, 10),
    "summary view": lambda: torch.arange(40_000.0).reshape(200, 200).transpose(0, 1)[::3, 5:],
    "summary bool": lambda: torch.arange(2000) % 3 == 0,
    "summary hidden outlier": lambda: torch.ones(3000).index_fill(0, T([1500]), 1e9),
    "summary complex": lambda: torch.complex(torch.arange(1200.0), -torch.arange(1200.0) / 8),
    "conj": lambda: T([1 + 2j, -0.5 - 1j]).conj(),
    "conj double": lambda: T([1 + 2j, -0.5 - 1j], dtype=torch.complex128).conj(),
    "neg view": lambda: T([1.0, -2.5], dtype=torch.float64)._neg_view(),
    "requires grad": lambda: leaf(2, 2),
    "grad fn": lambda: leaf(2, 2) * 2,
    "grad fn add": lambda: leaf(2) + 1,
    "grad fn sub": lambda: leaf(2) - 1,
    "grad fn rsub": lambda: 1 - leaf(2),
    "grad fn div": lambda: leaf(2) / 2,
    "grad fn pow": lambda: leaf(2) ** 2,
    "grad fn select": lambda: leaf(2, 2)[0],
    "grad fn scalar": lambda: leaf(3).sum(),
    "grad fn copy slices": lambda: (lambda x: (x.__setitem__((0, 1), 5.0), x)[1])(leaf(2, 2).clone()),
    "grad fn summary": lambda: leaf(50, 50).exp(),
    "grad of leaf": lambda: (lambda x: ((x * 3).sum().backward(), x.grad)[1])(leaf(3)),
    "detached": lambda: (leaf(2) * 2).detach(),
    "view changed without grad": view_changed_without_grad,
    "inference": inference,
    "meta": lambda: torch.empty(2, 3, device="meta"),
    "meta int": lambda: torch.empty(2, 3, device="meta", dtype=torch.int32),
    "sparse coo": lambda: T([[0.0, 1.5], [2.0, 0.0]]).to_sparse(),
    "sparse coo int": lambda: T([[0, 1], [2, 0]], dtype=torch.int32).to_sparse(),
    "sparse coo empty": lambda: torch.zeros(2, 2).to_sparse(),
    "sparse csr": lambda: T([[0.0, 1.5], [2.0, 0.0]]).to_sparse_csr(),
    "sparse csc": lambda: T([[0.0, 1.5], [2.0, 0.0]]).to_sparse_csc(),
    "sparse bsr": lambda: torch.eye(4).to_sparse_bsr((2, 2)),
    "nested": lambda: torch.nested.nested_tensor([torch.arange(3.0), torch.ones(2)]),
    "mkldnn": lambda: torch.arange(6.0).reshape(2, 3).to_mkldnn(),
    "quantized": lambda: torch.quantize_per_tensor(T([-1.0, 0.25, 2.0]), 0.1, 10, torch.quint8),
    "quantized channel": lambda: torch.quantize_per_channel(
        torch.arange(6.0).reshape(2, 3), T([0.1, 0.25]), T([10, 0]), 0, torch.qint8
    ),
}
for d in (
    "uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 bool complex64 complex128 "
    "float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz"
).split():
    cases["dtype " + d] = lambda d=d: square(getattr(torch, d))
    cases["summary dtype " + d] = lambda d=d: (torch.arange(1200) % 5).to(getattr(torch, d))

options = {
    "precision": dict(precision=2),
    "precision zero": dict(precision=0),
    "threshold": dict(threshold=4),
    "edge": dict(threshold=4, edgeitems=1),
    "edge zero": dict(threshold=4, edgeitems=0),
    "width": dict(linewidth=30),
    "sci": dict(sci_mode=True),
    "no sci": dict(sci_mode=False),
    "short": dict(profile="short"),
    "full": dict(profile="full"),
}


def printed(build):
    return str(build())


out = {"torch": torch.__version__.split("+")[0], "cases": {n: printed(f) for n, f in cases.items()}, "options": {}}
for name, o in options.items():
    torch.set_printoptions(**{"profile": "default", **o})
    size = 1001 if name == "full" else 30
    out["options"][name] = printed(lambda: torch.arange(float(size)) ** 3 / 7)
    torch.set_printoptions(profile="default")
out["formats"] = [
    {"dtype": d, "value": v, "spec": spec, "want": format(torch.tensor(v).to(getattr(torch, d)), spec)}
    for d, v, specs in (
        ("float32", 2.30258509, ".4f 10.2f +.3e .3g 08.3f .0f"),
        ("float64", -0.000123456, ".4f .2e 12.4e"),
        ("bfloat16", 1234.5, ".1f .3e"),
        ("int64", 42, "d 6d +d 05d x .2f .1e"),
        ("uint8", 200, "d x o b"),
        ("bool", 1, "d .1f"),
    )
    for spec in specs.split()
]
pathlib.Path(__file__).with_name("print.json").write_text(json.dumps(out, indent=1) + "\n")
