"""Writes masks.json: the masks that pycocotools draws. Run with pycocotools 2.0.11 and numpy."""

import json
import pathlib
import random

import numpy as np
from pycocotools import _mask
from pycocotools import mask as api

H, W = 23, 31
random.seed(1)
shapes = [[2, 3, 20, 3, 20, 18, 2, 18], [0, 0, 31, 0, 31, 23, 0, 23], [5, 5, 5, 5, 5, 5], [-4, -3, 40, 10, 15, 60],
          [10.5, 0.25, 29.75, 23.5, 0, 12], [3, 3, 10, 12], [0.2, 0.7, 1.1, 22.9], [40, 40, 50, 40, 50, 50],
          [2, 2, 12, 2, 2, 12, 12, 12], [7, 2, 7, 20, 8, 20, 8, 2]]
for n in (3, 4, 5, 8, 20, 50):
    for r in (1, 10):
        shapes.append([round(random.uniform(-2, (W, H)[i % 2] + 2) * r) / r for i in range(2 * n)])
polygons, rles = [], []
for points in shapes:
    m = _mask.frPyObjects(np.array([points], dtype=float) if len(points) == 4 else [points], H, W)[0]
    rles.append(m)
    pixels = api.decode(m).flatten(order="F").tolist()
    # the runs of the text, with its empty ones
    counts, text = [], m["counts"].decode()
    at = 0
    while at < len(text):
        x = k = 0
        while True:
            c = ord(text[at]) - 48
            x |= (c & 31) << 5 * k
            at, k = at + 1, k + 1
            if not c & 32:
                break
        if c & 16:
            x -= 1 << 5 * k
        counts.append(x + (counts[-2] if len(counts) > 2 else 0))
    assert sum(counts) == H * W == len(pixels)
    box = [int(v) for v in api.toBbox(m)]
    if not sum(pixels):
        box = [0, 0, 0, 0]
    polygons.append(dict(points=points, text=text, counts=counts, area=int(api.area(m)), box=box))
unions = []
for parts in ([0, 3], [5, 6, 8], [10, 11, 12], [2, 7], [13, 14], [4]):
    unions.append(dict(parts=parts, text=api.merge([rles[i] for i in parts])["counts"].decode()))
intersections = [[i, j, int(api.area(api.merge([rles[i], rles[j]], True)))] for i in range(len(rles))
                 for j in range(0, len(rles), 3)]
with open(pathlib.Path(__file__).parent / "masks.json", "w") as f:
    json.dump(dict(masks=dict(h=H, w=W, polygons=polygons, unions=unions, intersections=intersections)), f)
    f.write("\n")
