"""Writes matrix_options.json: cases of the options of linear algebra, distances,
diagonals and writes by index, with Python's keywords."""
import itertools
import warnings

import torch
import torch.linalg as L

from op_golden import I, T, V, distinct, f32, f64, i64, case, index, write

warnings.simplefilter("ignore")  # index_reduce and meshgrid warn that they may change


def positive(*shape):
    x = T(*shape, dtype=f64, grad=False)
    return (x @ x.mH + 3 * torch.eye(shape[-1], dtype=f64)).requires_grad_()


def square(n):
    return (T(n, n, dtype=f64, grad=False) + 9 * torch.eye(n, dtype=f64)).requires_grad_()


# Decompositions. Factors that are not unique are multiplied.
case("Cholesky", lambda x: L.cholesky(x), positive(3, 3))
case("Cholesky.Upper", lambda x: L.cholesky(x, upper=True), positive(2, 3, 3))
low = L.cholesky(positive(3, 3).detach())
for up in (False, True):
    f = low.mH.contiguous() if up else low
    case("CholeskyInverse.Upper", lambda x, u: torch.cholesky_inverse(x, upper=u), f.clone().requires_grad_(), up)
    case("CholeskySolve.Upper", lambda x, f, u: torch.cholesky_solve(x, f, upper=u),
         T(3, 2, dtype=f64), f.clone().requires_grad_(), up)
case("CholeskyInverse", torch.cholesky_inverse, low.clone().requires_grad_())
case("CholeskySolve", torch.cholesky_solve, T(3, 2, dtype=f64), low.clone().requires_grad_())
case("QR", lambda x: (lambda q, r: (q @ r, q.mH @ q))(*L.qr(x)), distinct(4, 2, dtype=f64))
case("QR.ModeR", lambda x: (lambda q, r: (q, r.abs()))(*L.qr(x, mode="r")), distinct(4, 2, dtype=f64, grad=False))
case("SVD", lambda x: (lambda u, s, v: (s, u.mH @ u, v.mH @ v))(*L.svd(x)), distinct(3, 2, dtype=f64, grad=False))
for x in (T(3, 3, dtype=f64, grad=False), T(2, 3, 3, dtype=f64, grad=False)):
    for uplo in ("L", "U"):
        case("Eigvalsh.UPLO", lambda x, t: L.eigvalsh(x, UPLO=t), x.clone().requires_grad_(), uplo)
        case("Eigh.UPLO", lambda x, t: (lambda w, v: (w, v @ torch.diag_embed(w) @ v.mH))(*L.eigh(x, UPLO=t)), x, uplo)
case("LU", lambda x: L.lu(x, pivot=True), distinct(3, 3, dtype=f64))
case("LUFactor", lambda x: L.lu_factor(x, pivot=True), square(3))

# Systems of equations.
case("Solve.Left", lambda a, b: L.solve(a, b, left=False), square(3), T(2, 3, dtype=f64))
for up, left, unit in itertools.product((False, True), repeat=3):
    case("SolveTriangular", lambda a, b, u, l, n: L.solve_triangular(a, b, upper=u, left=l, unitriangular=n),
         square(3), T(3, 3, dtype=f64), up, left, unit)
case("SolveTriangular.default", lambda a, b: L.solve_triangular(a, b, upper=True), square(3), T(3, 2, dtype=f64))
lu, piv = L.lu_factor(square(3).detach())
for left, adjoint in itertools.product((False, True), repeat=2):
    case("LUSolve", lambda lu, p, b, l, a: L.lu_solve(lu, p, b, left=l, adjoint=a),
         lu.clone().requires_grad_(), piv, T(3, 3, dtype=f64), left, adjoint)
case("LstSq", lambda a, b: L.lstsq(a, b), distinct(5, 2, dtype=f64, grad=False), T(5, 1, dtype=f64, grad=False))
near = torch.diag(torch.tensor([4, 1, 1e-3], dtype=f64))
case("LstSq.RCond", lambda a, b, r: L.lstsq(a, b, rcond=r, driver="gelsd"), near, T(3, 2, dtype=f64, grad=False), 0.01)
case("LstSq.RCond", lambda a, b, r: L.lstsq(a, b, rcond=r, driver="gelsd"), near, T(3, 2, dtype=f64, grad=False), 0.0)
inv = T(6, 6, dtype=f64, grad=False, low=-1, high=1) + 4 * torch.eye(6, dtype=f64)
case("TensorSolve.Dims", lambda a, b: L.tensorsolve(a, b, dims=(0,)), inv.reshape(6, 3, 2).clone().requires_grad_(),
     T(3, 2, dtype=f64))

# Ranks and norms.
for name, op in (("Pinverse", L.pinv), ("MatrixRank", L.matrix_rank)):
    x = near.clone().requires_grad_(name == "Pinverse")
    case(name, lambda x: op(x), x)
    case(name + ".ATol", lambda x, a: op(x, atol=a), x.detach(), 0.01)
    case(name + ".ATol", lambda x, a: op(x, atol=a), x.detach(), 2.0)
    case(name + ".ATol", lambda x, a: op(x, atol=a), x.detach(), 0.0)
    case(name + ".RTol", lambda x, r: op(x, rtol=r), x.detach(), 0.5)
    case(name + ".RTol", lambda x, r: op(x, rtol=r), x.detach(), 0.0)
    case(name + ".ATol.RTol", lambda x, a, r: op(x, atol=a, rtol=r), x.detach(), 0.01, 0.5)
    case(name + ".Hermitian", lambda x, h: op(x, hermitian=h), V([[2, 9, 0], [1, 2, 0], [0, 0, 1]], f64), True)
    case(name + ".Hermitian", lambda x, h: op(x, hermitian=h), V([[2, 9, 0], [1, 2, 0], [0, 0, 1]], f64), False)
case("MatrixNorm", lambda x, o: L.matrix_norm(x, o), distinct(2, 3, 4, dtype=f64), "fro")
case("MatrixNorm", lambda x, o: L.matrix_norm(x, o), distinct(2, 3, 4, dtype=f64), 1.0)
for o in ("fro", "nuc", 1.0, 2.0):
    case("MatrixNorm.Dims", lambda x, o: L.matrix_norm(x, o, dim=(0, -1), keepdim=True),
         distinct(2, 3, 4, dtype=f64), o)
    case("MatrixNorm.DType", lambda x, o: L.matrix_norm(x, o, dtype=f64), distinct(3, 4, dtype=f32), o)

# Vectors.
case("Vander", lambda x: L.vander(x), T(2, 3))
case("Vander.N", lambda x: L.vander(x, N=2), T(3))
case("Vecdot", lambda x, y: L.vecdot(x, y), T(2, 3), T(3))
case("Vecdot.Dim", lambda x, y: L.vecdot(x, y, dim=0), T(2, 3), T(2, 3))
case("Cross", lambda x, y: L.cross(x, y), T(2, 3), T(2, 3))
case("Cross.Dim", lambda x, y: L.cross(x, y, dim=0), T(3, 2), T(3, 2))

# Distances.
case("Cdist", lambda x, y: torch.cdist(x, y), distinct(3, 2, dtype=f64), T(2, 2, dtype=f64, low=5, high=9))
for mode in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
    case("Cdist.ComputeMode", lambda x, y, m: torch.cdist(x, y, compute_mode=m),
         distinct(3, 2, dtype=f64), T(2, 2, dtype=f64, low=5, high=9), mode)
case("Cdist.P.zero", lambda x, y: torch.cdist(x, y, p=0), T(3, 2, grad=False), T(2, 2, grad=False))
case("Pdist", lambda x: torch.pdist(x), distinct(4, 3, dtype=f64))
case("Pdist.P.zero", lambda x: torch.pdist(x, p=0), T(4, 3, grad=False))
case("Dist", lambda x, y: torch.dist(x, y), distinct(3, 2), T(2))
case("Dist.P.zero", lambda x, y: torch.dist(x, y, p=0), T(3, 2, grad=False), T(2, grad=False))

# Diagonals.
for name, op, shape in (("Diagonal", torch.diagonal, (3, 4)), ("DiagEmbed", torch.diag_embed, (2, 3))):
    case(name, lambda x: op(x), T(*shape))
    case(name + ".Offset", lambda x: op(x, offset=-1), T(*shape))
    case(name + ".Dim1", lambda x: op(x, dim1=-2), T(*shape))
    case(name + ".Dim2", lambda x: op(x, dim1=1, dim2=0), T(*shape))
case("DiagonalScatter", lambda x, s: torch.diagonal_scatter(x, s), T(3, 4), T(3))
case("DiagonalScatter.Offset", lambda x, s: torch.diagonal_scatter(x, s, offset=-1), T(3, 4), T(2))
case("DiagonalScatter.Dim1", lambda x, s: torch.diagonal_scatter(x, s, dim1=1, dim2=2), T(2, 3, 3), T(2, 3))
case("FillDiagonal_", lambda x: x.clone().fill_diagonal_(7), T(7, 3, grad=False))
case("FillDiagonal_.Wrap", lambda x: x.clone().fill_diagonal_(7, wrap=True), T(7, 3, grad=False))

# Arrangements.
case("RepeatInterleave", lambda x, n: x.repeat_interleave(n), T(2, 3), 2)
case("RepeatInterleave.OutputSize", lambda x, n: x.repeat_interleave(n, dim=1, output_size=6), T(2, 3), 2)
case("RepeatInterleaveEach", lambda x, n: x.repeat_interleave(n), T(3), I(2, 0, 1))
case("RepeatInterleaveEach.OutputSize", lambda x, n: x.repeat_interleave(n, dim=0, output_size=3), T(3, 2), I(2, 0, 1))
case("TakeAlongDim", lambda x, i: x.take_along_dim(i), T(3, 4), index(12, 5))
case("TakeAlongDim.Dim", lambda x, i: x.take_along_dim(i, dim=-1), T(3, 4), index(4, 3, 2))
case("Meshgrid", lambda l: torch.meshgrid(*l), [T(2), T(3)])
case("Meshgrid.Indexing", lambda l: torch.meshgrid(*l, indexing="xy"), [T(2), T(3)])
case("Combinations", lambda x: torch.combinations(x, 2), T(4))
case("Combinations.WithReplacement", lambda x: torch.combinations(x, 2, with_replacement=True), T(3))

# Writing by index.
i = index(3, 5, 4)
for how in ("sum", "prod", "mean", "amax", "amin"):
    case("ScatterReduce", lambda x, i, s, h: x.scatter_reduce(0, i, s, h), distinct(3, 4), i, distinct(5, 4), how)
    case("ScatterReduce.IncludeSelf", lambda x, i, s, h: x.scatter_reduce(0, i, s, h, include_self=False),
         distinct(3, 4), i, distinct(5, 4), how)
    if how != "sum":
        case("IndexReduce", lambda x, i, s, h: x.index_reduce(0, i, s, h), distinct(3, 4), I(2, 0, 2),
             distinct(3, 4), how)
        case("IndexReduce.IncludeSelf", lambda x, i, s, h: x.index_reduce(0, i, s, h, include_self=False),
             distinct(3, 4), I(2, 0, 2), distinct(3, 4), how)
case("Put", lambda x, i, s: x.put(i, s), T(3, 4), I(5, -1, 0), T(3))
case("Put.Accumulate", lambda x, i, s: x.put(i, s, accumulate=True), T(3, 4), I(5, -1, 5), T(3))

write("matrix_options.json")
