"""Records which dtypes operators return under autocast, for autocast_cpu.json and
autocast_cuda.json.

The dispatcher lists the operators of ATen that have their own kernel for autocast. The
script calls each with inputs in float32, in autocast's dtype, in a mix of both and in
float64. It records the dtypes of the results, or that the call fails.

    python torch/amp/testdata/make_autocast.py            # autocast_cpu.json
    python torch/amp/testdata/make_autocast.py cuda       # autocast_cuda.json, see below

For CUDA use the simulated driver, which docs/cuda.md describes.
"""
import json
import os
import sys
import warnings

import torch

warnings.simplefilter("ignore")
device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
key = {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}[device]
torch.backends.cudnn.enabled = False  # the simulated driver has no cuDNN


def F(*shape):
    return {"f": list(shape)}  # every element is 0.5


def EYE(*shape):
    return {"eye": list(shape)}  # a unit matrix


def I(*shape, v=0, dtype="int64"):
    return {"i": list(shape), "v": v, "dtype": dtype}  # every element is the integer v


def L(*ts):
    return {"list": list(ts)}


N = None
conv = [[1], [0], [1], 1]
conv2, conv3 = [[1, 1], [0, 0], [1, 1], 1], [[1] * 3, [0] * 3, [1] * 3, 1]
tconv = [[1], [0], [0], 1, [1]]
tconv2, tconv3 = [[1, 1], [0, 0], [0, 0], 1, [1, 1]], [[1] * 3, [0] * 3, [0] * 3, 1, [1] * 3]
fft1, fft2, fftn = [N, -1, N], [N, [-2, -1], N], [N, N, N]
same = [F(2, 3), F(2, 3)]
mean, plain = [1], [1]
B2 = F(2, 3, 5, 5)
B3 = F(2, 3, 5, 5, 5)
lstm = [F(2, 3), L(F(2, 4), F(2, 4)), F(16, 3), F(16, 4), F(16), F(16)]
cell = lambda n: [F(2, 3), F(2, 4), F(4 * n, 3), F(4 * n, 4), F(4 * n), F(4 * n)]
SPECS = {
    "_addmm_activation": [F(3), F(2, 3), F(3, 3), 1, 1, False],
    "_native_multi_head_attention": [F(2, 3, 4), F(2, 3, 4), F(2, 3, 4), 4, 2, F(12, 4), F(12), F(4, 4), F(4),
                                     N, True, True, N],
    "adaptive_avg_pool3d": [B3, [2, 2, 2]],
    "adaptive_max_pool3d": [B3, [2, 2, 2]],
    "addbmm": [F(2, 2), F(3, 2, 4), F(3, 4, 2), 1, 1],
    "addmm": [F(2, 2), F(2, 4), F(4, 2), 1, 1],
    "addmv": [F(2), F(2, 4), F(4), 1, 1],
    "addr": [F(2, 3), F(2), F(3), 1, 1],
    "avg_pool3d": [B3, [2, 2, 2], [], [0, 0, 0], False, True, N],
    "baddbmm": [F(3, 2, 2), F(3, 2, 4), F(3, 4, 2), 1, 1],
    "bilinear": [F(2, 3), F(2, 4), F(5, 3, 4), F(5)],
    "binary_cross_entropy": same + [N, 1],
    "binary_cross_entropy_with_logits": same + [N, N, 1],
    "bmm": [F(3, 2, 4), F(3, 4, 2)],
    "cat": [L(F(2, 3), F(2, 3)), 0],
    "cdist": [F(2, 3), F(4, 3), 2.0, N],
    "chain_matmul": [L(F(2, 3), F(3, 4), F(4, 2))],
    "cholesky": [EYE(3, 3), False],
    "cholesky_inverse": [EYE(3, 3), False],
    "cholesky_solve": [F(3, 2), EYE(3, 3), False],
    "conv1d": [F(2, 3, 5), F(4, 3, 2), F(4)] + conv,
    "conv1d.padding": [F(2, 3, 5), F(4, 3, 2), F(4), [1], "same", [1], 1],
    "conv2d": [B2, F(4, 3, 2, 2), F(4)] + conv2,
    "conv2d.padding": [B2, F(4, 3, 2, 2), F(4), [1, 1], "same", [1, 1], 1],
    "conv3d": [B3, F(4, 3, 2, 2, 2), F(4)] + conv3,
    "conv3d.padding": [B3, F(4, 3, 2, 2, 2), F(4), [1] * 3, "same", [1] * 3, 1],
    "conv_tbc": [F(5, 2, 3), F(2, 3, 4), F(4), 0],
    "conv_transpose1d": [F(2, 3, 5), F(3, 4, 2), F(4)] + tconv,
    "conv_transpose2d.input": [B2, F(3, 4, 2, 2), F(4)] + tconv2,
    "conv_transpose3d.input": [B3, F(3, 4, 2, 2, 2), F(4)] + tconv3,
    "convolution": [B2, F(4, 3, 2, 2), F(4), [1, 1], [0, 0], [1, 1], False, [0, 0], 1],
    "_convolution": [B2, F(4, 3, 2, 2), F(4), [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, False, False],
    "_convolution.deprecated": [B2, F(4, 3, 2, 2), F(4), [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, False],
    "cosine_embedding_loss": same + [I(2, v=1), 0.0, 1],
    "cosine_similarity": same + [1, 1e-8],
    "cross": same + [1],
    "cross_entropy_loss": [F(2, 3), I(2), N, 1, -100, 0.0],
    "ctc_loss.IntList": [F(5, 2, 3), I(2, 2, v=1), [5, 5], [2, 2], 0, 1, False],
    "ctc_loss.Tensor": [F(5, 2, 3), I(2, 2, v=1), I(2, v=5), I(2, v=2), 0, 1, False],
    "cumprod": [F(2, 3), 1, N],
    "cumsum": [F(2, 3), 1, N],
    "dist": same + [2],
    "dot": [F(3), F(3)],
    "vdot": [F(3), F(3)],
    "einsum": ["ij,jk->ik", L(F(2, 3), F(3, 2)), N],
    "fractional_max_pool2d": [B2, [2, 2], [2, 2], F(2, 3, 2)],
    "fractional_max_pool3d": [B3, [2, 2, 2], [2, 2, 2], F(2, 3, 3)],
    "frobenius_norm.dim": [F(2, 3), [1], False],
    "geqrf": [F(3, 3)],
    "grid_sampler": [B2, F(2, 4, 4, 2), 0, 0, False],
    "grid_sampler_2d": [B2, F(2, 4, 4, 2), 0, 0, False],
    "_grid_sampler_2d_cpu_fallback": [B2, F(2, 4, 4, 2), 0, 0, False],
    "grid_sampler_3d": [B3, F(2, 4, 4, 4, 3), 0, 0, False],
    "group_norm": [F(2, 4, 3), 2, F(4), F(4), 1e-5, False],
    "gru_cell": cell(3),
    "rnn_relu_cell": cell(1),
    "rnn_tanh_cell": cell(1),
    "lstm_cell": lstm,
    "hinge_embedding_loss": [F(2, 3), I(2, 3, v=1), 1.0, 1],
    "huber_loss": same + [1, 1.0],
    "index_copy": [F(3, 2), 0, I(1), F(1, 2)],
    "index_put": [F(3, 2), L(I(1)), F(1, 2), False],
    "inverse": [EYE(3, 3)],
    "kl_div": same + [1, False],
    "l1_loss": same + [1],
    "layer_norm": [F(2, 3), [3], F(3), F(3), 1e-5, False],
    "native_layer_norm": [F(2, 3), [3], F(3), F(3), 1e-5],
    "linalg_cholesky": [EYE(3, 3)],
    "linalg_cholesky_ex": [EYE(3, 3)],
    "linalg_cond": [EYE(3, 3), N],
    "linalg_cond.p_str": [EYE(3, 3), "fro"],
    "linalg_eig": [EYE(3, 3)],
    "linalg_eigh": [EYE(3, 3), "L"],
    "linalg_eigvals": [EYE(3, 3)],
    "linalg_eigvalsh": [EYE(3, 3), "L"],
    "linalg_householder_product": [F(3, 3), F(3)],
    "linalg_inv": [EYE(3, 3)],
    "linalg_inv_ex": [EYE(3, 3), False],
    "linalg_lstsq": [EYE(3, 3), F(3, 2), N],
    "linalg_matrix_norm": [F(2, 3), 1, [-2, -1], False, N],
    "linalg_matrix_norm.str_ord": [F(2, 3), "fro", [-2, -1], False, N],
    "linalg_matrix_rank": [EYE(3, 3), 0.1, False],
    "linalg_matrix_rank.atol_rtol_float": [EYE(3, 3), N, N, False],
    "linalg_matrix_rank.atol_rtol_tensor": [EYE(3, 3), F(1), F(1), False],
    "linalg_matrix_rank.tol_tensor": [EYE(3, 3), F(1), False],
    "linalg_multi_dot": [L(F(2, 3), F(3, 4), F(4, 2))],
    "linalg_qr": [EYE(3, 3), "reduced"],
    "linalg_solve": [EYE(3, 3), F(3, 2)],
    "linalg_svd": [EYE(3, 3), True],
    "linalg_svdvals": [EYE(3, 3)],
    "linalg_tensorinv": [EYE(4, 4), 1],
    "linalg_tensorsolve": [EYE(3, 3), F(3), N],
    "linalg_vecdot": same + [-1],
    "linalg_vector_norm": [F(2, 3), 2, N, False, N],
    "linear": [F(2, 3), F(4, 3), F(4)],
    "_lu_with_info": [EYE(3, 3), True, True],
    "lu_solve": [F(3, 2), EYE(3, 3), I(3, v=1, dtype="int32")],
    "log_softmax.int": [F(2, 3), 1, N],
    "softmax.int": [F(2, 3), 1, N],
    "logsumexp": [F(2, 3), [1], False],
    "margin_ranking_loss": [F(3), F(3), I(3, v=1), 0.0, 1],
    "matmul": [F(2, 3), F(3, 2)],
    "max_pool3d": [B3, [2, 2, 2], [], [0, 0, 0], [1, 1, 1], False],
    "max_unpool2d": [F(2, 3, 2, 2), I(2, 3, 2, 2), [4, 4]],
    "max_unpool3d": [F(2, 3, 2, 2, 2), I(2, 3, 2, 2, 2), [4, 4, 4], [2, 2, 2], [0, 0, 0]],
    "mm": [F(2, 3), F(3, 2)],
    "mse_loss": same + [1],
    "multi_margin_loss": [F(2, 3), I(2), 1, 1, N, 1],
    "multilabel_margin_loss": [F(2, 3), I(2, 3), 1],
    "multilabel_margin_loss_forward": [F(2, 3), I(2, 3), 1],
    "mv": [F(2, 3), F(3)],
    "nanquantile": [F(5), F(2), N, False],
    "nanquantile.scalar": [F(5), 0.5, N, False],
    "quantile": [F(5), F(2), N, False],
    "quantile.scalar": [F(5), 0.5, N, False],
    "nll_loss": [F(2, 3), I(2), N, 1, -100],
    "nll_loss2d": [F(2, 3, 2, 2), I(2, 2, 2), N, 1, -100],
    "norm.Scalar": [F(2, 3), 2],
    "norm.ScalarOpt_dim": [F(2, 3), 2, [1], False],
    "nuclear_norm": [F(3, 3), False],
    "nuclear_norm.dim": [F(3, 3), [0, 1], False],
    "orgqr": [F(3, 3), F(3)],
    "ormqr": [F(3, 3), F(3), F(3, 2), True, False],
    "pdist": [F(3, 2), 2.0],
    "pinverse": [EYE(3, 3), 1e-15],
    "poisson_nll_loss": same + [True, False, 1e-8, 1],
    "polar": same,
    "pow.Scalar": [2, F(2, 3)],
    "pow.Tensor_Scalar": [F(2, 3), 2],
    "pow.Tensor_Tensor": same,
    "prelu": [F(2, 3), F(3)],
    "prod": [F(2, 3), N],
    "prod.dim_int": [F(2, 3), 1, False, N],
    "qr": [EYE(3, 3), True],
    "reflection_pad1d": [F(2, 3, 4), [1, 1]],
    "reflection_pad2d": [B2, [1, 1, 1, 1]],
    "replication_pad1d": [F(2, 3, 4), [1, 1]],
    "replication_pad2d": [B2, [1, 1, 1, 1]],
    "replication_pad3d": [B3, [1] * 6],
    "renorm": [F(2, 3), 2, 0, 1.0],
    "scaled_dot_product_attention": [F(2, 2, 3, 4), F(2, 2, 3, 4), F(2, 2, 3, 4), N, 0.0, False, N, False],
    "scatter_add": [F(3), 0, I(3), F(3)],
    "smooth_l1_loss": same + [1, 1.0],
    "soft_margin_loss": same + [1],
    "softplus": [F(2, 3), 1, 20],
    "stack": [L(F(2, 3), F(2, 3)), 0],
    "sum": [F(2, 3), N],
    "sum.dim_IntList": [F(2, 3), [1], False, N],
    "svd": [EYE(3, 3), True, True],
    "tensordot": [F(2, 3), F(3, 2), [1], [0]],
    "trace": [F(3, 3)],
    "triangular_solve": [F(3, 2), EYE(3, 3), True, False, False],
    "triplet_margin_loss": [F(2, 3), F(2, 3), F(2, 3), 1.0, 2.0, 1e-6, False, 1],
    "view_as_complex": [F(3, 2)],
    "addcdiv": [F(3), F(3), F(3), 1],
    "addcmul": [F(3), F(3), F(3), 1],
    "atan2": same,
    "upsample_nearest1d": [F(2, 3, 4), [8], N],
    "upsample_linear1d": [F(2, 3, 4), [8], False, N],
    "upsample_nearest2d": [B2, [8, 8], N, N],
    "upsample_bilinear2d": [B2, [8, 8], False, N, N],
    "upsample_bicubic2d": [B2, [8, 8], False, N, N],
    "upsample_nearest3d": [B3, [8] * 3, N, N, N],
    "upsample_trilinear3d": [B3, [8] * 3, False, N, N, N],
    "_upsample_nearest_exact1d": [F(2, 3, 4), [8], N],
    "_upsample_nearest_exact2d": [B2, [8, 8], N, N],
    "_upsample_nearest_exact3d": [B3, [8] * 3, N, N, N],
    "_upsample_bilinear2d_aa": [B2, [8, 8], False, N, N],
    "_upsample_bicubic2d_aa": [B2, [8, 8], False, N, N],
}
for name in ("fft_fft", "fft_ifft", "fft_hfft", "fft_ihfft", "fft_rfft"):
    SPECS[name] = [F(4)] + fft1
SPECS["fft_irfft"] = [F(4)] + fft1
for name in ("fft_fft2", "fft_ifft2", "fft_rfft2", "fft_irfft2"):
    SPECS[name] = [F(4, 4)] + fft2
for name in ("fft_fftn", "fft_ifftn", "fft_rfftn", "fft_irfftn"):
    SPECS[name] = [F(4, 4)] + fftn
for name in ("acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log1p", "log2", "reciprocal",
             "rsqrt", "sinh", "tan"):
    SPECS[name] = [F(2, 3)]
# Operators that autocast has no kernel for. It passes their arguments on unchanged.
PLAIN = {
    "add.Tensor": same + [1],
    "mul.Tensor": same,
    "relu": [F(2, 3)],
    "sigmoid": [F(2, 3)],
    "tanh": [F(2, 3)],
    "mean": [F(2, 3), N],
    "max_pool2d": [B2, [2, 2], [], [0, 0], [1, 1], False],
    "batch_norm": [B2, F(3), F(3), F(3), F(3), True, 0.1, 1e-5, False],
    "embedding": [F(4, 3), I(2), -1, False, False],
    "dropout": [F(2, 3), 0.5, False],
    "where.self": [I(2, 3, dtype="bool"), F(2, 3), F(2, 3)],
    "clone": [F(2, 3)],
}

# Operators that are left out, with the reason.
LEFT = {
    "dimnames": "names of dimensions are not bound",
    "fake_quantize_per_tensor_affine": "quantization",
    "mkldnn_rnn_layer": "called by lstm, which TestModels has",
    "stft": "an alias of stft.center without centering",
    "stft.center": "its window comes from the caller; torch.STFT has a test",
    "_cudnn_rnn": "wants weights in one block",
    "cudnn_convolution": "cuDNN's kernels need a device",
    "cudnn_convolution_transpose": "cuDNN's kernels need a device",
    "_thnn_fused_gru_cell": "called by gru_cell",
    "_thnn_fused_lstm_cell": "called by lstm_cell",
    "_scaled_dot_product_flash_attention": "called by scaled_dot_product_attention",
}
if device == "cuda":  # the simulated driver does not support these
    LEFT |= {
        "erfinv": "compiled while it runs",
        "prod": "compiled while it runs",
        "prod.dim_int": "compiled while it runs",
        "nuclear_norm": "cuSOLVER",
        "nuclear_norm.dim": "cuSOLVER",
    }


def listed():
    """Yields the names of the operators that have their own kernel for autocast."""
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        if not name.startswith("aten::") or not torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
            continue
        line = [l for l in torch._C._dispatch_dump(name).splitlines() if l.startswith(key + ":")]
        if line and "fallthrough" not in line[0]:
            yield name[len("aten::"):]


def build(arg, dtype, state):
    if isinstance(arg, list):
        return arg
    if not isinstance(arg, dict):
        return arg
    if "list" in arg:
        return [build(a, dtype, state) for a in arg["list"]]
    if "i" in arg:
        return torch.full(arg["i"], arg["v"], dtype=getattr(torch, arg["dtype"]), device=device)
    t = torch.eye(arg["eye"][-1]) if "eye" in arg else torch.full(arg["f"], 0.5)
    state["n"] = state.get("n", 0) + 1
    low = state["low"]
    to = {"float32": torch.float32, "low": low, "float64": torch.float64,
          "mixed": low if state["n"] == 1 else torch.float32}[dtype]
    return t.to(device=device, dtype=to)


def results(out):
    if isinstance(out, torch.Tensor):
        return [str(out.dtype)[6:]]
    if isinstance(out, (list, tuple)):
        return [r for o in out for r in results(o)]
    return []


def call(name, args, low, dtype):
    op, _, overload = name.partition(".")
    fn = getattr(getattr(torch.ops.aten, op), overload or "default")
    try:
        with torch.autocast(device, low):
            state = {"low": low}
            built = [build(a, dtype, state) for a in args]
            named = [a.name for a in fn._schema.arguments if a.kwarg_only]
            cut = len(fn._schema.arguments) - len(named)
            return results(fn(*built[:cut], **dict(zip(named, built[cut:]))))
    except RuntimeError as e:
        if os.environ.get("WHY"):
            print(name, low, dtype, str(e).splitlines()[0][:150], file=sys.stderr)
        return ["error"]


rows, lacking = [], []
for name in [*listed(), *PLAIN]:
    if name in LEFT or "imname" in name or "names" in name:
        continue
    spec = SPECS.get(name, PLAIN.get(name))
    if spec is None:
        lacking.append(name)
        continue
    op, _, overload = name.partition(".")
    arguments = getattr(getattr(torch.ops.aten, op), overload or "default")._schema.arguments
    spec = [*spec, *(a.default_value for a in arguments[len(spec):])]
    row = {"op": name, "args": spec, "results": {}}
    for low in (torch.bfloat16, torch.float16):
        row["results"][str(low)[6:]] = {d: call(name, spec, low, d) for d in ("float32", "low", "mixed", "float64")}
    rows.append(row)
assert not lacking, lacking
out = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"autocast_{device}.json")
with open(out, "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
bad = [r["op"] for r in rows if r["results"]["bfloat16"]["float32"] == ["error"]]
print(len(rows), "operators; failing in float32:", bad)
