"""Writes metrics.json: random detections and targets, and what pycocotools' COCOeval computes for them.

    python make_metrics.py    # with pycocotools 2.0.11
"""

import contextlib
import io
import json
import pathlib
import random

import numpy as np
from pycocotools import mask as api
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

H, W = 120, 140


def box(size):
    w, h = random.uniform(2, size), random.uniform(2, size)
    x, y = random.uniform(0, W - w), random.uniform(0, H - h)
    # numbers that are exact in float32
    return [round(v * 4) / 4 for v in (x, y, x + w, y + h)]


def near(b, by):
    c = [round(v * 4 + random.uniform(-by, by)) / 4 for v in b]
    return [min(c[0], c[2] - 1), min(c[1], c[3] - 1), c[2], c[3]]


def mask(b):
    """A box with rounded corners."""
    m = np.zeros((H, W), dtype=np.uint8, order="F")
    x0, y0, x1, y1 = (int(v) for v in b)
    m[max(y0, 0):y1 + 1, max(x0, 0):x1 + 1] = 1
    m[max(y0, 0), max(x0, 0)] = 0
    return api.encode(m)


def images(n, classes, most, crowds):
    out = []
    for _ in range(n):
        wanted, found = [], []
        for _ in range(random.randint(0, most)):
            b, label = box(random.choice([12, 50, 115])), random.choice(classes)
            wanted.append(dict(box=b, label=label, crowd=int(random.random() < crowds)))
            for _ in range(random.choice([0, 1, 1, 2])):
                found.append(dict(box=near(b, random.choice([2, 10, 30])), score=random.randint(1, 16) / 16,
                                  label=label if random.random() < 0.9 else random.choice(classes)))
        for _ in range(random.randint(0, most // 2)):
            found.append(dict(box=box(60), score=random.randint(1, 16) / 16, label=random.choice(classes)))
        random.shuffle(found)
        out.append(dict(wanted=wanted, found=found))
    return out


def evaluate(case, kind, areas=True, thresholds=None, most=None):
    gt = COCO()
    labels = sorted({o["label"] for im in case for o in im["wanted"] + im["found"]})
    anns, results = [], []
    for i, im in enumerate(case):
        for o in im["wanted"]:
            x0, y0, x1, y1 = o["box"]
            m = mask(o["box"])
            area = float(api.area(m)) if areas or kind == "segm" else (x1 - x0) * (y1 - y0)
            anns.append(dict(id=len(anns) + 1, image_id=i, category_id=o["label"], bbox=[x0, y0, x1 - x0, y1 - y0],
                             segmentation=m, area=area, iscrowd=o["crowd"]))
        for o in im["found"]:
            x0, y0, x1, y1 = o["box"]
            r = dict(image_id=i, category_id=o["label"], score=o["score"])
            r |= dict(bbox=[x0, y0, x1 - x0, y1 - y0]) if kind == "bbox" else dict(segmentation=mask(o["box"]))
            results.append(r)
    gt.dataset = dict(images=[dict(id=i, height=H, width=W) for i in range(len(case))], annotations=anns,
                      categories=[dict(id=k) for k in labels])
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        gt.createIndex()
        e = COCOeval(gt, gt.loadRes(results), kind)
        if thresholds:
            e.params.iouThrs = np.array(thresholds)
        if most:
            e.params.maxDets = most
        e.evaluate()
        e.accumulate()
        e.summarize()
    last = e.eval["precision"][:, :, :, 0, -1]
    per = {k: float(np.mean(last[:, :, i])) for i, k in enumerate(labels) if (last[:, :, i] > -1).any()}
    return dict(stats=[float(v) for v in e.stats], per=[[k, v] for k, v in per.items()],
                text="\n".join(line for line in text.getvalue().splitlines() if "Average" in line))


random.seed(5)
cases = {
    "usual": images(14, [1, 2, 3, 7], 9, 0.1), "many": images(2, [1, 2], 90, 0.05), "one": images(1, [4], 3, 0),
    "crowds": images(6, [1, 5], 8, 0.6), "few": images(5, [0, 1, 2, 3, 4, 5, 6, 7], 3, 0.1),
}
cases["no targets"] = [dict(wanted=[], found=im["found"]) for im in cases["few"]]
out = []
for name, case in cases.items():
    row = dict(name=name, images=case, bbox=evaluate(case, "bbox"), segm=evaluate(case, "segm"),
               own=evaluate(case, "bbox", areas=False))
    for im in case:
        for o in im["wanted"]:
            o["area"] = float(api.area(mask(o["box"])))
    out.append(row)
fine = evaluate(cases["usual"], "bbox", thresholds=[0.3, 0.5, 0.6])
with open(pathlib.Path(__file__).parent / "metrics.json", "w") as f:
    f.write('{"height": %d, "width": %d, "thresholds": %s,\n"cases": [\n' % (H, W, json.dumps(fine)))
    f.write(",\n".join(map(json.dumps, out)) + "\n]}\n")
