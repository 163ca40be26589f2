"""Writes options.json: cases of each option of package torch, with Python's keywords."""
import math

import torch

from op_golden import I, T, V, c64, distinct, f32, f64, i32, i64, case, write

nan = float("nan")

# Reductions.
case("Sum.KeepDim", lambda x: torch.sum(x, None, True), T(2, 3))
case("Sum.Dims.none", lambda x: x.sum(dim=()), T(2, 3))
case("Sum.DType", lambda x: x.sum(dim=1, dtype=f64), T(2, 3))
case("Prod.DType", lambda x: x.prod(dim=-1, dtype=f32), T(2, 3, dtype=i64))
case("NaNSum.DType", lambda x: x.nansum(dim=1, dtype=f64), V([[1, nan], [nan, 2]]))
case("NaNMean.Dims", lambda x: x.nanmean(dim=(0, 1), keepdim=True), V([[1, nan], [nan, 2]], grad=True))
case("LogSumExp.Dims", lambda x: x.logsumexp(dim=(0, 2)), T(2, 3, 2))
case("Norm.P", lambda x: x.norm(p=1, dim=1, keepdim=True), T(2, 3))
case("Norm.P.zero", lambda x: x.norm(p=0), V([[1, 0], [0, 2]]))
case("Norm.DType", lambda x: x.norm(dtype=f64), T(2, 3, dtype=f32))
case("All.Dims", lambda x: torch.all(x, dim=(0, 1), keepdim=True), V([[1, 0], [0, 2]]))
case("Any.Dim", lambda x: x.any(dim=0), V([[1, 0], [0, 0]]))
case("CountNonzero.Dims", lambda x: x.count_nonzero(dim=(0, 1)), V([[1, 0], [0, 2]]))
case("ArgMax.KeepDim", lambda x: torch.argmax(x, None, True), distinct(2, 3))
case("ArgMin.Dim", lambda x: x.argmin(dim=0, keepdim=True), distinct(2, 3))
case("Aminmax.Dim", lambda x: x.aminmax(dim=0, keepdim=True), distinct(2, 3, grad=False))
case("KthValue", lambda x: x.kthvalue(2), distinct(2, 3))
case("KthValue.Dim", lambda x: x.kthvalue(2, dim=0, keepdim=True), distinct(2, 3))
case("Var.Correction.zero", lambda x: x.var(dim=1, correction=0), T(2, 3))
case("Std.KeepDim", lambda x: x.std(dim=None, keepdim=True), T(2, 3))
case("VarMean.Correction", lambda x: torch.var_mean(x, dim=1, correction=2), T(2, 4))
case("StdMean.Dims", lambda x: torch.std_mean(x, dim=(0, 1), keepdim=True), T(2, 4))
case("Cov.FWeights", lambda x, f: x.cov(fweights=f), T(3, 4), I(1, 2, 3, 1))
case("Cov.AWeights", lambda x, a: x.cov(correction=0, aweights=a), T(3, 4), V([0.5, 1, 2, 1]))
case("Quantile.Interpolation", lambda x: x.quantile(0.3, dim=1, keepdim=True, interpolation="higher"), distinct(3, 6))
case("NaNQuantile", lambda x: x.nanquantile(0.4), V([[1, nan], [3, 2]]))
case("NaNQuantile.Dim", lambda x: x.nanquantile(0.4, dim=0, interpolation="lower"), V([[1, nan], [3, 2]]))
case("NaNQuantileTensor", lambda x, q: x.nanquantile(q, dim=0), V([[1, nan], [3, 2]]), V([0.25, 1]))
case("QuantileTensor", lambda x, q: x.quantile(q), distinct(2, 3), V([0.25, 1]))
case("CumSum.DType", lambda x: x.cumsum(1, dtype=f64), T(2, 3))
case("CumProd.DType", lambda x: x.cumprod(1, dtype=f64), T(2, 3))
case("Diff", lambda x: x.diff(), T(2, 4))
case("Diff.Prepend", lambda x, p: x.diff(dim=0, prepend=p), T(2, 3), T(1, 3))
case("Diff.Append", lambda x, p: x.diff(n=2, append=p), T(2, 3), T(2, 1))
case("Trapezoid", lambda x: torch.trapezoid(x), T(2, 4))
case("Trapezoid.Dx.zero", lambda x: torch.trapezoid(x, dx=0), T(2, 4))
case("Histc", lambda x: x.histc(), T(20, grad=False))
case("Histc.Bins", lambda x: x.histc(bins=3, min=-1, max=1.5), T(20, grad=False))
case("Histogram.Weight", lambda x, e, w: torch.histogram(x, e, weight=w, density=True),
     T(6, grad=False), V([-4, 0, 1, 4]), V([1, 2, 0.5, 1, 1, 3]))
case("BinCount.Weights", lambda x, w: x.bincount(weights=w, minlength=5), I(0, 3, 3), V([0.5, 1, 2]))
case("Unique.Dim", lambda x: x.unique(dim=0), V([[1, 2], [0, 3], [1, 2]], i64))
case("UniqueCounts.Dim", lambda x: x.unique(dim=1, return_inverse=True, return_counts=True), V([[1, 1, 0], [0, 0, 3]]))
case("UniqueConsecutive.Dim", lambda x: x.unique_consecutive(dim=0, return_inverse=True, return_counts=True),
     V([[1, 2], [1, 2], [0, 3], [1, 2]]))

# Sorting and searching.
case("Sort", lambda x: x.sort(), distinct(2, 3))
case("Sort.Stable", lambda x: x.sort(dim=0, descending=True, stable=True), V([[1, 2], [1, 3], [0, 3]]))
case("ArgSort.Stable", lambda x: x.argsort(dim=0, descending=True, stable=True), V([[1, 2], [1, 3], [0, 3]]))
case("TopK", lambda x: x.topk(2), distinct(3, 4))
case("TopK.Sorted", lambda x: x.topk(1, dim=0, largest=False, sorted=False), distinct(3, 4))
case("SearchSorted.Sorter", lambda s, v, o: torch.searchsorted(s, v, sorter=o, out_int32=True),
     V([3, 1, 7]), V([[0, 3], [7, 9]]), I(1, 0, 2))
case("Bucketize.OutInt32", lambda v, b: torch.bucketize(v, b, right=True, out_int32=True),
     V([0, 1, 2.5, 9]), V([1, 2.5, 4]))

# Arithmetic and functions of one tensor.
case("AddScalar.Alpha", lambda x: torch.add(x, 3, alpha=2.5), T(2, 3))
case("AddScalar.Alpha.int", lambda x: torch.add(x, 3, alpha=2), T(2, 3, dtype=i64))
case("AddScalar_.Alpha", lambda x: x.clone().add_(3, alpha=2.5), T(2, 3))
case("SubScalar.Alpha", lambda x: torch.sub(x, 3, alpha=2.5), T(2, 3))
case("SubScalar_.Alpha", lambda x: x.clone().sub_(3, alpha=2.5), T(2, 3))
case("RSub.Alpha", lambda x, y: torch.rsub(x, y, alpha=2.5), T(2, 3), T(3))
case("RSubScalar.Alpha", lambda x: torch.rsub(x, 3, alpha=2.5), T(2, 3))
case("IndexAdd.Alpha", lambda x, i, s: x.index_add(1, i, s, alpha=-0.5), T(2, 3), I(2, 0, 2), T(2, 3))
case("IndexAdd_.Alpha", lambda x, i, s: x.clone().index_add_(1, i, s, alpha=3), T(2, 3, dtype=i64), I(2, 0, 2),
     T(2, 3, dtype=i64))
case("Addr.Beta", lambda x, a, b: torch.addr(x, a, b, beta=0.5, alpha=2), T(2, 3), T(2), T(3))
case("Addbmm.Beta", lambda x, a, b: torch.addbmm(x, a, b, beta=0.5, alpha=2), T(2, 4), T(5, 2, 3), T(5, 3, 4))
case("Addmm_.Beta.zero", lambda x, a, b: x.clone().addmm_(a, b, beta=0, alpha=-1), V([[nan]]), V([[2]]), V([[3]]))
case("Addmv_.Beta", lambda x, a, b: x.clone().addmv_(a, b, beta=2, alpha=0.5), T(2), T(2, 3), T(3))
case("Addr_.Beta", lambda x, a, b: x.clone().addr_(a, b, beta=2, alpha=0.5), T(2, 3), T(2), T(3))
case("Addbmm_.Beta", lambda x, a, b: x.clone().addbmm_(a, b, beta=2, alpha=0.5), T(2, 4), T(5, 2, 3), T(5, 3, 4))
case("Baddbmm_.Beta", lambda x, a, b: x.clone().baddbmm_(a, b, beta=2, alpha=0.5), T(5, 2, 4), T(5, 2, 3), T(5, 3, 4))
case("Addmm.Alpha.int", lambda x, a, b: torch.addmm(x, a, b, alpha=2), *(T(2, 2, dtype=i64) for _ in range(3)))
case("DivScalar_.RoundingMode", lambda x: x.clone().div_(-2, rounding_mode="floor"), T(2, 3, dtype=i64))
case("Round_.Decimals", lambda x: x.clone().round_(decimals=1), T(2, 3))
case("Round.Decimals.zero", lambda x: x.round(decimals=0), V([0.5, 1.5, -2.5]))
case("Logit_.Eps", lambda x: x.clone().logit_(eps=0.25), V([0, 0.125, 0.75, 1], grad=True))
case("NaNToNum.NegInf", lambda x: x.nan_to_num(neginf=-1), V([nan, math.inf, -math.inf, 2]))
case("NaNToNum_.PosInf", lambda x: x.clone().nan_to_num_(posinf=0), V([nan, math.inf, -math.inf, 2]))
case("IsClose.RTol", lambda x, y: x.isclose(y, rtol=0.5), V([1, 2, nan]), V([1.5, 5, nan]))
case("IsClose.EqualNaN", lambda x, y: x.isclose(y, atol=1, equal_nan=True), V([1, 2, nan]), V([1.5, 5, nan]))

write("options.json")
