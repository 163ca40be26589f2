"""Writes goldens.json: the text that PyTorch prints for a few hundred tensors.

Run with the reference version of PyTorch: python make_goldens.py

Each case has the tensor's elements (after rounding to its dtype), the
properties that the suffixes show, the print options and the text. Elements of
large tensors are defined by a rule, ((i * mul) % mod + add) * scale, so that the
file stays small.
"""
import json
import math
import os
import random
import warnings

import torch

warnings.filterwarnings("ignore")
random.seed(20)
torch.manual_seed(20)
inf, nan = math.inf, math.nan
cases = []

FLOAT8 = (torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz,
          torch.float8_e4m3fnuz, torch.float8_e8m0fnu)


def scalar(x):
    if isinstance(x, complex):
        return [scalar(x.real), scalar(x.imag)]
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return x


def elements(t):
    t = t.detach().resolve_conj().resolve_neg()
    if t.dtype in FLOAT8 or t.dtype in (torch.float16, torch.bfloat16, torch.float32):
        t = t.float().double()
    elif t.dtype == torch.complex32:
        t = t.to(torch.complex64)
    return [scalar(x) for x in t.contiguous().flatten().tolist()]


def dtype_name(t):
    return str(t.dtype).removeprefix("torch.")


def render(t, opts):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**opts)
    text = str(t)
    torch.set_printoptions(profile="default")
    return text


def add(name, t, opts=None, rule=None, **facts):
    opts = opts or {}
    case = dict(name=name, shape=list(t.shape), dtype=dtype_name(t), want=render(t, opts))
    if opts:
        case["options"] = opts
    if rule:
        case["rule"] = rule
    elif not t.is_meta and "parts" not in facts and "nested" not in facts:
        case["data"] = elements(t.dequantize() if t.is_quantized else t)
    if t.grad_fn is not None:
        case["grad_fn"] = t.grad_fn.name()
    if t.requires_grad:
        case["requires_grad"] = True
    if t.is_meta:
        case["meta"] = True
        case["device"] = "meta"
    case.update(facts)
    cases.append(case)


def by_rule(name, shape, dtype, mul, mod, add_, scale, opts=None):
    n = math.prod(shape)
    i = torch.arange(n, dtype=torch.int64)
    t = ((i * mul) % mod + add_)
    t = (t.double() * scale) if dtype.is_floating_point else t
    add(name, t.to(dtype).reshape(shape), opts, rule=dict(mul=mul, mod=mod, add=add_, scale=scale))


OPTIONS = [
    {"precision": 0}, {"precision": 1}, {"precision": 2}, {"precision": 8}, {"precision": 20},
    {"threshold": 0}, {"threshold": 5}, {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 2}, {"edgeitems": 0}, {"threshold": 2, "edgeitems": 0},
    {"linewidth": 1}, {"linewidth": 20}, {"linewidth": 40}, {"linewidth": 120}, {"linewidth": 1000},
    {"sci_mode": True}, {"sci_mode": False}, {"sci_mode": True, "precision": 1},
    {"profile": "short"}, {"profile": "full"}, {"profile": "short", "precision": 6},
    {"profile": "full", "linewidth": 60, "sci_mode": True},
]

# Lists of floating-point values. Each is formatted in every floating-point dtype.
FLOATS = {
    "zero": [0.0], "negative_zero": [-0.0], "zeros": [0.0, -0.0, 0.0],
    "one": [1.0], "half": [0.5], "pi": [math.pi],
    "whole": [1.0, 2.0, -3.0, 100.0], "whole_with_zero": [0.0, 1.0, -1.0],
    "whole_nonfinite": [1.0, nan, inf, -inf], "nonfinite": [nan, inf, -inf], "nan": [nan],
    "zero_and_nan": [0.0, nan], "fraction_nonfinite": [0.25, nan, inf, -inf, -0.0],
    "negative": [-1.5, -2.25, -1000.125], "rounding": [0.00005, 0.12345, 0.99995, 9.99995],
    "ratio_1000": [1.0, 1000.0, 0.5], "ratio_1001": [1.5, 1501.6], "ratio_1000_exact": [0.5, 500.0],
    "small": [1e-4, 2e-4], "smaller": [9e-5, 2e-4], "tiny": [1e-5], "big": [1e8], "bigger": [1.5e8, 2e8],
    "wide_range": [1e-3, 1.0, 1e3], "whole_wide": [1.0, 2000.0], "sixteen_bit": [65504.0, 1.0],
    "sci_nonfinite": [1e-6, nan, -inf, 0.0, -0.0], "thirds": [1 / 3, 2 / 3, 4 / 3],
    "ties": [0.5, 1.5, 2.5, 0.00125, 0.125], "hundreds": [123.456, 7.0, -45.5],
}
for fname, values in FLOATS.items():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        add(f"float/{fname}/{dtype}", torch.tensor(values, dtype=torch.float64).to(dtype))
    for dtype in FLOAT8[:2]:
        add(f"float/{fname}/{dtype}", torch.tensor(values, dtype=torch.float64).float().to(dtype))
    add(f"scalar/{fname}", torch.tensor(values[0], dtype=torch.float32))
    add(f"matrix/{fname}", torch.tensor([values, values], dtype=torch.float32))
for dtype in FLOAT8:
    add(f"float8/mixed/{dtype}", torch.tensor([1.0, 0.5, 4.0, 256.0]).to(dtype))
    add(f"float8/fraction/{dtype}", torch.tensor([[0.25, 0.5], [1.0, 2.0]]).to(dtype))
for x in (1e300, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.125, 99999999.5, 1e16):
    add(f"double/{x}", torch.tensor([x], dtype=torch.float64))
    add(f"double/pair/{x}", torch.tensor([x, -1.0], dtype=torch.float64))
    add(f"double/plain/{x}", torch.tensor([x, 1.0], dtype=torch.float64), {"sci_mode": False})

# Integers and bools.
for dtype, low, high in (
    (torch.uint8, 0, 255), (torch.int8, -128, 127), (torch.int16, -32768, 32767),
    (torch.int32, -2**31, 2**31 - 1), (torch.int64, -2**63, 2**63 - 1),
    (torch.uint16, 0, 65535), (torch.uint32, 0, 2**32 - 1), (torch.uint64, 0, 2**64 - 1),
):
    add(f"int/scalar/{dtype}", torch.tensor(7, dtype=dtype))
    add(f"int/vector/{dtype}", torch.tensor([low, 0, 1, high], dtype=dtype))
    add(f"int/matrix/{dtype}", torch.tensor([[0, 10], [100, 3]], dtype=dtype))
    add(f"int/empty/{dtype}", torch.tensor([], dtype=dtype))
add("bool/scalar", torch.tensor(True))
add("bool/vector", torch.tensor([True, False, True]))
add("bool/true", torch.tensor([True, True]))
add("bool/matrix", torch.tensor([[False, True], [True, True]]))
add("bool/wrapped", torch.arange(40) % 3 == 0)
add("bool/empty", torch.tensor([], dtype=torch.bool))

# Complex.
COMPLEX = {
    "unit": [1 + 1j], "whole": [1 + 2j, -3 - 4j], "fractions": [0.5 + 0.25j, -1.5 - 2.5j, 100.25 + 0j],
    "zero": [0j], "negative_zero": [complex(-0.0, -0.0), complex(0.0, -0.0)],
    "nonfinite": [complex(nan, inf), complex(-inf, nan), complex(1, -inf)],
    "sci_real": [1e-6 + 1j, 2 + 2j], "sci_imag": [1 + 1e9j, 2 + 3j], "sci_both": [1e10 + 1e-9j, 1 - 1j],
    "ragged": [1 + 1.5j, 1 - 100.25j, 1 + 10.125j],
}
for cname, values in COMPLEX.items():
    for dtype in (torch.complex64, torch.complex128):
        add(f"complex/{cname}/{dtype}", torch.tensor(values, dtype=dtype))
    add(f"complex/half/{cname}", torch.tensor(values, dtype=torch.complex64).to(torch.complex32))
    add(f"complex/scalar/{cname}", torch.tensor(values[0]))
    add(f"complex/matrix/{cname}", torch.tensor([values, values]))
    add(f"complex/sci/{cname}", torch.tensor(values), {"sci_mode": True})
add("complex/wrapped", torch.complex(torch.arange(30.0), torch.arange(30.0) / 7 - 2))
add("complex/summarized", torch.complex(torch.arange(1200.0), -torch.arange(1200.0) / 8))
add("complex/conj", torch.tensor([1 + 2j, 3 - 4j]).conj())
add("complex/imag_of_conj", torch.tensor([1 + 2j, 3 - 4j]).conj().imag)
add("complex/grad", torch.tensor([1 + 2j, 3 - 4j], requires_grad=True))

# Shapes.
for shape in ((), (1,), (2,), (1, 1), (2, 3), (3, 2), (1, 5), (5, 1), (2, 2, 2), (1, 1, 1), (3, 1, 2),
              (2, 2, 2, 2), (1, 2, 1, 2, 1), (7, 7), (6, 6), (20,), (30,), (100,), (12, 12), (4, 25), (2, 3, 40)):
    n = math.prod(shape)
    for kind, t in (("float", torch.arange(n) / 4), ("whole", torch.arange(float(n))), ("int", torch.arange(n)),
                    ("sci", torch.arange(n) * 1e5 + 0.5)):
        add(f"shape/{kind}/{shape}", t.reshape(shape))
for shape in ((0,), (0, 3), (3, 0), (2, 0, 4), (0, 0), (0, 0, 0)):
    for dtype in (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64, torch.uint8):
        add(f"empty/{shape}/{dtype}", torch.empty(shape, dtype=dtype))
add("empty/grad", torch.empty((0, 2), requires_grad=True))

# Summaries.
BIG = ((1000,), (1001,), (5000,), (40, 40), (1001, 1), (1, 1001), (6, 200), (7, 200), (200, 6), (200, 7),
       (10, 10, 11), (5, 6, 40), (100, 3, 4), (2, 2, 2, 200), (8, 8, 8, 8), (3, 1000, 3), (1100, 1, 1), (34, 2, 16))
for shape in BIG:
    by_rule(f"big/int/{shape}", shape, torch.int64, 1, 1 << 40, 0, 1.0)
    by_rule(f"big/whole/{shape}", shape, torch.float32, 7, 101, -50, 1.0)
    by_rule(f"big/fraction/{shape}", shape, torch.float32, 13, 997, -500, 0.125)
    by_rule(f"big/sci/{shape}", shape, torch.float64, 31, 100003, 1, 0.015625)
for shape in ((20, 100), (1500,), (3, 3, 300)):
    by_rule(f"big/half/{shape}", shape, torch.float16, 3, 61, -30, 0.25)
    by_rule(f"big/uint8/{shape}", shape, torch.uint8, 5, 251, 0, 1.0)
    for i, opts in enumerate(({"edgeitems": 1}, {"edgeitems": 5}, {"edgeitems": 0}, {"profile": "short"},
                              {"linewidth": 30}, {"edgeitems": 10, "linewidth": 200}, {"sci_mode": True},
                              {"precision": 2})):
        by_rule(f"big/options{i}/{shape}", shape, torch.float32, 13, 997, -500, 0.125, opts)
by_rule("big/full/1", (1100,), torch.int64, 1, 1 << 40, 0, 1.0, {"profile": "full"})
by_rule("big/full/2", (20, 60), torch.float32, 13, 97, -50, 0.25, {"profile": "full"})
by_rule("big/threshold", (1100,), torch.int64, 1, 1 << 40, 0, 1.0, {"threshold": 1100})
# PyTorch chooses the notation by the elements that it prints. Hidden elements have no effect.
t = torch.ones(2000)
t[1000] = 1e12
add("big/hidden_outlier", t)
t[0] = 1e12
add("big/shown_outlier", t)

# Options.
SAMPLES = {
    "fraction": torch.arange(24).reshape(4, 6) / 7, "whole": torch.arange(12.0).reshape(3, 4),
    "int": torch.arange(30), "cube": torch.arange(27.0).reshape(3, 3, 3) / 8, "scalar": torch.tensor(2.5),
    "zeros": torch.zeros(5), "sci": torch.tensor([1e-7, 3.0, nan]), "bool": torch.arange(8) % 2 == 0,
    "complex": torch.complex(torch.arange(9.0) / 3, torch.arange(9.0)), "half": torch.arange(8).half() / 3,
}
for i, opts in enumerate(OPTIONS):
    for sname, t in SAMPLES.items():
        add(f"options{i}/{sname}", t, opts)

# Tensors with a gradient, and line breaks before suffixes such as requires_grad.
x = torch.tensor([1.0, 2.0], requires_grad=True)
add("grad/leaf", x)
add("grad/mul", x * 2)
add("grad/sum", x.sum())
add("grad/view", (x * 2)[0:1])
add("grad/double", torch.tensor([0.5], dtype=torch.float64, requires_grad=True))
add("grad/double_fn", torch.tensor([0.5], dtype=torch.float64, requires_grad=True) + 1)
y = torch.zeros(2)
y[0] = x[0]
add("grad/copy_slices", y)
for n in range(8, 20):
    add(f"wrap/grad/{n}", (torch.arange(float(n)) / 4).requires_grad_() + 1)
    add(f"wrap/leaf/{n}", (torch.arange(float(n), dtype=torch.float64) / 4).requires_grad_())
    add(f"wrap/int/{n}", torch.arange(n, dtype=torch.int32) * 11)
    add(f"wrap/matrix/{n}", ((torch.arange(2.0 * n) / 4).double().requires_grad_() * 3).reshape(2, n))
for width in range(16, 60, 4):
    add(f"wrap/width/{width}", torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True) * 2,
        {"linewidth": width})

# Tensors without data.
for shape in ((), (2, 3), (0,), (5,)):
    for dtype in (torch.float32, torch.int64, torch.float16):
        add(f"meta/{shape}/{dtype}", torch.empty(shape, dtype=dtype, device="meta"))
add("meta/grad", torch.empty(2, device="meta", requires_grad=True))


# Sparse, quantized and nested tensors.
def part(name, t):
    return dict(name=name, shape=list(t.shape), data=elements(t))


def add_sparse(name, t, opts=None):
    if t.layout == torch.sparse_coo:
        parts = [part("indices", t._indices()), part("values", t._values())]
    elif t.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = [part("crow_indices", t.crow_indices()), part("col_indices", t.col_indices()),
                 part("values", t.values())]
    else:
        parts = [part("ccol_indices", t.ccol_indices()), part("row_indices", t.row_indices()),
                 part("values", t.values())]
    add(name, t, opts, parts=parts, nnz=t._nnz(), layout=str(t.layout).removeprefix("torch."))


dense = torch.tensor([[0, 0, 1.5], [2.25, 0, 0]])
add_sparse("sparse/coo", dense.to_sparse())
add_sparse("sparse/coo_grad", dense.to_sparse().requires_grad_())
add_sparse("sparse/coo_double", dense.double().to_sparse())
add_sparse("sparse/coo_int", dense.long().to_sparse())
add_sparse("sparse/coo_empty", torch.zeros(3, 4).to_sparse())
add_sparse("sparse/coo_hybrid", torch.arange(24.0).reshape(2, 3, 4).to_sparse(1))
add_sparse("sparse/coo_many", torch.eye(40).to_sparse())
add_sparse("sparse/coo_summarized", torch.eye(700).to_sparse())
add_sparse("sparse/coo_linewidth", torch.eye(20).to_sparse(), {"linewidth": 60})
add_sparse("sparse/csr", dense.to_sparse_csr())
add_sparse("sparse/csc", dense.to_sparse_csc())
add_sparse("sparse/csr_half", dense.half().to_sparse_csr())
add_sparse("sparse/csr_empty", torch.zeros(3, 4).to_sparse_csr())
add_sparse("sparse/bsr", torch.eye(4).to_sparse_bsr((2, 2)))
add_sparse("sparse/bsc", torch.eye(4).to_sparse_bsc((2, 2)))
t = torch.sparse_coo_tensor(size=(2, 3), device="meta")
add("sparse/coo_meta", t, layout="sparse_coo",
    parts=[dict(name="indices", shape=list(t._indices().shape)), dict(name="values", shape=list(t._values().shape))])

for scale, dtype in ((0.1, torch.quint8), (0.5, torch.qint8), (1e-5, torch.qint32), (3.0, torch.quint8)):
    q = torch.quantize_per_tensor(torch.tensor([0.0, 0.5, 1.0]) * scale * 4, scale, 2, dtype)
    add(f"quantized/{scale}", q,
        quantized=["quantization_scheme=" + str(q.qscheme()), "scale=" + str(q.q_scale()),
                   "zero_point=" + str(q.q_zero_point())])

n = torch.nested.nested_tensor([torch.arange(3.0), torch.arange(4.0).reshape(2, 2).reshape(4)])
add_nested = dict(name="nested/vectors", shape=[2], dtype="float32", want=render(n, {}),
                  nested=[str(t) for t in n.unbind()])
cases.append(add_nested)
n = torch.nested.nested_tensor([torch.arange(4.0).reshape(2, 2), torch.arange(6.0).reshape(3, 2)])
cases.append(dict(name="nested/matrices", shape=[2], dtype="float32", want=render(n, {}),
                  nested=[str(t) for t in n.unbind()]))

# Random tensors with random options.
for i in range(150):
    shape = [random.choice((1, 2, 3, 5, 7, 9)) for _ in range(random.choice((0, 1, 1, 2, 2, 3)))]
    dtype = random.choice((torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int16,
                           torch.complex64, torch.bool))
    t = torch.randn(shape, dtype=torch.float64) * 10.0 ** random.randint(-6, 4)
    if random.random() < 0.3:
        t = t.round()
    if random.random() < 0.2 and t.dim():
        t.view(-1)[0] = random.choice((nan, inf, -inf))
    if dtype in (torch.int64, torch.int16, torch.bool):
        t = t.nan_to_num(0, 0, 0).clamp(-30000, 30000)
    opts = {}
    if random.random() < 0.5:
        opts["precision"] = random.randint(0, 7)
    if random.random() < 0.3:
        opts["threshold"], opts["edgeitems"] = random.randint(0, 20), random.randint(1, 4)
    if random.random() < 0.4:
        opts["linewidth"] = random.randint(10, 120)
    if random.random() < 0.3:
        opts["sci_mode"] = random.random() < 0.5
    add(f"random/{i}", t.to(dtype), opts)

out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens.json")
with open(out, "w") as f:
    f.write('{"torch": "%s", "cases": [\n' % torch.__version__.split("+")[0])
    f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
    f.write("\n]}\n")
print(len(cases), "cases")
