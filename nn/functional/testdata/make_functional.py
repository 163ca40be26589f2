"""Writes functional.json: results and gradients of torch.nn.functional for calls.
functional_test.go makes the same calls, with the same names.
Run: python make_functional.py > functional.json"""

import json
import sys

import cases as shared
import torch
import torch.nn.functional as F
from cases import rnd, tensor

cases = []


def case(*args):
    cases.append(shared.case(*args))


x = rnd(4, 6)
case("Linear", F.linear, x, rnd(3, 6), rnd(3))
case("Linear/nobias", F.linear, rnd(2, 3, 6), rnd(3, 6))
case("Linear/vector", F.linear, rnd(6), rnd(3, 6), rnd(3))
case("Bilinear", F.bilinear, rnd(4, 2), rnd(4, 3), rnd(5, 2, 3), rnd(5))
index = torch.tensor([[0, 2, 1], [4, 2, 2]])
case("Embedding", F.embedding, index, rnd(5, 3))
case("Embedding/padding", lambda i, w: F.embedding(i, w, padding_idx=2), index, rnd(5, 3))
case("Embedding/padding_negative", lambda i, w: F.embedding(i, w, padding_idx=-3), index, rnd(5, 3))
case("Embedding/freq", lambda i, w: F.embedding(i, w, scale_grad_by_freq=True), index, rnd(5, 3))
case("Embedding/norm", lambda i, w: F.embedding(i, w.detach().clone(), max_norm=0.5, norm_type=1.0), index, rnd(5, 3))
case("OneHot", lambda i: F.one_hot(i), index)
case("OneHot/classes", lambda i: F.one_hot(i, 7), index)

for name, fn in [
    ("ReLU", F.relu), ("ReLU6", F.relu6), ("GELU", F.gelu), ("Sigmoid", F.sigmoid),
    ("Tanh", F.tanh), ("SiLU", F.silu), ("Mish", F.mish), ("SELU", F.selu),
    ("Hardswish", F.hardswish), ("Hardsigmoid", F.hardsigmoid), ("LogSigmoid", F.logsigmoid),
]:
    case(name, fn, 3 * rnd(3, 7))
    case(name + "/scalar", fn, rnd())
case("GELU/tanh", lambda x: F.gelu(x, approximate="tanh"), x)
case("LeakyReLU", lambda x: F.leaky_relu(x, 0.2), x)
case("ELU", lambda x: F.elu(x, 1.5), x)
case("Hardtanh", lambda x: F.hardtanh(x, -0.5, 0.7), x)
case("Softplus", lambda x: F.softplus(x, 2, 1), x)
case("PReLU", F.prelu, x, rnd(6))
case("GLU", lambda x: F.glu(x, 1), x)
case("Softmax", lambda x: F.softmax(x, 1), x)
case("Softmax/dim0", lambda x: F.softmax(x, 0), x)
case("Softmax/dtype", lambda x: F.softmax(x, -1, dtype=torch.float64), x)
case("LogSoftmax", lambda x: F.log_softmax(x, -1), x)

case("Conv1d", lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1), rnd(2, 3, 9), rnd(4, 3, 3), rnd(4))
img = rnd(1, 4, 6, 5)
case("Conv2d", F.conv2d, img, rnd(3, 4, 3, 3), rnd(3))
case("Conv2d/nobias", F.conv2d, img, rnd(3, 4, 3, 2))
case("Conv2d/options", lambda x, w, b: F.conv2d(x, w, b, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2), img,
     rnd(6, 2, 3, 2), rnd(6))
case("Conv2d/same", lambda x, w, b: F.conv2d(x, w, b, padding="same"), img, rnd(3, 4, 3, 3), rnd(3))
case("Conv2d/unbatched", F.conv2d, img[0], rnd(3, 4, 3, 3), rnd(3))
case("Conv3d", lambda x, w, b: F.conv3d(x, w, b, padding=1), rnd(1, 2, 3, 4, 3), rnd(2, 2, 3, 3, 3), rnd(2))
case("ConvTranspose2d", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
     rnd(1, 3, 4, 4), rnd(3, 2, 3, 3), rnd(2))
case("MaxPool1d", lambda x: F.max_pool1d(x, 2), rnd(2, 3, 8))
case("MaxPool2d", lambda x: F.max_pool2d(x, 2), img)
case("MaxPool2d/options", lambda x: F.max_pool2d(x, (3, 2), stride=(2, 1), padding=(1, 0), ceil_mode=True), img)
case("MaxPool2dWithIndices", lambda x: F.max_pool2d(x, 2, return_indices=True)[1].float(), img)
case("AvgPool2d", lambda x: F.avg_pool2d(x, 2), img)
case("AvgPool2d/options",
     lambda x: F.avg_pool2d(x, (3, 2), stride=2, padding=1, ceil_mode=True, count_include_pad=False), img)
case("AvgPool2d/divisor", lambda x: F.avg_pool2d(x, 2, divisor_override=3), img)
case("AdaptiveAvgPool2d", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), img)
case("AdaptiveMaxPool2d", lambda x: F.adaptive_max_pool2d(x, 2), img)

case("LayerNorm", lambda x, w, b: F.layer_norm(x, (6,), w, b), x, rnd(6), rnd(6))
case("LayerNorm/plain", lambda x: F.layer_norm(x, (4, 6), eps=0.1), x)
case("RMSNorm", lambda x, w: F.rms_norm(x, (6,), w), x, rnd(6))
case("GroupNorm", lambda x, w, b: F.group_norm(x, 2, w, b), img, rnd(4), rnd(4))
mean, var = torch.zeros(4), torch.ones(4)
case("BatchNorm/train", lambda x, w, b: F.batch_norm(x, mean.clone(), var.clone(), w, b, training=True),
     img, rnd(4), rnd(4))
case("BatchNorm/eval", lambda x, w, b: F.batch_norm(x, mean + 0.5, var * 2, w, b), img, rnd(4), rnd(4))
case("BatchNorm/nostats", lambda x: F.batch_norm(x, None, None, training=True, eps=0.01), img)


def moved(x):
    m, v = mean.clone(), var.clone()
    F.batch_norm(x, m, v, training=True, momentum=0.7)
    return torch.stack([m, v]).detach()


case("BatchNorm/momentum", moved, img)
case("InstanceNorm", F.instance_norm, img)
case("InstanceNorm/options",
     lambda x, w, b: F.instance_norm(x, mean.clone(), var.clone(), w, b, momentum=0.5, eps=0.01), img, rnd(4), rnd(4))
case("InstanceNorm/running", lambda x: F.instance_norm(x, mean + 0.5, var * 2, use_input_stats=False), img)

target = torch.tensor([1, 0, 5, 2])
classes = torch.rand(6) + 0.5
case("CrossEntropy", F.cross_entropy, x, target)
case("CrossEntropy/sum", lambda x, t: F.cross_entropy(x, t, reduction="sum"), x, target)
case("CrossEntropy/none", lambda x, t: F.cross_entropy(x, t, reduction="none"), x, target)
case("CrossEntropy/weight", lambda x, t: F.cross_entropy(x, t, weight=classes), x, target)
case("CrossEntropy/ignore", lambda x, t: F.cross_entropy(x, t, ignore_index=0), x, target)
case("CrossEntropy/ignored", F.cross_entropy, x, torch.tensor([1, -100, 5, 2]))
case("CrossEntropy/smoothing", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1, weight=classes), x, target)
case("CrossEntropy/probabilities", F.cross_entropy, x, torch.softmax(rnd(4, 6), 1))
case("CrossEntropy/image", F.cross_entropy, rnd(2, 3, 2, 2), torch.randint(3, (2, 2, 2)))
case("NLLLoss", lambda x, t: F.nll_loss(F.log_softmax(x, 1), t), x, target)
case("NLLLoss/weight", lambda x, t: F.nll_loss(x, t, weight=classes, reduction="sum"), x, target)
case("MSELoss", F.mse_loss, x, rnd(4, 6))
case("MSELoss/none", lambda x, y: F.mse_loss(x, y, reduction="none"), x, rnd(4, 6))
case("L1Loss", F.l1_loss, x, rnd(4, 6))
case("SmoothL1Loss", lambda x, y: F.smooth_l1_loss(x, y, beta=0.5), x, rnd(4, 6))
case("SmoothL1Loss/l1", lambda x, y: F.smooth_l1_loss(x, y, beta=0.0), x, x.detach().flip(0) / 2)
case("SmoothL1Loss/sum", lambda x, y: F.smooth_l1_loss(x, y, reduction="sum"), x, rnd(4, 6))
case("HuberLoss", lambda x, y: F.huber_loss(x, y, delta=0.7, reduction="sum"), x, rnd(4, 6))
prob = torch.rand(4, 6)
case("BinaryCrossEntropy", F.binary_cross_entropy, torch.rand(4, 6), prob)
case("BinaryCrossEntropy/weight", lambda x, y: F.binary_cross_entropy(x, y, weight=classes), torch.rand(4, 6), prob)
case("BinaryCrossEntropyWithLogits", F.binary_cross_entropy_with_logits, x, prob)
case("BinaryCrossEntropyWithLogits/pos",
     lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=classes, reduction="none"), x, prob)
case("MSELoss/sum", lambda x, y: F.mse_loss(x, y, reduction="sum"), x, rnd(4, 6))
case("L1Loss/sum", lambda x, y: F.l1_loss(x, y, reduction="sum"), x, rnd(4, 6))
case("NLLLoss/ignore", lambda x, t: F.nll_loss(x, t, ignore_index=0), x, target)
case("BinaryCrossEntropyWithLogits/weight", lambda x, y: F.binary_cross_entropy_with_logits(x, y, weight=classes), x,
     prob)
factors = torch.rand(4, 6)
for name, fn in [("MSELoss", F.mse_loss), ("L1Loss", F.l1_loss), ("HuberLoss", F.huber_loss)]:
    for reduction in ["mean", "sum", "none"]:
        case(name + "/weight_" + reduction, lambda x, y, w: fn(x, y, weight=w, reduction=reduction), x,
             rnd(4, 6), factors)
case("KLDiv", lambda x, y: F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1)), x, rnd(4, 6))
case("KLDiv/batchmean", lambda x, y: F.kl_div(F.log_softmax(x, 1), F.log_softmax(y, 1), reduction="batchmean",
                                              log_target=True), x, rnd(4, 6))
case("CosineSimilarity", F.cosine_similarity, x, rnd(4, 6))
case("CosineSimilarity/options", lambda x, y: F.cosine_similarity(x, y, dim=0, eps=2.0), x, rnd(4, 6))
case("PairwiseDistance", F.pairwise_distance, x, rnd(4, 6))
case("PairwiseDistance/options", lambda x, y: F.pairwise_distance(x, y, p=1, eps=0.5, keepdim=True), x, rnd(4, 6))
case("Normalize", F.normalize, x)
case("Normalize/eps", lambda x: F.normalize(x, eps=3.0), x)
case("Normalize/p1", lambda x: F.normalize(x, p=1, dim=0), x)
case("Normalize/p0", lambda x: F.normalize(x, p=0.0), x)

case("Pad", lambda x: F.pad(x, (1, 2)), x)
case("Pad/value", lambda x: F.pad(x, (1, 0, 0, 2), value=1.5), x)
case("Pad/negative", lambda x: F.pad(x, (-1, -2)), x)
case("Pad/reflect", lambda x: F.pad(x, (1, 2, 2, 1), mode="reflect"), img)
case("Pad/circular", lambda x: F.pad(x, (1, 2, 2, 1), mode="circular"), img)
case("Interpolate", lambda x: F.interpolate(x, scale_factor=2), img)
case("Interpolate/size", lambda x: F.interpolate(x, size=(5, 9)), img)
case("Interpolate/bilinear", lambda x: F.interpolate(x, size=(5, 9), mode="bilinear"), img)
case("Interpolate/corners", lambda x: F.interpolate(x, scale_factor=(1.5, 2), mode="bilinear", align_corners=True), img)
case("Interpolate/bicubic", lambda x: F.interpolate(x, size=(3, 4), mode="bicubic"), img)
case("Interpolate/linear", lambda x: F.interpolate(x, size=7, mode="linear"), rnd(1, 2, 4))
case("Interpolate/area", lambda x: F.interpolate(x, size=(3, 2), mode="area"), img)
case("Interpolate/exact", lambda x: F.interpolate(x, size=(3, 4), mode="nearest-exact"), img)
case("Interpolate/recompute",
     lambda x: F.interpolate(x, scale_factor=1.3, mode="bilinear", recompute_scale_factor=True), img)
case("Interpolate/antialias", lambda x: F.interpolate(x, size=(3, 2), mode="bilinear", antialias=True), img)
case("Interpolate/antialias_bicubic", lambda x: F.interpolate(x, size=3, mode="bicubic", antialias=True), img)
case("Interpolate/trilinear", lambda x: F.interpolate(x, size=3, mode="trilinear"), rnd(1, 1, 2, 2, 2))
case("Interpolate/area_factor", lambda x: F.interpolate(x, scale_factor=0.6, mode="area"), img)
grid = rnd(1, 2, 3, 2)
case("GridSample", F.grid_sample, img, grid)
case("GridSample/options",
     lambda x, g: F.grid_sample(x, g, mode="bicubic", padding_mode="reflection", align_corners=True), img, grid)
case("GridSample/border", lambda x, g: F.grid_sample(x, g, mode="nearest", padding_mode="border"), img, grid)
case("AffineGrid", lambda t: F.affine_grid(t, (2, 1, 3, 2)), rnd(2, 2, 3))
case("AffineGrid/corners", lambda t: F.affine_grid(t, (1, 1, 2, 3, 2), align_corners=True), rnd(1, 3, 4))
case("PixelShuffle", lambda x: F.pixel_shuffle(x, 2), img)

case("Pad/replicate", lambda x: F.pad(x, (1, 2, 2, 1), mode="replicate"), img)
q, k, v = rnd(2, 3, 4, 5), rnd(2, 3, 6, 5), rnd(2, 3, 6, 5)
sdpa = F.scaled_dot_product_attention
case("ScaledDotProductAttention", sdpa, q, k, v)
case("ScaledDotProductAttention/causal", lambda q, k, v: sdpa(q, k, v, is_causal=True, scale=0.3), q,
     rnd(2, 3, 4, 5), rnd(2, 3, 4, 5))
case("ScaledDotProductAttention/mask", lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), q, k, v, rnd(4, 6))
case("ScaledDotProductAttention/gqa", lambda q, k, v: sdpa(q, k, v, enable_gqa=True), rnd(1, 4, 3, 5),
     rnd(1, 2, 3, 5), rnd(1, 2, 3, 5))

torch.manual_seed(7)
case("Dropout", lambda x: F.dropout(x, 0.3, True), torch.ones(5, 8))
case("Dropout/eval", lambda x: F.dropout(x, 0.3, False), torch.ones(5, 8))
case("Dropout2d", lambda x: F.dropout2d(x, 0.5, True), torch.ones(2, 4, 2, 2))
case("AlphaDropout", lambda x: F.alpha_dropout(x, 0.3, True), torch.ones(5, 8))


def seeded(fn):
    """Returns a function that calls fn after manual_seed(3), as the Go test does."""

    def run(*xs):
        torch.manual_seed(3)
        return fn(*xs)

    return run


y = torch.linspace(-2, 2.5, 24).reshape(4, 6)
for name in ("celu", "rrelu", "tanhshrink", "softsign", "hardshrink", "softshrink"):
    case(name, getattr(F, name), y)
case("celu/alpha", lambda x: F.celu(x, 0.5), y)
case("rrelu/training", seeded(lambda x: F.rrelu(x, 0.25, 0.5, True)), y)
case("hardshrink/lambd", lambda x: F.hardshrink(x, 1.0), y)
case("softshrink/lambd", lambda x: F.softshrink(x, 0.0), y)
case("threshold", lambda x: F.threshold(x, 0.5, 3.0), y)
case("gumbel_softmax", seeded(lambda x: F.gumbel_softmax(x, 0.5)), y)
case("gumbel_softmax/hard", seeded(lambda x: F.gumbel_softmax(x, hard=True, dim=0)), y)
for name in ("relu", "relu6", "selu", "silu", "mish", "hardswish", "hardsigmoid", "hardtanh", "elu", "celu",
             "leaky_relu", "rrelu", "dropout"):
    case(name + "_", seeded(lambda x, f=getattr(F, name): f(x * 1, inplace=True)), y)
case("threshold_", lambda x: F.threshold_(x * 1, 0.5, 3.0), y)
case("dropout1d", seeded(F.dropout1d), torch.ones(2, 5, 3))
case("dropout1d/row", seeded(F.dropout1d), torch.ones(6, 3))
case("dropout1d_", seeded(lambda x: F.dropout1d(x * 1, inplace=True)), torch.ones(6, 3))
case("dropout3d", seeded(F.dropout3d), torch.ones(5, 2, 1, 2))
case("feature_alpha_dropout", seeded(lambda x: F.feature_alpha_dropout(x, 0.4, True)), torch.ones(3, 4, 2))
case("local_response_norm", lambda x: F.local_response_norm(x, 3, 0.5, 0.6, 2.0), rnd(2, 5, 4))
case("local_response_norm/image", lambda x: F.local_response_norm(x, 2), rnd(2, 4, 3, 2))
case("pdist", F.pdist, rnd(4, 3))
case("pdist/p1", lambda x: F.pdist(x, 1.0), rnd(4, 3))
bags, starts, rows = torch.tensor([[0, 2, 1], [4, 2, 2]]), torch.tensor([0, 2, 2, 5]), rnd(5, 3)
case("embedding_bag", F.embedding_bag, bags, rows)
case("embedding_bag/sum", lambda i, w, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s),
     bags, rows, rnd(2, 3))
case("embedding_bag/offsets", lambda i, w, o: F.embedding_bag(i, w, o, mode="max"), bags.reshape(-1), rows, starts)
case("embedding_bag/last", lambda i, w, o: F.embedding_bag(i, w, o, include_last_offset=True, padding_idx=2),
     bags.reshape(-1), rows, starts)

json.dump(dict(classes=tensor(classes), cases=cases), sys.stdout)
