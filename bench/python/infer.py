"""Inference, one request at a time, for the infer.* rows of the benchmarks.

Measures the models of vision/internal/bench/infer in eager PyTorch, ONNX Runtime and OpenVINO. Prints
one line: for each model the median nanoseconds of the faster of the two runtimes, and of PyTorch:

    bench resnet18.best=1 resnet18.python=2 ...

For the models in BF16 it also measures OpenVINO computing in bfloat16: resnet50.bf16.best.
"""

import logging
import statistics
import sys
import tempfile
import time
import warnings

import onnxruntime
import openvino
import torch
import torchvision
from torch import nn

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


BF16 = ("resnet50", "encoder")


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)

    def forward(self, x):
        return self.layers(x)


def models():
    image = (1, 3, 224, 224)
    yield "resnet18", torchvision.models.resnet18, image
    yield "resnet50", torchvision.models.resnet50, image
    yield "mobilenetv3", torchvision.models.mobilenet_v3_large, image
    yield "encoder", Encoder, (1, 32, 384)
    yield "cnn28", lambda: nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(64 * 7 * 7, 10),
    ), (1, 1, 28, 28)
    yield "mlp", lambda: nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
    ), (1, 784)


def median(fn, seconds=1.0):
    """Median nanoseconds of calls that take about the given time."""
    for _ in range(3):
        fn()
    times = []
    begin = time.perf_counter()
    while len(times) < 20 or time.perf_counter() - begin < seconds:
        start = time.perf_counter_ns()
        fn()
        times.append(time.perf_counter_ns() - start)
    return int(statistics.median(times))


def export(model, x, path):
    # The fused kernel of encoders has no form in ONNX.
    torch.backends.mha.set_fastpath_enabled(False)
    torch.onnx.export(model, (x,), path, dynamo=False, opset_version=17)
    torch.backends.mha.set_fastpath_enabled(True)


def openvino_request(file, threads, precision):
    return openvino.Core().compile_model(file, "CPU", {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": precision,
    }).create_infer_request()


def measure(model, x, bf16):
    """Returns the nanoseconds of the faster runtime, of PyTorch, and of OpenVINO in bfloat16 or None."""
    threads = torch.get_num_threads()
    values = x.numpy()
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        export(model, x, file.name)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(file.name, options)
        request = openvino_request(file.name, threads, "f32")
        lower = openvino_request(file.name, threads, "bf16") if bf16 else None
    feed = {session.get_inputs()[0].name: values}
    eager = median(lambda: model(x))
    best = min(median(lambda: session.run(None, feed)), median(lambda: request.infer([values])))
    return best, eager, median(lambda: lower.infer([values])) if bf16 else None


words = ["bench"]
with torch.no_grad():
    for name, make, shape in models():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        best, eager, lower = measure(make().eval(), torch.randn(shape), name in BF16)
        words += [f"{name}.best={best}", f"{name}.python={eager}"]
        if lower:
            words.append(f"{name}.bf16.best={lower}")
print(*words)
