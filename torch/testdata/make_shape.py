"""Writes goldens of views, arrangements, joins, indexing by tensors, and sorting.

Run with PyTorch 2.11.0.
"""
import warnings

import torch
from op_golden import *

warnings.simplefilter("ignore")  # index_reduce warns that it may change


def swapped(f):
    """Returns f applied to a transposed argument, so that strides matter."""
    return lambda x, *a: f(x.transpose(0, 1), *a)


# Views. A Go method called XOfT is X after Transpose(0, 1).
for s, to in [((2, 3), [3, 2]), ((2, 3), [6]), ((2, 3), [-1, 2]), ((), [1, 1]), ((2, 0), [0, 5]), ((2, 3, 4), [6, -1])]:
    for d in (f32, i64, boolean, c64):
        case("View", lambda x, to: x.view(to), T(*s, dtype=d), to)
        case("Reshape", lambda x, to: x.reshape(to), T(*s, dtype=d), to)
case("ReshapeOfT", swapped(lambda x, to: x.reshape(to)), T(2, 3), [6])
case("ReshapeOfT", swapped(lambda x, to: x.reshape(to)), T(2, 3), [3, 1, 2])
case("ViewOfT", swapped(lambda x, to: x.view(to)), T(2, 3), [3, 2, 1])
case("ViewAs", lambda x, y: x.view_as(y), T(2, 6), T(3, 4, grad=False))
case("ReshapeAs", lambda x, y: x.reshape_as(y), T(2, 6), T(3, 4, grad=False))
case("ViewDType", lambda x, d: x.view(getattr(torch, d)), I(1, 2, 2**40), "int32")
case("ViewDType", lambda x, d: x.view(getattr(torch, d)), T(4, dtype=i32), "int64")
case("ViewDType", lambda x, d: x.view(getattr(torch, d)), T(4, grad=False), "int32")
for s, a, b in [((2, 3, 4), 0, -1), ((2, 3, 4), 1, 2), ((2, 3, 4), 0, 1), ((), 0, -1), ((5,), 0, 0),
                ((2, 0, 3), 1, -1)]:
    case("Flatten", lambda x, a, b: x.flatten(a, b), T(*s), a, b)
case("FlattenOfT", swapped(lambda x, a, b: x.flatten(a, b)), T(2, 3), 0, -1)
case("Ravel", lambda x: x.ravel(), T(2, 3))
case("Unflatten", lambda x, d, to: x.unflatten(d, to), T(2, 6), 1, [2, 3])
case("Unflatten", lambda x, d, to: x.unflatten(d, to), T(6, 2), -2, [-1, 3])
for s, dims in [((1, 3, 1), []), ((1, 3, 1), [0]), ((1, 3, 1), [0, -1]), ((1, 3, 1), [1]), ((), []), ((1, 1), [])]:
    case("Squeeze", lambda x, d: x.squeeze(d) if d else x.squeeze(), T(*s), dims)
for s, d in [((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((2, 3), -3), ((), 0), ((0,), 1)]:
    case("Unsqueeze", lambda x, d: x.unsqueeze(d), T(*s), d)
for a, b in [(0, 1), (0, -1), (2, 1), (1, 1)]:
    for n, f in [("Transpose", torch.transpose), ("SwapAxes", torch.swapaxes), ("SwapDims", torch.swapdims)]:
        case(n, f, T(2, 3, 4), a, b)
    case("MoveDim", torch.movedim, T(2, 3, 4), a, b)
for s in [(2, 3), (4,), ()]:
    case("T", lambda x: x.t(), T(*s))
for d in (f32, i64, c64):
    case("MT", lambda x: x.mT, T(2, 3, 4, dtype=d))
    case("MH", lambda x: x.mH, T(2, 3, 4, dtype=d))
for p in ([0, 1, 2], [2, 0, 1], [-1, 0, 1]):
    case("Permute", lambda x, p: x.permute(p), T(2, 3, 4), p)
case("Permute", lambda x, p: x.permute(p), T(), [])
case("MoveDims", torch.movedim, T(2, 3, 4), [0, 1], [-1, 0])
for s, to in [((3,), [2, 3]), ((2, 1), [2, 4]), ((2, 1), [5, -1, 3]), ((), [2, 2]), ((1,), [0])]:
    case("Expand", lambda x, to: x.expand(to), T(*s), to)
    if -1 not in to:
        case("BroadcastTo", lambda x, to: x.broadcast_to(to), T(*s), to)
        case("ExpandAs", lambda x, y: x.expand_as(y), T(*s), T(*to, grad=False))
for d, a, n in [(0, 1, 2), (1, 0, 3), (-1, -2, 2), (1, 2, 0)]:
    case("Narrow", lambda x, d, a, n: x.narrow(d, a, n), T(4, 3), d, a, n)
for d, i in [(0, 0), (0, -1), (1, 2), (-1, 1)]:
    case("Select", lambda x, d, i: x.select(d, i), T(4, 3), d, i)
    case("SelectOfT", swapped(lambda x, d, i: x.select(d, i)), T(3, 4), d, i)
for d, n, step in [(0, 2, 1), (0, 3, 2), (1, 3, 1), (-1, 1, 2)]:
    case("Unfold", lambda x, d, n, s: x.unfold(d, n, s), T(7, 4), d, n, step)
case("AsStrided", lambda x, n, s, o: x.as_strided(n, s, o), T(12), [3, 3], [1, 2], 2)
case("AsStrided", lambda x, n, s, o: x.as_strided(n, s, o), T(12, dtype=i64), [2], [5], 0)
for o, a, b in [(0, 0, 1), (1, 0, 1), (-1, 1, 0), (0, 0, 2), (0, -2, -1)]:
    case("Diagonal", lambda x, o, a, b: x.diagonal(o, a, b), T(3, 4, 2), o, a, b)
for s in [(), (2,), (2, 3), (2, 1, 3)]:
    case("AtLeast1d", torch.atleast_1d, T(*s))
    case("AtLeast2d", torch.atleast_2d, T(*s))
    case("AtLeast3d", torch.atleast_3d, T(*s))

# Copies.
for s, n in [((3,), [2]), ((2, 3), [1, 2]), ((2,), [3, 2]), ((), [2, 2]), ((2, 3), [0, 1])]:
    case("Repeat", lambda x, n: x.repeat(n), T(*s), n)
    case("Tile", lambda x, n: x.tile(n), T(*s), n)
case("Tile", lambda x, n: x.tile(n), T(2, 3), [2])
case("RepeatInterleave", lambda x, n, d: x.repeat_interleave(n, d), T(2, 3), 2, 1)
case("RepeatInterleave", lambda x, n, d: x.repeat_interleave(n, d), T(2, 3, dtype=i64), 0, 0)
case("RepeatInterleaveEach", lambda x, n, d: x.repeat_interleave(n, d), T(3, 2), I(2, 0, 1), 0)
for dims in ([0], [1], [0, 1], [-1], []):
    case("Flip", lambda x, d: x.flip(d), T(2, 3), dims)
case("FlipLR", torch.fliplr, T(2, 3))
case("FlipUD", torch.flipud, T(2, 3, dtype=boolean))
for n, d in [([1], [0]), ([-1, 2], [0, 1]), ([2], []), ([7], [1])]:
    case("Roll", lambda x, n, d: x.roll(n, d), T(2, 3), n, d)
for k in (-1, 0, 1, 2, 5):
    case("Rot90", lambda x, k, a, b: x.rot90(k, (a, b)), T(2, 3), k, 0, 1)
for o in (-1, 0, 2):
    case("Diag", lambda x, o: x.diag(o), T(3), o)
    case("Diag", lambda x, o: x.diag(o), T(3, 4), o)
    case("DiagFlat", lambda x, o: x.diagflat(o), T(2, 2), o)
    case("DiagEmbed", lambda x, o, a, b: x.diag_embed(o, a, b), T(2, 3), o, 0, -1)
    for d in (f32, i64, boolean):
        case("Tril", lambda x, o: x.tril(o), T(3, 4, dtype=d), o)
        case("Triu", lambda x, o: x.triu(o), T(2, 3, 3, dtype=d), o)
    case("TrilIndices", lambda a, b, o: torch.tril_indices(a, b, o), 3, 4, o)
    case("TriuIndices", lambda a, b, o: torch.triu_indices(a, b, o), 3, 4, o)
case("SelectScatter", lambda x, s, d, i: x.select_scatter(s, d, i), T(2, 3), T(2), 1, -1)
case("SliceScatter", lambda x, s, d, a, b, n: x.slice_scatter(s, d, a, b, n), T(2, 5), T(2, 2), 1, 1, 5, 2)
case("DiagonalScatter", lambda x, s, o, a, b: x.diagonal_scatter(s, o, a, b), T(3, 4), T(3), 1, 0, 1)

# Joins and splits.
for ts, d in [([T(2, 3), T(1, 3)], 0), ([T(2, 3), T(2, 1), T(2, 2)], -1), ([T(2)], 0), ([T(2, dtype=i64), T(3)], 0),
              ([T(2, 3), T(0)], 1), ([T(2, dtype=f64), T(1, dtype=f32)], 0)]:
    case("Cat", lambda l, d: torch.cat(l, d), ts, d)
for ts, d in [([T(2, 3), T(2, 3)], 0), ([T(2, 3), T(2, 3)], 1), ([T(2, 3), T(2, 3)], -1), ([T(), T(), T()], 0)]:
    case("Stack", lambda l, d: torch.stack(l, d), ts, d)
for ts in ([T(3), T(3)], [T(2, 3), T(2, 3)], [T(), T()]):
    for n, f in [("HStack", torch.hstack), ("VStack", torch.vstack), ("DStack", torch.dstack),
                 ("ColumnStack", torch.column_stack), ("BlockDiag", lambda l: torch.block_diag(*l))]:
        fresh = [t.detach().clone().requires_grad_() for t in ts]
        case(n, f, fresh)
case("BlockDiag", lambda l: torch.block_diag(*l), [T(2, 3), T(1), T()])
case("CartesianProd", lambda l: torch.cartesian_prod(*l), [T(2), T(3)])
for mode in ("ij", "xy"):
    case("Meshgrid", lambda m, l: torch.meshgrid(*l, indexing=m), mode, [T(2), T(3), T(2)])
case("BroadcastTensors", lambda l: torch.broadcast_tensors(*l), [T(2, 1), T(3), T()])
for r in (False, True):
    case("Combinations", lambda x, n, r: torch.combinations(x, n, r), T(4), 2, r)
for s, n, d in [((5, 2), 2, 0), ((2, 6), 3, 1), ((5,), 7, -1), ((0,), 1, 0)]:
    case("Split", lambda x, n, d: x.split(n, d), T(*s), n, d)
    case("Chunk", lambda x, n, d: x.chunk(n, d), T(*s), n, d)
    case("TensorSplit", lambda x, n, d: x.tensor_split(n, d), T(*s), n, d)
case("SplitSizes", lambda x, n, d: x.split(n, d), T(2, 6), [1, 0, 5], 1)
case("TensorSplitAt", lambda x, n, d: x.tensor_split(n, d), T(6, 2), [1, 4], 0)
for d in (0, 1, -1):
    case("Unbind", lambda x, d: x.unbind(d), T(2, 3), d)

# Reading through indices.
for d in (f32, f64, i64, boolean, bf16, c64):
    case("Gather", lambda x, d, i: x.gather(d, i), T(3, 4, dtype=d), 0, index(3, 2, 4))
    case("Gather", lambda x, d, i: x.gather(d, i), T(3, 4, dtype=d), -1, index(4, 3, 5))
    case("Take", lambda x, i: x.take(i), T(3, 4, dtype=d), I(0, -1, 5))
    case("IndexSelect", lambda x, d, i: x.index_select(d, i), T(3, 4, dtype=d), 1, I(3, 0, 0))
    case("MaskedSelect", lambda x, m: x.masked_select(m), T(3, 4, dtype=d), T(3, 4, dtype=boolean))
    case("Nonzero", lambda x: x.nonzero(), T(3, 4, dtype=d, low=-1, high=1))
case("IndexSelect", lambda x, d, i: x.index_select(d, i), T(3), 0, V([1, 1], i32))
case("Gather", lambda x, d, i: x.gather(d, i), T(3), 0, I())
case("MaskedSelect", lambda x, m: x.masked_select(m), T(3, 1), V([True, False], boolean))
case("TakeAlongDim", lambda x, i, d: x.take_along_dim(i, d), T(3, 4), index(4, 3, 1), 1)
case("TakeAlongDim", lambda x, i, d: x.take_along_dim(i, d), T(3, 4), index(3, 2, 1), 0)
case("NonzeroTuple", lambda x: x.nonzero(as_tuple=True), T(3, 4, dtype=boolean))
case("NonzeroTuple", lambda x: torch.where(x), T(2, 2, 2, dtype=boolean))
case("ArgWhere", lambda x: x.argwhere(), T(3, 4, dtype=boolean))


# Writing through indices: each function, then its form in place on a clone.
def both(name, method, x, *args):
    f = getattr(torch.Tensor, method)
    g = getattr(torch.Tensor, method + "_")
    case(name, lambda x, *a: f(x, *a), x, *args)
    fresh = [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a
             for a in (x, *args)]
    case(name + "_", lambda x, *a: g(x.clone(), *a), *fresh)


for d in (f32, f64, i64):
    both("Scatter", "scatter", T(3, 4, dtype=d), 0,
         torch.stack([unique_index(3, 2) for _ in range(4)], 1), T(2, 4, dtype=d))
    both("Scatter", "scatter", T(3, 4, dtype=d), 1,
         torch.stack([unique_index(4, 3) for _ in range(3)]), T(3, 3, dtype=d))
    both("ScatterScalar", "scatter", T(3, 4, dtype=d), 1, index(4, 3, 2), 7)
    both("ScatterAdd", "scatter_add", T(3, 4, dtype=d), 0, index(3, 5, 4), T(5, 4, dtype=d))
    both("IndexAdd", "index_add", T(3, 4, dtype=d), 0, I(2, 0, 2), T(3, 4, dtype=d))
    both("IndexCopy", "index_copy", T(3, 4, dtype=d), 1, I(2, 0), T(3, 2, dtype=d))
    both("IndexFill", "index_fill", T(3, 4, dtype=d), 1, I(2, 0), -1)
    both("MaskedScatter", "masked_scatter", T(3, 4, dtype=d), V([True, False, True, False], boolean), T(9, dtype=d))
    for accumulate in (False, True):
        both("Put", "put", T(3, 4, dtype=d), I(5, -1, 0), T(3, dtype=d), accumulate)


def reducing(name, method, x, *args):
    f = getattr(torch.Tensor, method)
    g = getattr(torch.Tensor, method + "_")
    case(name, lambda x, d, i, s, r, own: f(x, d, i, s, r, include_self=own), x, *args)
    fresh = [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a
             for a in (x, *args)]
    case(name + "_", lambda x, d, i, s, r, own: g(x.clone(), d, i, s, r, include_self=own), *fresh)


for own in (True, False):
    for how in ("sum", "prod", "mean", "amax", "amin"):
        reducing("ScatterReduce", "scatter_reduce", distinct(3, 4), 0, index(3, 5, 4), distinct(5, 4), how, own)
    for how in ("prod", "mean", "amax", "amin"):
        reducing("IndexReduce", "index_reduce", distinct(3, 4), 0, I(2, 0, 2), distinct(3, 4), how, own)

# Sorting and searching.
for s in [(6,), (3, 4), (2, 0), ()]:
    for d in (f32, i64):
        for dim in (-1, 0):
            for down in (False, True):
                case("Sort", lambda x, d, r: x.sort(d, r), distinct(*s, dtype=d), dim, down)
                case("SortStable", lambda x, d, r: x.sort(dim=d, descending=r, stable=True),
                     T(*s, dtype=d, low=0, high=1), dim, down)
                case("ArgSort", lambda x, d, r: x.argsort(d, r), distinct(*s, dtype=d), dim, down)
                case("ArgSortStable", lambda x, d, r: x.argsort(dim=d, descending=r, stable=True),
                     T(*s, dtype=d, low=0, high=1), dim, down)
case("Sort", lambda x, d, r: x.sort(d, r), V([1, float("nan"), -3]), 0, False)
case("Msort", lambda x: x.msort(), distinct(4, 2))
for big in (True, False):
    for k, dim in [(2, -1), (3, 0), (0, 1)]:
        case("TopK", lambda x, k, d, b: x.topk(k, d, b), distinct(3, 4), k, dim, big)
for right in (False, True):
    case("SearchSorted", lambda s, v, r: torch.searchsorted(s, v, right=r), V([1, 3, 3, 7]), V([[0, 3], [7, 9]]), right)
    case("SearchSorted", lambda s, v, r: torch.searchsorted(s, v, right=r), V([[1, 3], [2, 4]], i64),
         V([[3], [2]], i64), right)
    case("Bucketize", lambda v, b, r: torch.bucketize(v, b, right=r), V([0, 1, 2.5, 9]), V([1, 2.5, 4]), right)

# In place, on a clone.
for name, f, *args in [("Squeeze_", lambda x: x.squeeze_()), ("Unsqueeze_", lambda x, d: x.unsqueeze_(d), 1),
                       ("Transpose_", lambda x, a, b: x.transpose_(a, b), 0, 2), ("Tril_", lambda x, n: x.tril_(n), 1),
                       ("Triu_", lambda x, n: x.triu_(n), 0), ("CumSum_", lambda x, d: x.cumsum_(d), 1),
                       ("CumProd_", lambda x, d: x.cumprod_(d), 2)]:
    case(name, lambda x, *a, f=f: f(x.clone(), *a), T(2, 1, 3), *args)
case("T_", lambda x: x.clone().t_(), T(2, 3))
case("Resize_", lambda x, s: x.clone().resize_(s), T(2, 3, dtype=i64), [2, 2])

write("shape.json")
