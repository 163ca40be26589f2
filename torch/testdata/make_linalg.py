"""Writes goldens of products, distances and linear algebra. Run with PyTorch 2.11.0.

If the factors of a decomposition are not unique (such as the signs of singular
vectors), a case has the values and the product of the factors. The Go test
computes the same product.
"""
import math

import torch
from op_golden import *

L = torch.linalg


def square(*shape, dtype=f64):
    """Returns well-conditioned matrices, in which the identity dominates."""
    x = T(*shape, dtype=dtype, grad=False, low=-1, high=1)
    return (x + 3 * torch.eye(shape[-1], dtype=dtype)).requires_grad_()


def positive(*shape, dtype=f64):
    x = T(*shape, dtype=dtype, grad=False, low=-1, high=1)
    return (x @ x.mH + 2 * torch.eye(shape[-1], dtype=dtype)).requires_grad_()


# Products.
for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
             ((5, 2, 3), (5, 3, 4)),
             ((5, 1, 2, 3), (4, 3, 2)), ((2, 0), (0, 3)), ((0, 2), (2, 3))]:
    for d in (f32, f64):
        case("MatMul", torch.matmul, T(*a, dtype=d), T(*b, dtype=d))
for d in (i64, c64, f16, bf16):
    case("MatMul", torch.matmul, T(2, 3, dtype=d), T(3, 2, dtype=d))
for d in (f32, f64, c64):
    g = {"dtype": d, "grad": True}
    case("Mm", torch.mm, T(2, 3, **g), T(3, 4, **g))
    case("Bmm", torch.bmm, T(2, 2, 3, **g), T(2, 3, 1, **g))
    case("Mv", torch.mv, T(2, 3, **g), T(3, **g))
    case("Dot", torch.dot, T(4, **g), T(4, **g))
    case("Vdot", torch.vdot, T(4, **g), T(4, **g))
    case("Vecdot", lambda x, y, d: L.vecdot(x, y, dim=d), T(3, 4, **g), T(4, **g), -1)
    case("Inner", torch.inner, T(2, 3, **g), T(4, 3, **g))
    case("Outer", torch.outer, T(2, **g), T(3, **g))
    case("Kron", torch.kron, T(2, 2, **g), T(3, 1, **g))
    case("Cross", lambda x, y, d: L.cross(x, y, dim=d), T(2, 3, **g), T(1, 3, **g), -1)
    case("Cross", lambda x, y, d: L.cross(x, y, dim=d), T(3, 2, **g), T(3, 2, **g), 0)
for n in (0, 1, 2):
    case("TensorDot", lambda x, y, n: torch.tensordot(x, y, n), T(2, 3, 2), T(*(3, 2)[2 - n:], 4), n)
case("TensorDotDims", lambda x, y, a, b: torch.tensordot(x, y, (a, b)), T(2, 3, 4), T(4, 5, 2), [0, 2], [2, 0])
for eq, shapes in [("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 3, 2), (2, 2, 4)]), ("ii->i", [(3, 3)]),
                   ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("i,j,k->ijk", [(2,), (3,), (2,)]),
                   ("...ij,...jk->...ik", [(2, 1, 2, 3), (4, 3, 2)]), ("i,i", [(4,), (4,)]),
                   ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 3, 4)])]:
    case("Einsum", lambda e, l: torch.einsum(e, *l), eq, [T(*s) for s in shapes])
case("MultiDot", L.multi_dot, [T(2, 5), T(5, 3), T(3, 4)])
case("MultiDot", L.multi_dot, [T(5), T(5, 3), T(3)])
for name, f, shapes in [("Addmm", "addmm", [(2, 4), (2, 3), (3, 4)]), ("Addmm", "addmm", [(4,), (2, 3), (3, 4)]),
                        ("Addmv", "addmv", [(2,), (2, 3), (3,)]), ("Addr", "addr", [(2, 3), (2,), (3,)]),
                        ("Baddbmm", "baddbmm", [(5, 2, 4), (5, 2, 3), (5, 3, 4)]),
                        ("Addbmm", "addbmm", [(2, 4), (5, 2, 3), (5, 3, 4)])]:
    for d in (f32, f64):
        ts = lambda: [T(*s, dtype=d) for s in shapes]
        case(name, getattr(torch, f), *ts())
        if name in ("Addmm", "Addmv", "Baddbmm"):
            case(name + "Scaled", lambda x, a, b, s, t, f=f: getattr(torch, f)(x, a, b, beta=s, alpha=t), *ts(), 0.5, 2)
            if len(shapes[0]) == len(shapes[-1]) or name == "Addmv":
                case(name + "_", lambda x, a, b, f=f: getattr(x.clone(), f + "_")(a, b), *ts())
case("AddmmScaled", lambda x, a, b, s, t: torch.addmm(x, a, b, beta=s, alpha=t),
     V([[math.nan]]), V([[2]]), V([[3]]), 0, 1)

# Distances.
for p in (0.0, 1.0, 2.0, 3.5, math.inf):
    case("Cdist", lambda x, y, p: torch.cdist(x, y, p), distinct(3, 2, dtype=f64), T(2, 2, dtype=f64, low=5, high=9), p)
    case("Pdist", torch.pdist, distinct(4, 3, dtype=f64), p)
case("Cdist", lambda x, y, p: torch.cdist(x, y, p), distinct(2, 3, 2), T(2, 4, 2, low=7, high=9), 2.0)
for p in (1, 2, math.inf):
    case("Dist", torch.dist, distinct(3, 2), T(2), p)

# Linear algebra.
for s in [(3, 3), (2, 3, 3), (1, 1)]:
    for d in (f32, f64):
        case("Det", L.det, square(*s, dtype=d))
        case("Slogdet", L.slogdet, square(*s, dtype=d))
        case("Logdet", torch.logdet, positive(*s, dtype=d))
        case("Inverse", L.inv, square(*s, dtype=d))
        case("MatrixExp", L.matrix_exp, T(*s, dtype=d, low=-1, high=1))
        case("Cholesky", lambda x, u: L.cholesky(x, upper=u), positive(*s, dtype=d), False)
        case("Solve", L.solve, square(*s, dtype=d), T(*s[:-1], 2, dtype=d))
for n in (-2, 0, 1, 3):
    case("MatrixPower", L.matrix_power, square(3, 3), n)
case("Inverse", L.inv, square(2, 2, dtype=torch.complex128).detach())
case("Trace", torch.trace, T(3, 4))
case("Trace", torch.trace, T(3, 3, dtype=i64))
case("Pinverse", L.pinv, T(2, 4, dtype=f64))
case("MatrixRank", L.matrix_rank, V([[1, 2], [2, 4], [0, 0]], f64))
case("MatrixRank", L.matrix_rank, square(2, 3, 3).detach())
for o in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
    for k in (False, True):
        case("MatrixNorm", lambda x, o, k: L.matrix_norm(x, o, keepdim=k), distinct(2, 3, 4, dtype=f64), o, k)
for p in (None, 1, 2, math.inf):
    case("Cond", L.cond, square(3, 3).detach() if p in (1, math.inf) else square(3, 3), p)
case("Vander", lambda x, n: L.vander(x, N=n), T(3), 4)
case("Cholesky", lambda x, u: L.cholesky(x, upper=u), positive(3, 3), True)
low = L.cholesky(positive(3, 3).detach())
case("CholeskyInverse", lambda x, u: torch.cholesky_inverse(x, u), low.clone().requires_grad_(), False)
case("CholeskySolve", lambda x, f, u: torch.cholesky_solve(x, f, u), T(3, 2, dtype=f64),
     low.clone().requires_grad_(), False)
for s in [(4, 3), (3, 3), (2, 3, 2)]:
    case("QR", lambda x, m: (lambda q, r: (q @ r, q.mH @ q))(*L.qr(x, m)), distinct(*s, dtype=f64), "reduced")
    case("SVDVals", L.svdvals, distinct(*s, dtype=f64))
case("QR", lambda x, m: (lambda q, r: (q @ r, q.mH @ q))(*L.qr(x, m)),
     distinct(4, 2, dtype=f64, grad=False), "complete")
for full in (False, True):
    case("SVD", lambda x, f: (lambda u, s, v: (s, u[..., :2] @ torch.diag_embed(s) @ v[..., :2, :]))(*L.svd(x, f)),
         distinct(3, 2, dtype=f64, grad=not full), full)
for s in [(3, 3), (2, 3, 3)]:
    case("Eigh", lambda x: (lambda w, v: (w, v @ torch.diag_embed(w) @ v.mH))(*L.eigh(x)), positive(*s))
    case("Eigvalsh", L.eigvalsh, positive(*s))
case("Eig", lambda x: (lambda w, v: v @ torch.diag_embed(w) @ L.inv(v))(*L.eig(x)), V([[2, 1], [0, 3]], f64))
case("Eigvals", lambda x: L.eigvals(x).real.sort()[0], V([[2, 1, 5], [0, 3, 1], [0, 0, -1]], f64))
for s in [(3, 3), (2, 4, 3)]:
    case("LU", L.lu, distinct(*s, dtype=f64))
case("LUFactor", L.lu_factor, square(3, 3))
lu, piv = L.lu_factor(square(3, 3).detach())
case("LUSolve", lambda lu, p, b: L.lu_solve(lu, p, b), lu.clone().requires_grad_(), piv, T(3, 2, dtype=f64))
case("Solve", L.solve, square(3, 3), T(3, dtype=f64))
for up, unit in [(True, False), (False, False), (False, True)]:
    case("SolveTriangular", lambda a, b, up, unit: L.solve_triangular(a, b, upper=up, unitriangular=unit),
         square(3, 3), T(3, 2, dtype=f64), up, unit)
for driver in ("gelsy", "gelsd", "gels"):
    case("LstSq", lambda a, b, d: L.lstsq(a, b, driver=d), distinct(5, 2, dtype=f64, grad=driver != "gelsy"),
         T(5, 1, dtype=f64), driver)
inv = T(6, 6, dtype=f64, grad=False, low=-1, high=1) + 4 * torch.eye(6, dtype=f64)
case("TensorInv", lambda x, n: L.tensorinv(x, n), inv.reshape(2, 3, 6).clone().requires_grad_(), 2)
case("TensorSolve", L.tensorsolve, inv.reshape(2, 3, 6).clone().requires_grad_(), T(2, 3, dtype=f64))
for up, tr, unit in [(True, False, False), (False, True, False), (False, False, True)]:
    case("TriangularSolve", lambda b, a, up, tr, unit: torch.triangular_solve(b, a, up, tr, unit),
         T(3, 2, dtype=f64), square(3, 3), up, tr, unit)

write("linalg.json")
