"""Writes keypoints.json: random key points, and what pycocotools' COCOeval computes for them.

    python make_keypoints.py    # with pycocotools 2.0.11
"""

import contextlib
import io
import json
import pathlib
import random

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

SIGMAS = [0.05, 0.1, 0.07]


def quarter(v):  # exact in float32
    return round(v * 4) / 4


def images(n, classes, most, crowds, k=17):
    out = []
    for _ in range(n):
        wanted, found = [], []
        for _ in range(random.randint(0, most)):
            w, h = (quarter(random.uniform(8, random.choice([30, 90, 200]))) for _ in range(2))
            x, y = quarter(random.uniform(0, 300)), quarter(random.uniform(0, 300))
            label, seen = random.choice(classes), random.choice([0, 0.3, 0.7, 1])
            points = []
            for _ in range(k):
                v = random.choice([1, 2]) if random.random() < seen else 0
                points += [quarter(random.uniform(x, x + w)), quarter(random.uniform(y, y + h)), v] if v else [0, 0, 0]
            wanted.append(dict(box=[x, y, x + w, y + h], points=points, label=label,
                               crowd=int(random.random() < crowds), area=quarter(w * h * random.uniform(0.3, 1))))
            for _ in range(random.choice([0, 1, 1, 2])):
                by, near = random.choice([0.02, 0.06, 0.2]), []
                for i in range(k):
                    px, py, v = points[3 * i:3 * i + 3]
                    if not v:
                        px, py = random.uniform(x - w, x + 2 * w), random.uniform(y - h, y + 2 * h)
                    near += [quarter(px + random.gauss(0, by * w)), quarter(py + random.gauss(0, by * h)), 1]
                found.append(dict(points=near, score=random.randint(1, 16) / 16,
                                  label=label if random.random() < 0.9 else random.choice(classes)))
        for _ in range(random.randint(0, most // 2)):
            points = [quarter(random.uniform(0, 300)) if i % 3 < 2 else 1 for i in range(3 * k)]
            found.append(dict(points=points, score=random.randint(1, 16) / 16, label=random.choice(classes)))
        random.shuffle(found)
        out.append(dict(wanted=wanted, found=found))
    return out


def evaluate(case, sigmas=None, thresholds=None):
    gt = COCO()
    labels = sorted({o["label"] for im in case for o in im["wanted"] + im["found"]})
    anns, results = [], []
    for i, im in enumerate(case):
        for o in im["wanted"]:
            x0, y0, x1, y1 = o["box"]
            anns.append(dict(id=len(anns) + 1, image_id=i, category_id=o["label"], bbox=[x0, y0, x1 - x0, y1 - y0],
                             keypoints=o["points"], num_keypoints=sum(v > 0 for v in o["points"][2::3]),
                             area=o["area"], iscrowd=o["crowd"]))
        for o in im["found"]:
            results.append(dict(image_id=i, category_id=o["label"], score=o["score"], keypoints=o["points"]))
    gt.dataset = dict(images=[dict(id=i) for i in range(len(case))], annotations=anns,
                      categories=[dict(id=k) for k in labels])
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        gt.createIndex()
        e = COCOeval(gt, gt.loadRes(results), "keypoints")
        if sigmas:
            e.params.kpt_oks_sigmas = np.array(sigmas)
        if thresholds:
            e.params.iouThrs = np.array(thresholds)
        e.evaluate()
        e.accumulate()
        e.summarize()
    last = e.eval["precision"][:, :, :, 0, -1]
    per = {k: float(np.mean(last[:, :, i])) for i, k in enumerate(labels) if (last[:, :, i] > -1).any()}
    return dict(stats=[float(v) for v in e.stats], per=[[k, v] for k, v in per.items()],
                text="\n".join(line for line in text.getvalue().splitlines() if "Average" in line))


random.seed(7)
cases = [
    dict(name="persons", images=images(10, [1], 6, 0.1)),
    dict(name="classes", images=images(6, [1, 2, 5], 6, 0.2)),
    dict(name="many", images=images(2, [1], 24, 0.1)),
    dict(name="crowds", images=images(5, [1], 6, 0.6)),
    dict(name="sigmas", images=images(8, [1, 3], 6, 0.1, k=3), sigmas=SIGMAS),
    dict(name="thresholds", images=images(6, [1], 5, 0.1), thresholds=[0.3, 0.5, 0.6]),
]
cases.append(dict(name="no targets", images=[dict(wanted=[], found=im["found"]) for im in cases[3]["images"]]))
for c in cases:
    c["keypoints"] = evaluate(c["images"], c.get("sigmas"), c.get("thresholds"))
with open(pathlib.Path(__file__).parent / "keypoints.json", "w") as f:
    f.write('{"cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}\n")
