"""Writes goldens of reductions, scans and statistics. Run with PyTorch 2.11.0."""
import math
import warnings

import torch
from op_golden import *

warnings.simplefilter("ignore")  # torch warns about variances of too few elements
inf, nan = math.inf, math.nan
every_shape = [(), (5,), (2, 3), (2, 3, 4), (0,), (2, 0, 3)]

for s in every_shape:
    for d in (f32, f64):
        case("SumAll", lambda x: x.sum(), T(*s, dtype=d))
        case("Prod", lambda x: x.prod(), T(*s, dtype=d))
        case("Norm", lambda x: x.norm(), T(*s, dtype=d))
    case("Mean", lambda x: x.mean(), T(*s))
    case("All", lambda x: x.all(), T(*s))
    case("Any", lambda x: x.any(), T(*s))
    case("CountNonzero", lambda x, d: x.count_nonzero(), T(*s), [])
for d in (i32, i64, u8, boolean, f16, bf16, c64):
    x = T(2, 3, dtype=d, low=0, high=4)
    case("SumAll", lambda x: x.sum(), x)
    case("SumDim", lambda x, d, k: x.sum(d, keepdim=k), x, [1], True)
    case("Prod", lambda x: x.prod(), x)
    case("All", lambda x: x.all(), x)
    case("Any", lambda x: x.any(), x)
    case("CountNonzero", lambda x, d: x.count_nonzero(d), x, [1])
    case("CumSum", lambda x, d: x.cumsum(d), x, 1)
case("Sum", lambda x: x.sum(), T(3, 2))
case("SumAllAs", lambda x, d: x.sum(dtype=getattr(torch, d)), T(3, 2, dtype=i32), "float64")
case("MeanAs", lambda x, d: x.mean(dtype=getattr(torch, d)), T(3, 2, dtype=i32), "float32")
case("MeanDimAs", lambda x, n, k, d: x.mean(n, k, dtype=getattr(torch, d)), T(3, 2, dtype=i64), [0], False, "float64")
case("ProdAs", lambda x, d: x.prod(dtype=getattr(torch, d)), T(3, 2, dtype=i32), "float64")
case("CumSumAs", lambda x, n, d: x.cumsum(n, dtype=getattr(torch, d)), T(3, 2, dtype=u8, low=0), 0, "float32")

for s, dims in [((5,), [0]), ((2, 3), [1]), ((2, 3), [-2]), ((2, 3), [0, 1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), [-1]),
                ((2, 3), None), ((2, 0, 3), [0]), ((2, 3), [])]:
    for k in (False, True):
        case("SumDim", lambda x, d, k: x.sum(d, keepdim=k), T(*s), dims, k)
        case("MeanDim", lambda x, d, k: x.mean(d, keepdim=k), T(*s), dims, k)
        case("NaNSum", lambda x, d, k: x.nansum(d, keepdim=k), T(*s), dims, k)
        every = lambda x, d: d or tuple(range(x.dim()))
        case("LogSumExp", lambda x, d, k: x.logsumexp(every(x, d), keepdim=k), T(*s), dims, k)
        case("NormDim", lambda x, p, d, k: torch.linalg.vector_norm(x, p, d, k), T(*s), 2, dims, k)
        case("AllDim", lambda x, d, k: x.all(every(x, d), keepdim=k), T(*s, dtype=boolean), dims, k)
        case("AnyDim", lambda x, d, k: x.any(every(x, d), keepdim=k), T(*s, dtype=boolean), dims, k)
        for c in (0.0, 1.0):
            case("VarDim", lambda x, d, c, k: x.var(d, correction=c, keepdim=k), T(*s), dims, c, k)
            case("StdDim", lambda x, d, c, k: x.std(d, correction=c, keepdim=k), T(*s), dims, c, k)
        case("VarMean", lambda x, d, c, k: torch.var_mean(x, d, correction=c, keepdim=k), T(*s), dims, 1.0, k)
        case("StdMean", lambda x, d, c, k: torch.std_mean(x, d, correction=c, keepdim=k), T(*s), dims, 0.0, k)
        if 0 not in s:
            case("Amax", lambda x, d, k: x.amax(d if d is not None else (), keepdim=k), T(*s), dims, k)
            case("Amin", lambda x, d, k: x.amin(d if d is not None else (), keepdim=k), T(*s), dims, k)
for p in (0, 1, 2, 3, 0.5, inf, -inf):
    case("NormDim", lambda x, p, d, k: torch.linalg.vector_norm(x, p, d, k), distinct(3, 4), p, [1], False)
case("NormDim", lambda x, p, d, k: torch.linalg.vector_norm(x, p, d, k), T(3, dtype=c64, grad=True), 2, None, False)
for d in (f32, f64):
    case("Var", lambda x: x.var(), T(7, dtype=d))
    case("Std", lambda x: x.std(), T(2, 3, dtype=d))
case("NaNSum", lambda x, d, k: x.nansum(d, k), V([[1, nan], [nan, nan]], grad=True), [1], False)
case("NaNMean", lambda x, d, k: x.nanmean(d, k), V([[1, nan], [nan, nan], [2, 3.5]], grad=True), [1], False)
case("NaNMean", lambda x, d, k: x.nanmean(d, k), V([[1, nan], [2, 3.5]], grad=True), None, True)
case("LogSumExp", lambda x, d, k: x.logsumexp(d, k), V([[1000, 1001], [-inf, -inf]], grad=True), [1], False)
case("CountNonzero", lambda x, d: x.count_nonzero(d), T(3, 4, 2, dtype=i64), [0, 2])
for s, to in [((2, 3), [3]), ((2, 3), [2, 1]), ((2, 3), [2, 3]), ((4, 2, 3), [1, 3])]:
    case("SumToSize", lambda x, to: x.sum_to_size(to), T(*s), to)
case("Renorm", lambda x, p, d, m: x.renorm(p, d, m), T(3, 4), 2, 0, 3.5)
case("Renorm", lambda x, p, d, m: x.renorm(p, d, m), T(3, 4), 1, 1, 2)
for dim, k in [(0, False), (1, True), (-1, False)]:
    case("ProdDim", lambda x, d, k: x.prod(d, keepdim=k), T(2, 3, 4), dim, k)

# The largest and smallest elements and their indices.
for s in [(), (6,), (3, 4), (2, 3, 2)]:
    for d in (f32, f64, i64):
        for name in ("Max", "Min", "ArgMax", "ArgMin", "Median", "Aminmax"):
            f = {"Aminmax": torch.aminmax}.get(name) or (lambda x, n=name.lower(): getattr(x, n)())
            case(name, lambda x, f=f: f(x), distinct(*s, dtype=d), grad=name != "Aminmax")
    if s:
        for dim in range(-1, len(s)):
            for k in (False, True):
                for name in ("MaxDim", "MinDim", "MedianDim"):
                    case(name, lambda x, d, k, n=name[:-3].lower(): getattr(x, n)(d, k), distinct(*s), dim, k)
                for name in ("ArgMaxDim", "ArgMinDim"):
                    case(name, lambda x, d, k, n=name[:-3].lower(): getattr(x, n)(d, k),
                         distinct(*s, dtype=i64), dim, k)
                case("AminmaxDim", lambda x, d, k: torch.aminmax(x, dim=d, keepdim=k), distinct(*s, grad=False), dim, k)
                case("Mode", lambda x, d, k: x.mode(d, k), T(*s, dtype=i64, low=0, high=2), dim, k)
                case("KthValue", lambda x, n, d, k: x.kthvalue(n, d, k), distinct(*s), 2, dim, k)
                case("QuantileDim", lambda x, q, d, k: x.quantile(q, d, k), distinct(*s), 0.3, dim, k)
            case("CumSum", lambda x, d: x.cumsum(d), T(*s), dim)
            case("CumProd", lambda x, d: x.cumprod(d), T(*s), dim)
            case("CumMax", lambda x, d: x.cummax(d), distinct(*s), dim)
            case("CumMin", lambda x, d: x.cummin(d), distinct(*s), dim)
            case("LogCumSumExp", lambda x, d: x.logcumsumexp(d), T(*s), dim)
            case("Diff", lambda x, n, d: x.diff(n, d), T(*s), 1, dim)
            case("Trapezoid", lambda x, h, d: torch.trapezoid(x, dx=h, dim=d), T(*s), 0.5, dim)
            case("CumulativeTrapezoid", lambda x, h, d: torch.cumulative_trapezoid(x, dx=h, dim=d), T(*s), 2, dim)
case("Max", lambda x: x.max(), V([1, nan, 3]))
case("MaxDim", lambda x, d, k: x.max(d, k), V([[1, nan, 3], [1, 5, 3]]), 1, False)
case("Amax", lambda x, d, k: x.amax(d, k), V([[2, 2, 1], [3, 3, 3]], grad=True), [1], False)
case("Max", lambda x: x.max(), V([2, 2, 1], grad=True))
case("NaNMedian", lambda x: x.nanmedian(), V([1, nan, 3, 2], grad=True))
case("NaNMedianDim", lambda x, d, k: x.nanmedian(d, k), V([[1, nan, 3], [7, 5, 6]], grad=True), 1, True)
case("Median", lambda x: x.median(), V([1, nan, 3]))
case("Diff", lambda x, n, d: x.diff(n, d), T(2, 5), 2, 1)
case("Diff", lambda x, n, d: x.diff(n, d), T(2, 5, dtype=i64), 0, 1)
case("CumProd", lambda x, d: x.cumprod(d), V([2, 0, 3, 0, 5], grad=True), 0)
case("CumProd", lambda x, d: x.cumprod(d), T(4, dtype=i32), 0)
case("CumProdAs", lambda x, n, d: x.cumprod(n, dtype=getattr(torch, d)), T(3, 2, dtype=u8, low=0), 0, "float64")
case("TrapezoidAt", lambda y, x, d: torch.trapezoid(y, x, dim=d), T(2, 4), V([0, 1, 3, 4.5], grad=True), 1)

# Statistics.
case("Quantile", lambda x, q: x.quantile(q), distinct(9), 0.25)
case("Quantile", lambda x, q: x.quantile(q), distinct(2, 5, dtype=f64), 0.5)
for mode in ("", "linear", "lower", "higher", "midpoint", "nearest"):
    case("QuantileWith", lambda x, q, d, k, m, n: x.quantile(q, d, k, interpolation=m or "linear"),
         distinct(3, 6), V([0.15, 0.5, 0.95]), 1, False, mode, False)
case("QuantileWith", lambda x, q, d, k, m, n: x.quantile(q, d, k), distinct(3, 6), V([0, 1]), None, True, "", False)
case("QuantileWith", lambda x, q, d, k, m, n: x.nanquantile(q, d, k),
     V([[1, nan, 3], [2, 5, 7]]), V([0.5]), 1, False, "", True)
case("Histc", lambda x, b, l, h: x.histc(b, l, h), T(20, grad=False), 5, -2, 2.5)
case("Histc", lambda x, b, l, h: x.histc(b, l, h), T(3, 4, grad=False, dtype=f64), 4, 0, 0)
for density in (False, True):
    case("Histogram", lambda x, e, d: torch.histogram(x, e, density=d), T(20, grad=False), V([-4, -1, 0, 3.5]), density)
case("BinCount", lambda x, w, n: x.bincount(w, n), I(0, 3, 3, 1, 5), None, 0)
case("BinCount", lambda x, w, n: x.bincount(w, n), I(0, 3, 3), None, 6)
case("BinCount", lambda x, w, n: x.bincount(w, n), I(0, 3, 3), V([0.5, 1, 2]), 0)
case("Cov", lambda x, c: x.cov(correction=c), T(3, 5), 1)
case("Cov", lambda x, c: x.cov(correction=c), T(5, dtype=f64), 0)
case("Corrcoef", lambda x: x.corrcoef(), T(3, 5, dtype=f64))
for d in (f32, i64, boolean):
    case("Unique", lambda x: x.unique(), T(3, 4, dtype=d, low=0, high=2, grad=False))
    case("UniqueCounts", lambda x: x.unique(return_inverse=True, return_counts=True),
         T(3, 4, dtype=d, low=0, high=2, grad=False))
case("Unique", lambda x: x.unique(), T(0, grad=False))
case("UniqueDim", lambda x, d: x.unique(dim=d, return_inverse=True, return_counts=True),
     V([[1, 2], [0, 3], [1, 2]], i64), 0)
case("UniqueDim", lambda x, d: x.unique(dim=d, return_inverse=True, return_counts=True), V([[1, 1, 0], [0, 0, 3]]), -1)
case("UniqueConsecutive", lambda x: x.unique_consecutive(return_inverse=True, return_counts=True),
     I(1, 1, 2, 2, 2, 1, 3))
case("Renorm_", lambda x, p, d, m: x.clone().renorm_(p, d, m), T(3, 4), 2, 0, 3.5)

write("reduce.json")
