"""Writes goldens of sparse tensors, signal transforms, and aliases of views,
joins and splits.

Run with PyTorch 2.11.0.
"""
import warnings

import torch
from op_golden import *

warnings.simplefilter("ignore")  # torch warns that CSR support is in beta

for s in [(6,), (4, 6)]:
    case("HSplit", lambda x, n: x.hsplit(n), T(*s), 3)
    case("HSplitAt", lambda x, at: x.hsplit(at), T(*s), [1, 4])
for s in [(4, 2), (2, 3, 2)]:
    case("VSplit", lambda x, n: x.vsplit(n), T(*s), 2)
    case("VSplitAt", lambda x, at: x.vsplit(at), T(*s), [1])
case("DSplit", lambda x, n: x.dsplit(n), T(2, 1, 4), 2)
case("DSplitAt", lambda x, at: x.dsplit(at), T(2, 1, 4), [0, 3])
case("Concat", lambda l, d: torch.concat(l, d), [T(2, 3), T(2, 1)], 1)
case("RowStack", lambda l: torch.row_stack(l), [T(3), T(2, 3)])
case("MoveAxis", lambda x, a, b: x.moveaxis(a, b), T(2, 3, 4), 0, -1)
case("MoveAxes", lambda x, a, b: x.moveaxis(a, b), T(2, 3, 4), [0, 1], [2, 0])
case("NDim", lambda x: torch.tensor(x.ndim), T(2, 3, 1))
case("Clip", lambda x, a, b: x.clip(a, b), T(2, 5), -1, 2.5)
case("Clip", lambda x, a, b: x.clip(a, b), T(2, 5), None, 1)
case("Clip_", lambda x, a, b: x.clone().clip_(a, b), T(2, 5), -1, None)
case("Data", lambda x: x.data, T(2, 3))
for shape in ([3, 4], [2, 3, 2], [12]):
    case("UnravelIndex", lambda i, s: torch.unravel_index(i, s), index(12, 2, 3), shape)
case("UnravelIndex", lambda i, s: torch.unravel_index(i, s), index(12, 3).to(i32), [4, 3])



def sparse():
    return V([[0, 1.5, 0], [0, 0, 0], [2, 0, -3]], grad=True)


case("ToSparse", lambda x: x.to_sparse().to_dense(), sparse())
case("ToSparseCSR", lambda x: x.detach().to_sparse(layout=torch.sparse_csr).to_dense(), sparse())
case("ToDense", lambda x: x.to_dense(), sparse())
case("Coalesce", lambda x: (x.detach().to_sparse().coalesce().indices(), x.detach().to_sparse().coalesce().values()),
     sparse())

window = torch.hann_window(8)
for s, n, hop, win, w, center, mode, norm, one in [
    ((32,), 8, None, None, None, True, "reflect", False, None),
    ((2, 20), 8, 4, None, window, True, "constant", False, True),
    ((2, 20), 8, 3, 6, None, False, "reflect", True, None),
    ((20,), 8, 2, 8, window, True, "replicate", True, False),
    ((20,), 8, 2, None, window, True, "circular", False, None),
]:
    case("STFT", lambda x, n, hop, win, w, center, mode, norm, one: torch.view_as_real(torch.stft(
        x, n, hop, win, w, center, mode, norm, one, True)), T(*s), n, hop, win, w, center, mode, norm, one)
for hop, win, w, center, norm, one, length in [
    (None, None, None, True, False, None, None), (4, 8, window, True, True, True, 30),
    (3, 6, None, True, False, False, 12),
]:
    x = torch.stft(T(2, 32, grad=False), 8, hop, win, w, center, "reflect", norm, one, True)
    case("ISTFT", lambda x, n, hop, win, w, center, norm, one, length: torch.istft(
        x, n, hop, win, w, center, norm, one, length), x.detach(), 8, hop, win, w, center, norm, one, length)

for name in ("Hann", "Hamming", "Blackman", "Bartlett"):
    f = getattr(torch, name.lower() + "_window")
    for periodic in (True, False):
        case(name + "Window", lambda n, p: f(n, periodic=p), 7, periodic)
        case(name + "Window", lambda n, p: f(n, periodic=p), 1, periodic)

case("SparseCOOTensor", lambda i, v, s: torch.sparse_coo_tensor(i, v, s).to_dense(), index(2, 2, 3), T(3), [2, 4])
case("SparseCOOTensor", lambda i, v, s: torch.sparse_coo_tensor(i, v).to_dense(),
     V([[0, 2], [1, 1]], i64), T(2, 2), None)

write("added.json")
