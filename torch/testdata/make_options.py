"""Writes options.json: each option of package torch beside Python's keyword."""
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
case("Argmax.KeepDim", lambda x: torch.argmax(x, None, True), distinct(2, 3))
case("Argmin.Dim", lambda x: x.argmin(dim=0, keepdim=True), distinct(2, 3))
case("Aminmax.Dim", lambda x: x.aminmax(dim=0, keepdim=True), distinct(2, 3, grad=False))
case("Kthvalue", lambda x: x.kthvalue(2), distinct(2, 3))
case("Kthvalue.Dim", lambda x: x.kthvalue(2, dim=0, keepdim=True), distinct(2, 3))
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
case("Cumsum.DType", lambda x: x.cumsum(1, dtype=f64), T(2, 3))
case("Cumprod.DType", lambda x: x.cumprod(1, dtype=f64), T(2, 3))
case("Diff", lambda x: x.diff(), T(2, 4))
case("Diff.Prepend", lambda x, p: x.diff(dim=0, prepend=p), T(2, 3), T(1, 3))
case("Diff.Append", lambda x, p: x.diff(n=2, append=p), T(2, 3), T(2, 1))
case("Trapezoid", lambda x: torch.trapezoid(x), T(2, 4))
case("Trapezoid.Dx.zero", lambda x: torch.trapezoid(x, dx=0), T(2, 4))
case("Histc", lambda x: x.histc(), T(20, grad=False))
case("Histc.Bins", lambda x: x.histc(bins=3, min=-1, max=1.5), T(20, grad=False))
case("Histogram.Weight", lambda x, e, w: torch.histogram(x, e, weight=w, density=True),
     T(6, grad=False), V([-4, 0, 1, 4]), V([1, 2, 0.5, 1, 1, 3]))
case("Bincount.Weights", lambda x, w: x.bincount(weights=w, minlength=5), I(0, 3, 3), V([0.5, 1, 2]))
case("Unique.Dim", lambda x: x.unique(dim=0), V([[1, 2], [0, 3], [1, 2]], i64))
case("UniqueCounts.Dim", lambda x: x.unique(dim=1, return_inverse=True, return_counts=True), V([[1, 1, 0], [0, 0, 3]]))
case("UniqueConsecutive.Dim", lambda x: x.unique_consecutive(dim=0, return_inverse=True, return_counts=True),
     V([[1, 2], [1, 2], [0, 3], [1, 2]]))

# Sorting and searching.
case("Sort", lambda x: x.sort(), distinct(2, 3))
case("Sort.Stable", lambda x: x.sort(dim=0, descending=True, stable=True), V([[1, 2], [1, 3], [0, 3]]))
case("Argsort.Stable", lambda x: x.argsort(dim=0, descending=True, stable=True), V([[1, 2], [1, 3], [0, 3]]))
case("Topk", lambda x: x.topk(2), distinct(3, 4))
case("Topk.Sorted", lambda x: x.topk(1, dim=0, largest=False, sorted=False), distinct(3, 4))
case("Searchsorted.Sorter", lambda s, v, o: torch.searchsorted(s, v, sorter=o, out_int32=True),
     V([3, 1, 7]), V([[0, 3], [7, 9]]), I(1, 0, 2))
case("Bucketize.OutInt32", lambda v, b: torch.bucketize(v, b, right=True, out_int32=True), V([0, 1, 2.5, 9]), V([1, 2.5, 4]))

write("options.json")
