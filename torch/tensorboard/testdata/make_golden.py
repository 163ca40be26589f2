"""Writes the event files of Python's SummaryWriter for the calls of golden_test.go, at a fixed time.

    build/venv/bin/python torch/tensorboard/testdata/make_golden.py

Two things are removed from the event files: the name of the writer, and the bytes of the PNG
images, because encoders produce different bytes. golden.json has the pixels.
"""

import io
import json
import os
import shutil
import tempfile
import time

NOW = 946684800.0  # the first of January 2000, where testing/synctest begins
time.time = lambda: NOW

import torch
from PIL import Image
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from torch.utils.tensorboard import SummaryWriter

here = os.path.dirname(os.path.abspath(__file__))
pixels = {}


def record(data):
    crc = lambda b: masked_crc32c(b).to_bytes(4, "little")
    n = len(data).to_bytes(8, "little")
    return n + crc(n) + data + crc(data)


def keep(folder, name):
    files = [f for f in os.listdir(folder) if os.path.isfile(os.path.join(folder, f))]
    assert len(files) == 1, files
    with open(os.path.join(here, name), "wb") as out:
        for raw in RawEventFileLoader(os.path.join(folder, files[0])).Load():
            event = Event.FromString(raw)
            if event.source_metadata.writer:
                event.source_metadata.writer = "github.com/gotorch/gotorch/torch/tensorboard"
            for v in event.summary.value:
                if v.image.encoded_image_string:
                    img = Image.open(io.BytesIO(v.image.encoded_image_string)).convert("RGBA")
                    pixels[v.tag] = {"width": img.width, "height": img.height, "rgba": list(img.tobytes())}
                    v.image.encoded_image_string = b""
            out.write(record(event.SerializeToString()))


tmp = tempfile.mkdtemp()
w = SummaryWriter(f"{tmp}/a", purge_step=7)
w.add_scalar("loss/train", 0.1, 1)
w.add_scalar("loss/train", float("inf"), -2)
w.add_scalar("zero", 0, 0)
w.add_scalar("new", 0.1, 3, new_style=True)
w.add_scalar("double", 0.1, 4, new_style=True, double_precision=True)
w.add_scalar("then", 2.5, 5, walltime=12345.5)
w.add_text("note", "**wörds**", 6)
# Sums of these numbers are exact in any order.
x = torch.tensor([0.0, 0.5, -0.5, 3.0, 1e-13, 1024.0, 3.0])
w.add_histogram("h/default", x[[0, 1, 2, 3, 5, 6]], 7)
w.add_histogram("h/positive", x[1:2], 8)
w.add_histogram("h/edges", torch.tensor([0, 1, 2, 3, 4, 5]), 9, bins=[1, 2, 4])
w.add_histogram("h/joined", torch.arange(10.0), 10, bins=list(range(11)), max_bins=4)
w.add_histogram("h/joined evenly", torch.arange(12.0), 10, bins=list(range(13)), max_bins=4)
w.add_histogram("h/first", torch.tensor([0.0, 0.0]), 11, bins=[0, 1, 2])
w.add_histogram("h/outside", torch.tensor([-5.0, 0.5, 9.0]), 11, bins=[0, 1, 2])
w.add_histogram("h/nan", torch.tensor([0.5, float("nan")]), 11, bins=[0, 1, 2])
w.add_histogram("h/bool", torch.tensor([True, False, True]), 12)
w.add_histogram_raw("h/raw", 1, 2, 3, 4, 5, [1.5, 2.5], [1, 2], 13)
image = torch.arange(24).reshape(3, 2, 4) * 10
w.add_image("i/bytes", image.to(torch.uint8), 14)
w.add_image("i/floats", image / 200 - 0.1, 15)
w.add_image("i/grey", image[:1].to(torch.uint8), 16)
w.add_image("i/hwc", image.to(torch.uint8), 17, dataformats="CWH")
w.add_image("i/hw", image[0].to(torch.uint8), 18, dataformats="HW")
w.add_image("i/four", torch.arange(16, dtype=torch.uint8).reshape(2, 2, 4) * 16, 19, dataformats="HWC")
w.add_images("i/many", torch.arange(9 * 12, dtype=torch.uint8).reshape(9, 1, 3, 4) * 2, 20)
w.add_images("i/few", torch.arange(36, dtype=torch.uint8).reshape(3, 2, 2, 3) * 2, 21, dataformats="NHWC")
w.close()
keep(f"{tmp}/a", "main.tfevents")

w = SummaryWriter(f"{tmp}/b")
w.add_scalars("curves/of", {"sin": 0.5}, 3)
w.add_hparams({"lr": 0.5, "none": None}, {"hparam/accuracy": 0.25}, {"lr": [0.5, 0.1]}, run_name="run", global_step=4)
w.add_hparams({"name": "adam"}, {}, run_name="words")
w.close()
keep(f"{tmp}/b", "empty.tfevents")
keep(f"{tmp}/b/curves_of_sin", "scalars.tfevents")
keep(f"{tmp}/b/run", "hparams.tfevents")
keep(f"{tmp}/b/words", "words.tfevents")
shutil.rmtree(tmp)
with open(os.path.join(here, "golden.json"), "w") as f:
    json.dump({"pixels": pixels}, f, indent=1)
    f.write("\n")
