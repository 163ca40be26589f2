"""Writes pointwise.json: PyTorch's results of the pointwise operators.

Run it with the reference version of torch: python make_pointwise.py

Each case has the operator's Go name, its tensors, the call ("$0" is tensor 0),
and either the results or the first line of the error. If there are leaf tensors,
it also has the gradients of sum(result * weight). Cases of random operators have
a seed.
"""

import json
import pathlib
import zlib

import torch
import torch.nn.functional as F

f16, f32, f64 = torch.bfloat16, torch.float32, torch.float64
i64, i32, u8, b8 = torch.int64, torch.int32, torch.uint8, torch.bool
c64, c128 = torch.complex64, torch.complex128

cases = []


def name(dtype):
    return str(dtype).removeprefix("torch.")


def number(x):
    if isinstance(x, (bool, int)):
        return x
    if x != x:
        return "nan"
    if x in (float("inf"), float("-inf")):
        return "inf" if x > 0 else "-inf"
    return x


def dump(t):
    if t is None:
        return None
    if isinstance(t, bool):
        return {"dtype": "go", "shape": [], "data": [t]}
    t = t.detach().resolve_conj().resolve_neg()
    if t._is_zerotensor():
        t = torch.zeros(t.shape, dtype=t.dtype)
    flat = torch.view_as_real(t).double() if t.is_complex() else t
    if t.dtype == f32:  # the shortest decimal that reads back as the same float32
        data = [float(str(x)) for x in flat.numpy().reshape(-1)]
    else:
        data = [x for x in flat.reshape(-1).tolist()]
    return {"dtype": name(t.dtype), "shape": list(t.shape), "data": [number(x) for x in data]}


def rand(op, i, dtype, shape, lo, hi):
    g = torch.Generator().manual_seed(zlib.crc32(f"{op}{i}{dtype}{shape}".encode()))
    if dtype == b8:
        return torch.randint(0, 2, shape, generator=g).bool()
    if not (dtype.is_floating_point or dtype.is_complex):
        lo, hi = int(max(lo, 0) if dtype == u8 else lo), int(hi)
        return torch.randint(lo, max(hi, lo + 1) + 1, shape, generator=g).to(dtype)
    x = lo + (hi - lo) * torch.rand(shape, generator=g, dtype=f64)
    x = torch.round(x, decimals=3)
    if dtype.is_complex:
        y = torch.round(lo + (hi - lo) * torch.rand(shape, generator=g, dtype=f64), decimals=3)
        return torch.complex(x, y).to(dtype)
    return x.to(dtype)


def case(op, fn, ins, call, grad=True, seed=None):
    """Records a call of fn with the tensors of ins. call has the arguments of the Go test."""
    c = {"op": op, "in": [dump(t) for t in ins], "call": call}
    if seed is not None:
        c["seed"] = seed
        torch.manual_seed(seed)
    leaves = [t.detach().clone() for t in ins]
    differentiable = [grad and (t.is_floating_point() or t.is_complex()) for t in leaves]
    for t, d in zip(leaves, differentiable):
        t.requires_grad_(d)
    args = list(leaves)
    if op.endswith("_"):
        args[0] = args[0].clone()
    try:
        out = fn(*args)
    except (RuntimeError, IndexError, ValueError, TypeError) as e:
        c["error"] = str(e).splitlines()[0]
        cases.append(c)
        return
    outs = list(out) if isinstance(out, tuple) else [out]
    c["out"] = [dump(t) for t in outs]
    first = outs[0]
    if any(differentiable) and not isinstance(first, bool) and first.requires_grad:
        w = torch.linspace(0.5, 1.5, max(first.numel(), 1), dtype=f64)[: first.numel()].reshape(first.shape)
        w = torch.round(w, decimals=3).to(first.dtype)
        c["weight"] = dump(w)
        c["leaves"] = [i for i, d in enumerate(differentiable) if d]
        try:
            grads = torch.autograd.grad(first, [leaves[i] for i in c["leaves"]], w, allow_unused=True)
            c["grads"] = [dump(g) for g in grads]
        except RuntimeError as e:
            c["gradError"] = str(e).splitlines()[0]
    cases.append(c)


def snake(op):
    s = "".join("_" + ch.lower() if ch.isupper() else ch for ch in op).lstrip("_")
    return s


# --- operators of one tensor ------------------------------------------------

UNARY = {  # each operator with its domain
    "Neg": (-3, 3), "Positive": (-3, 3), "Abs": (-3, 3), "Sign": (-3, 3), "Sgn": (-3, 3), "Signbit": (-3, 3),
    "Exp": (-3, 3), "Exp2": (-3, 3), "Expm1": (-3, 3), "Log": (0.1, 9), "Log2": (0.1, 9),
    "Log10": (0.1, 9), "Log1p": (-0.9, 9), "Sqrt": (0.1, 9), "Rsqrt": (0.1, 9), "Square": (-3, 3),
    "Reciprocal": (0.2, 4), "Sin": (-4, 4), "Cos": (-4, 4), "Tan": (-1.4, 1.4), "Asin": (-1, 1),
    "Acos": (-1, 1), "Atan": (-4, 4), "Sinh": (-3, 3), "Cosh": (-3, 3), "Tanh": (-3, 3),
    "Asinh": (-3, 3), "Acosh": (1.1, 5), "Atanh": (-0.9, 0.9), "Sinc": (-2, 2), "Deg2rad": (-180, 180),
    "Rad2deg": (-3, 3), "Erf": (-2, 2), "Erfc": (-2, 2), "Erfinv": (-0.9, 0.9), "Lgamma": (0.3, 6),
    "Digamma": (0.3, 6), "I0": (-3, 3), "Logit": (0.1, 0.9), "Ceil": (-4, 4), "Floor": (-4, 4),
    "Round": (-4, 4), "Trunc": (-4, 4), "Frac": (-4, 4),
    "IsNaN": (-1, 1), "IsInf": (-1, 1), "IsPosInf": (-1, 1), "IsNegInf": (-1, 1), "IsFinite": (-1, 1),
    "IsReal": (-1, 1), "LogicalNot": (-1, 1), "BitwiseNot": (-9, 9),
    "Sigmoid": (-4, 4), "ReLU": (-2, 2),
}
FUNCS = {"ReLU": torch.relu, "LogicalNot": torch.logical_not, "BitwiseNot": torch.bitwise_not}
INPLACE = """Neg Abs Sign Sgn Exp Exp2 Expm1 Log Log2 Log10 Log1p Sqrt Rsqrt Square Reciprocal Sin Cos Tan Asin
Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Erfinv Lgamma Digamma Sigmoid Ceil Floor Round Trunc Frac
LogicalNot BitwiseNot ReLU Sinc Deg2rad Rad2deg I0""".split()
special = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan")])

for op, (lo, hi) in UNARY.items():
    fn = FUNCS.get(op) or getattr(torch, op.lower())
    for dtype, shape in [(f64, (2, 3)), (f32, (4,)), (f32, ()), (f32, (0, 2)), (f16, (3,)), (c128, (2,)),
                         (i64, (3,)), (b8, (3,))]:
        case(op, fn, [rand(op, 0, dtype, shape, lo, hi)], ["$0"])
    case(op, fn, [special], ["$0"], grad=False)
    if op in INPLACE:
        g = FUNCS.get(op) and (lambda x, p=op: {"ReLU": torch.relu_, "LogicalNot": torch.Tensor.logical_not_,
                                                "BitwiseNot": torch.Tensor.bitwise_not_}[p](x))
        g = g or getattr(torch.Tensor, op.lower() + "_")
        case(op + "_", g, [rand(op, 1, f64, (2, 2), lo, hi)], ["$0"])
        case(op + "_", g, [rand(op, 1, i64, (2, 2), lo, hi)], ["$0"])

nan, inf = float("nan"), float("inf")


def each(op, fn, args, lo=-3.0, hi=3.0, dtypes=(f64, f32, i64), shape=(2, 3)):
    for dtype in dtypes:
        case(op, lambda x: fn(x, *args), [rand(op, 0, dtype, shape, lo, hi)], ["$0", *args])


each("Polygamma", lambda x, n: torch.polygamma(n, x), [2], 0.5, 4)
each("Polygamma", lambda x, n: torch.polygamma(n, x), [-1], 0.5, 4, dtypes=(f64,))
each("Mvlgamma", torch.mvlgamma, [2], 1, 4)
each("Polygamma_", torch.Tensor.polygamma_, [2], 0.5, 4)
each("Mvlgamma_", torch.Tensor.mvlgamma_, [2], 1, 4)
each("LogitEps", torch.logit, [0.2], 0, 1, dtypes=(f64, f32))
each("Logit_", torch.Tensor.logit_, [], 0.1, 0.9, dtypes=(f64, f32))
each("RoundDecimals", lambda x, d: torch.round(x, decimals=d), [1])
each("RoundDecimals", lambda x, d: torch.round(x, decimals=d), [-1], -90, 90)
each("LogSigmoid", F.logsigmoid, [])
each("ReLU6", F.relu6, [], -2, 8)
for a in (0.01, 0.2):
    each("LeakyReLU", F.leaky_relu, [a])
    each("LeakyReLU_", F.leaky_relu_, [a], dtypes=(f64,))
    each("ELU", F.elu, [a])
    each("ELU_", F.elu_, [a], dtypes=(f64,))
    each("CELU", F.celu, [a])
    each("Hardshrink", F.hardshrink, [a])
    each("Softshrink", F.softshrink, [a])
each("CELU", F.celu, [0.0], dtypes=(f64,))
each("Softshrink", F.softshrink, [-1.0], dtypes=(f64,))
each("SELU", F.selu, [])
each("GELU", F.gelu, [])
each("GELUTanh", lambda x: F.gelu(x, approximate="tanh"), [])
each("SiLU", F.silu, [])
each("SiLU_", lambda x: F.silu(x, inplace=True), [], dtypes=(f64,))
each("Mish", F.mish, [])
each("Softplus", F.softplus, [], -4, 30)
each("SoftplusWith", F.softplus, [2.0, 3.0])
each("Hardswish", F.hardswish, [], -4, 4)
each("Hardsigmoid", F.hardsigmoid, [], -4, 4)
each("Hardtanh", F.hardtanh, [-1, 2])
each("Hardtanh_", F.hardtanh_, [-1, 2], dtypes=(f64,))
each("Threshold", torch.threshold, [0.5, -7.0], dtypes=(f64, f32))
each("Threshold", torch.threshold, [1, -7], dtypes=(i64,))
for dim in (0, 1, -1, 2):
    each("Softmax", torch.softmax, [dim])
    each("LogSoftmax", torch.log_softmax, [dim])
case("Softmax", lambda x: torch.softmax(x, 1, dtype=f64), [rand("s", 0, i64, (2, 3), -3, 3)], ["$0", 1, "float64"])
case("LogSoftmax", lambda x: torch.log_softmax(x, 1, dtype=f64), [rand("s", 0, f32, (2, 3), -3, 3)],
     ["$0", 1, "float64"])
each("GLU", F.glu, [1], shape=(2, 4))
each("GLU", F.glu, [1], shape=(2, 3), dtypes=(f64,))
for w in ((1,), (3,), (2,)):
    case("PReLU", F.prelu, [rand("PReLU", 0, f64, (2, 3), -3, 3), rand("PReLU", 1, f64, w, 0, 1)], ["$0", "$1"])
weird = torch.tensor([1.5, nan, inf, -inf])
case("NaNToNum", torch.nan_to_num, [weird], ["$0", {}])
case("NaNToNum", lambda x: torch.nan_to_num(x, 1.0, 2.0, 3.0), [weird],
     ["$0", {"NaN": 1.0, "PosInf": 2.0, "NegInf": 3.0}])
case("NaNToNum_", lambda x: x.nan_to_num_(1.0), [weird], ["$0", {"NaN": 1.0}])

case("SELU_", torch.selu_, [rand("SELU", 0, f64, (2, 3), -3, 3)], ["$0"])

# --- operators of two tensors -------------------------------------------------

REAL, INT, POS = (-3, 3), (1, 6), (0.2, 3)
BINARY = {
    "Add": (torch.add, REAL), "Sub": (torch.sub, REAL), "RSub": (torch.rsub, REAL), "Mul": (torch.mul, REAL),
    "Div": (torch.div, INT), "FloorDivide": (torch.floor_divide, INT), "Remainder": (torch.remainder, INT),
    "Fmod": (torch.fmod, INT), "Pow": (torch.pow, POS), "FloatPower": (torch.float_power, POS),
    "Atan2": (torch.atan2, REAL), "Hypot": (torch.hypot, REAL), "Copysign": (torch.copysign, REAL),
    "Nextafter": (torch.nextafter, REAL), "Heaviside": (torch.heaviside, REAL), "Gcd": (torch.gcd, INT),
    "Lcm": (torch.lcm, INT), "LogAddExp": (torch.logaddexp, REAL), "LogAddExp2": (torch.logaddexp2, REAL),
    "Xlogy": (torch.xlogy, POS), "Ldexp": (torch.ldexp, INT), "Maximum": (torch.maximum, REAL),
    "Minimum": (torch.minimum, REAL), "Fmax": (torch.fmax, REAL), "Fmin": (torch.fmin, REAL),
    "Igamma": (torch.igamma, POS), "Igammac": (torch.igammac, POS),
    "Eq": (torch.eq, INT), "Ne": (torch.ne, INT), "Lt": (torch.lt, INT), "Le": (torch.le, INT),
    "Gt": (torch.gt, INT), "Ge": (torch.ge, INT),
    "LogicalAnd": (torch.logical_and, (-1, 1)), "LogicalOr": (torch.logical_or, (-1, 1)),
    "LogicalXor": (torch.logical_xor, (-1, 1)),
    "BitwiseAnd": (torch.bitwise_and, INT), "BitwiseOr": (torch.bitwise_or, INT),
    "BitwiseXor": (torch.bitwise_xor, INT),
    "BitwiseLeftShift": (torch.bitwise_left_shift, INT), "BitwiseRightShift": (torch.bitwise_right_shift, INT),
}
NODIFF = {"Igamma", "Igammac", "Nextafter"}
IN2 = """Add Sub Mul Div FloorDivide Remainder Fmod Pow Atan2 Hypot Gcd Lcm Copysign Xlogy LogicalAnd LogicalOr
LogicalXor BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift Nextafter Heaviside Ldexp Igamma
Igammac FloatPower Eq Ne Lt Le Gt Ge""".split()
INTEGER = {"Gcd", "Lcm"} | {op for op in BINARY if op.startswith("Bitwise")}
for op, (fn, (lo, hi)) in BINARY.items():
    grad = op not in NODIFF
    main = i64 if op in INTEGER else f64
    for d0, s0, d1, s1 in [
        (f64, (2, 1, 3), f64, (2, 1)), (f32, (3,), f32, (3,)), (f32, (2,), i64, (2,)), (f32, (2,), f64, ()),
        (i64, (2, 2), i64, (2, 2)), (i32, (3,), i64, ()), (b8, (3,), b8, (3,)), (c128, (2,), c128, (2,)),
        (f16, (3,), f16, (3,)), (f32, (0, 3), f32, (1, 3)), (main, (2, 3), main, (4,)),
    ]:
        case(op, fn, [rand(op, 0, d0, s0, lo, hi), rand(op, 1, d1, s1, lo, hi)], ["$0", "$1"], grad=grad)
    if op in IN2:
        # floor_divide_ and the logical and bitwise ones are named alike in both languages.
        g = getattr(torch.Tensor, snake(op) + "_")
        case(op + "_", g, [rand(op, 0, main, (2, 3), lo, hi), rand(op, 1, main, (3,), lo, hi)], ["$0", "$1"])
        case(op + "_", g, [rand(op, 0, main, (3,), lo, hi), rand(op, 1, main, (2, 3), lo, hi)],
             ["$0", "$1"], grad=False)
        case(op + "_", g, [rand(op, 0, i64, (3,), lo, hi), rand(op, 1, f64, (3,), lo, hi)], ["$0", "$1"], grad=False)

# --- operators with a number --------------------------------------------------

SCALAR = ["Add", "Sub", "RSub", "Mul", "Div", "FloorDivide", "Remainder", "Fmod", "Pow", "FloatPower",
          "Copysign", "Xlogy", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
          "BitwiseLeftShift", "BitwiseRightShift"]
SCALAR_IN = ["Add", "Sub", "Mul", "Div", "FloorDivide", "Remainder", "Fmod", "Pow", "FloatPower", "Copysign", "Xlogy",
             "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
             "BitwiseLeftShift", "BitwiseRightShift"]
for op in SCALAR:
    fn, (lo, hi) = BINARY[op]
    for dtype in (f64, f32, i64, u8, b8):
        for v in (2, 2.5, True):
            case(op + "Scalar", lambda x: fn(x, v), [rand(op, 0, dtype, (3,), lo, hi)], ["$0", v])
    case(op + "Scalar", lambda x: fn(x, 0), [rand(op, 0, i64, (3,), lo, hi)], ["$0", 0])
    if op in SCALAR_IN:
        g = getattr(torch.Tensor, snake(op) + "_")
        for dtype in (f64, i64):
            for v in (2, 2.5):
                case(op + "Scalar_", lambda x: g(x, v), [rand(op, 0, dtype, (3,), lo, hi)], ["$0", v])
x2 = lambda op, dtype=f64, lo=-3, hi=3: [rand(op, 0, dtype, (2, 3), lo, hi), rand(op, 1, dtype, (3,), lo, hi)]
for alpha in (2, 0.5):
    for dtype in (f64, f32, i64):
        for op, fn in (("AddAlpha", torch.add), ("SubAlpha", torch.sub)):
            case(op, lambda a, b: fn(a, b, alpha=alpha), x2(op, dtype), ["$0", "$1", alpha])
    case("AddAlpha_", lambda a, b: a.add_(b, alpha=alpha), x2("AddAlpha"), ["$0", "$1", alpha])
    case("SubAlpha_", lambda a, b: a.sub_(b, alpha=alpha), x2("SubAlpha"), ["$0", "$1", alpha])
for mode in ("", "trunc", "floor"):
    py = mode or None
    for dtype in (f64, f32, i64):
        case("DivMode", lambda a, b: torch.div(a, b, rounding_mode=py), x2("DivMode", dtype, 1, 5), ["$0", "$1", mode])
        case("DivScalarMode", lambda a: torch.div(a, -2, rounding_mode=py), x2("DivMode", dtype)[:1], ["$0", -2, mode])
    case("DivMode_", lambda a, b: a.div_(b, rounding_mode=py), x2("DivMode", f64, 1, 5), ["$0", "$1", mode])
for base in (2, 0.5):
    for dtype in (f64, i64):
        case("ScalarPow", lambda e: torch.pow(base, e), [rand("ScalarPow", 0, dtype, (3,), 0, 3)], [base, "$0"])
case("PowScalar", lambda x: x.pow(-1), [rand("PowScalar", 0, i64, (3,), 1, 3)], ["$0", -1])

# --- bounds, choices, blends ---------------------------------------------------

for lo, hi in ((-1, 1), (None, 0.5), (0, None), (1, -1), (None, None)):
    for dtype in (f64, f32, i64):
        case("Clamp", lambda x: torch.clamp(x, lo, hi), [rand("Clamp", 0, dtype, (2, 3), -3, 3)], ["$0", lo, hi])
    case("Clamp_", lambda x: torch.clamp_(x, lo, hi), [rand("Clamp", 0, f64, (2, 3), -3, 3)], ["$0", lo, hi])
for dtype in (f64, i64):
    x = rand("ClampMin", 0, dtype, (4,), -3, 3)
    for v in (1, -0.5):
        case("ClampMin", lambda x: torch.clamp_min(x, v), [x], ["$0", v])
        case("ClampMax", lambda x: torch.clamp_max(x, v), [x], ["$0", v])
        case("ClampMin_", lambda x: torch.clamp_min_(x, v), [x], ["$0", v])
        case("ClampMax_", lambda x: torch.clamp_max_(x, v), [x], ["$0", v])
x, lo, hi = rand("ct", 0, f64, (2, 3), -3, 3), rand("ct", 1, f64, (3,), -2, 0), rand("ct", 2, f64, (2, 1), 0, 2)
case("ClampTensor", torch.clamp, [x, lo, hi], ["$0", "$1", "$2"])
case("ClampTensor", lambda x, hi: torch.clamp(x, max=hi), [x, hi], ["$0", None, "$1"])
case("ClampTensor", lambda x, lo: torch.clamp(x, min=lo), [x, lo], ["$0", "$1", None])
mask = torch.tensor([[True, False, True], [False, False, True]])
a, b, row = rand("where", 0, f64, (2, 3), -3, 3), rand("where", 1, f32, (3,), -3, 3), rand("where", 2, f64, (3,), -3, 3)
case("Where", torch.where, [mask, a, b], ["$0", "$1", "$2"])
case("Where", lambda m, a: torch.where(m, a, 0), [mask, a], ["$0", "$1", 0])
case("Where", lambda m, b: torch.where(m, 1.5, b), [mask, b], ["$0", 1.5, "$1"])
case("Where", lambda m: torch.where(m, 1, 0), [mask], ["$0", 1, 0])
case("Where", torch.where, [mask, a, rand("where", 3, f64, (4,), 0, 1)], ["$0", "$1", "$2"])
case("Tensor.Where", lambda a, m, b: a.where(m, b), [a, mask, b], ["$0", "$1", "$2"])
case("Tensor.Where", lambda a, m: a.where(m, 2.5), [a, mask], ["$0", "$1", 2.5])
zero_dim = torch.tensor(2.25, dtype=f64)
for op, fn in (("MaskedFill", torch.Tensor.masked_fill), ("MaskedFill_", torch.Tensor.masked_fill_)):
    case(op, lambda x, m: fn(x, m, 7.5), [a, mask], ["$0", "$1", 7.5])
    case(op, fn, [a, mask[0], zero_dim], ["$0", "$1", "$2"])
    case(op, fn, [a, mask, row], ["$0", "$1", "$2"])
    case(op, lambda x, m: fn(x, m, 1.0), [a, a], ["$0", "$1", 1.0])
t3 = [rand("t3", 0, f64, (2, 3), -3, 3), rand("t3", 1, f64, (3,), 1, 3), rand("t3", 2, f64, (2, 1), 1, 3)]
case("Lerp", torch.lerp, t3, ["$0", "$1", "$2"])
case("Lerp_", torch.Tensor.lerp_, t3, ["$0", "$1", "$2"])
case("LerpScalar", lambda a, b: torch.lerp(a, b, 0.25), t3[:2], ["$0", "$1", 0.25])
case("LerpScalar_", lambda a, b: a.lerp_(b, 0.25), t3[:2], ["$0", "$1", 0.25])
case("Lerp", torch.lerp, [t3[0], t3[1].float(), t3[2]], ["$0", "$1", "$2"])
for op in ("Addcmul", "Addcdiv"):
    fn = getattr(torch, op.lower())
    g = getattr(torch.Tensor, op.lower() + "_")
    for v in (None, 0.5, 2):
        py = 1 if v is None else v
        case(op, lambda a, b, c: fn(a, b, c, value=py), t3, ["$0", "$1", "$2", v])
        case(op + "_", lambda a, b, c: g(a, b, c, value=py), t3, ["$0", "$1", "$2", v])
    case(op, fn, [t.long() for t in t3], ["$0", "$1", "$2", 1])
case("Frexp", torch.frexp, [rand("Frexp", 0, f64, (2, 3), -9, 9)], ["$0"])
case("Frexp", torch.frexp, [rand("Frexp", 0, i64, (2, 3), -9, 9)], ["$0"])

# --- comparisons as a whole ------------------------------------------------------

near, far = torch.tensor([1.0, nan, inf]), torch.tensor([1.0000001, nan, inf])
for en in (False, True):
    case("IsClose", lambda a, b: torch.isclose(a, b, 1e-5, 1e-8, en), [near, far], ["$0", "$1", 1e-5, 1e-8, en])
    case("AllClose", lambda a, b: torch.allclose(a, b, 1e-5, 1e-8, en), [near, far], ["$0", "$1", 1e-5, 1e-8, en])
case("IsClose", lambda a, b: torch.isclose(a, b), [near, far.double()], ["$0", "$1", 1e-5, 1e-8, False])
case("AllClose", lambda a, b: torch.allclose(a, b, 0.0, 0.0), [near[:1], far[:1]], ["$0", "$1", 0.0, 0.0, False])
case("AllClose", lambda a, b: torch.allclose(a, b, -1.0, 0.0), [near[:1], far[:1]], ["$0", "$1", -1.0, 0.0, False])
case("Equal", torch.equal, [near, near], ["$0", "$1"])
case("Equal", torch.equal, [near[:1], near[:1].clone()], ["$0", "$1"])
case("Equal", torch.equal, [near[:1], near[:2]], ["$0", "$1"])
case("IsIn", torch.isin, [rand("IsIn", 0, i64, (2, 3), 0, 5), rand("IsIn", 1, i64, (2,), 0, 5)], ["$0", "$1"])

# --- dtypes, copies, complex numbers ---------------------------------------------

for op, py in [("Float", "float"), ("Double", "double"), ("Half", "half"), ("BFloat16", "bfloat16"),
               ("Byte", "byte"), ("Char", "char"), ("Short", "short"), ("Int", "int"), ("Long", "long"),
               ("Bool", "bool"), ("CFloat", "cfloat"), ("CDouble", "cdouble"), ("CPU", "cpu"), ("Clone", "clone"),
               ("Contiguous", "contiguous"), ("Detach", "detach"), ("Square", "square")]:
    for dtype in (f64, f32, i64, b8):
        case(op, getattr(torch.Tensor, py), [rand(op, 0, dtype, (2, 2), 0, 9)], ["$0"], grad=op != "Detach")
case("TypeAs", torch.Tensor.type_as, [rand("TypeAs", 0, f32, (2,), 0, 9), rand("TypeAs", 0, f64, (2,), 0, 9)],
     ["$0", "$1"])
for dtype in (c64, c128, f64):
    z = rand("complex", 0, dtype, (2, 2), -2, 2)
    for op in ("Real", "Imag", "Conj", "ResolveConj", "ResolveNeg", "Angle", "ViewAsReal", "ViewAsComplex"):
        case(op, getattr(torch, snake(op)), [z], ["$0"])
    case("ConjPhysical", torch.conj_physical, [z], ["$0"])
    case("ConjPhysical_", torch.Tensor.conj_physical_, [z], ["$0"])
    case("ViewAsComplex", torch.view_as_complex, [z[0]], ["$0"])
for op, fn in (("Complex", torch.complex), ("Polar", torch.polar)):
    case(op, fn, [a, row], ["$0", "$1"])
    case(op, fn, [a, b], ["$0", "$1"])

# --- filling and drawing -----------------------------------------------------------

case("Fill_", lambda x: x.fill_(2.5), [a], ["$0", 2.5])
case("Fill_", lambda x: x.fill_(2.5), [rand("Fill", 0, i64, (3,), 0, 9)], ["$0", 2.5])
case("Fill_", lambda x, v: x.fill_(v), [a, zero_dim], ["$0", "$1"])
case("Fill_", lambda x, v: x.fill_(v), [a, row], ["$0", "$1"])
case("Zero_", torch.Tensor.zero_, [a], ["$0"])
for wrap in (False, True):
    case("FillDiagonal_", lambda x: x.fill_diagonal_(1.5, wrap), [rand("fd", 0, f64, (5, 2), 0, 9)], ["$0", 1.5, wrap])
case("FillDiagonal_", lambda x: x.fill_diagonal_(1.5), [row], ["$0", 1.5, False])
case("Copy_", lambda x, y: x.copy_(y), [a, b], ["$0", "$1"])
case("Copy_", lambda x, y: x.copy_(y), [row, a], ["$0", "$1"])
case("Copy_", lambda x, y: x.copy_(y), [rand("Copy", 0, i64, (3,), 0, 9), b], ["$0", "$1"])


def drawn(op, fn, ins, call):
    case(op, fn, ins, call, grad=False, seed=zlib.crc32(op.encode()) % 1000)


for dtype, shape in ((f32, (2, 3)), (f64, (20,)), (i64, (4,))):
    z = torch.zeros(shape, dtype=dtype)
    drawn("Uniform_", lambda x: x.uniform_(-1, 2), [z], ["$0", -1.0, 2.0])
    drawn("Normal_", lambda x: x.normal_(1, 2), [z], ["$0", 1.0, 2.0])
    drawn("LogNormal_", lambda x: x.log_normal_(1, 0.5), [z], ["$0", 1.0, 0.5])
    drawn("Bernoulli_", lambda x: x.bernoulli_(0.3), [z], ["$0", 0.3])
    drawn("Exponential_", lambda x: x.exponential_(2), [z], ["$0", 2.0])
    drawn("Geometric_", lambda x: x.geometric_(0.3), [z], ["$0", 0.3])
    drawn("Cauchy_", lambda x: x.cauchy_(1, 2), [z], ["$0", 1.0, 2.0])
    drawn("RandomTo_", lambda x: x.random_(7), [z], ["$0", 7])
    drawn("RandomRange_", lambda x: x.random_(-5, 5), [z], ["$0", -5, 5])
    drawn("Bernoulli", torch.bernoulli, [z + 0.5 if dtype != i64 else z], ["$0"])
    drawn("BernoulliP", lambda x: torch.bernoulli(x, 0.4), [z], ["$0", 0.4])
    drawn("Poisson", torch.poisson, [z + 3], ["$0"])
z = torch.zeros(4, dtype=u8)
drawn("Random_", torch.Tensor.random_, [z], ["$0"])
z = torch.zeros(3)
drawn("Uniform_", lambda x: x.uniform_(2, 1), [z], ["$0", 2.0, 1.0])
drawn("Normal_", lambda x: x.normal_(0, -1), [z], ["$0", 0.0, -1.0])
drawn("Bernoulli_", lambda x: x.bernoulli_(1.5), [z], ["$0", 1.5])
drawn("Exponential_", lambda x: x.exponential_(-1), [z], ["$0", -1.0])
drawn("Geometric_", lambda x: x.geometric_(0), [z], ["$0", 0.0])
drawn("RandomTo_", lambda x: x.random_(0), [z], ["$0", 0])
drawn("BernoulliTensor_", lambda x, p: x.bernoulli_(p),
      [torch.zeros(2, 3), rand("bt", 0, f32, (3,), 0, 1)], ["$0", "$1"])
weights = rand("mn", 0, f32, (2, 5), 0, 1)
for n, rep in ((3, False), (8, True), (6, False)):
    drawn("Multinomial", lambda w: torch.multinomial(w, n, rep), [weights], ["$0", n, rep])
drawn("NormalTensor", torch.normal, [row, t3[1]], ["$0", "$1"])


def write():
    path = pathlib.Path(__file__).with_name("pointwise.json")
    lines = ",\n".join(json.dumps(c, separators=(",", ":"), allow_nan=False) for c in cases)
    path.write_text(f'{{"torch":"{torch.__version__.split("+")[0]}","cases":[\n{lines}\n]}}\n')
    print(len(cases), "cases,", path.stat().st_size, "bytes,", sum("error" in c for c in cases), "errors")


write()
