"""Writes small datasets in the formats of COCO and VOC to coco and VOCdevkit, and what torchvision reads
from them to datasets.json.

    python make_datasets.py    # with torchvision 0.26, pycocotools 2.0.11 and Pillow
"""

import json
import pathlib
import shutil

import numpy as np
import torch
from PIL import Image
from pycocotools import mask as api
from torchvision import datasets

here = pathlib.Path(__file__).parent
for folder in ("coco", "VOCdevkit"):
    shutil.rmtree(here / folder, ignore_errors=True)


def pixels(h, w, seed):
    return ((np.arange(h * w * 3) * 37 + seed) % 251).astype(np.uint8).reshape(h, w, 3)


coco = here / "coco"
coco.mkdir()
images = [dict(id=9, file_name="nine.png", height=18, width=24), dict(id=3, file_name="three.png", height=20, width=15),
          dict(id=4, file_name="empty.png", height=5, width=6)]
for im in images:
    Image.fromarray(pixels(im["height"], im["width"], im["id"])).save(coco / im["file_name"])
m = np.zeros((18, 24), dtype=np.uint8, order="F")
m[3:9, 4:20] = 1
m[12, 2] = 1
packed = api.encode(m)
runs, flat, last = [], m.flatten(order="F").tolist(), 0
for v in flat:
    if v != last or not runs:
        runs += [0, 0] if not runs and v else [0]
        last = v
    runs[-1] += 1
points = [5.5, 6, 2, 7, 8.25, 1, 0, 0, 0]
annotations = [
    dict(id=1, image_id=9, category_id=18, bbox=[2.5, 3, 10.25, 12], area=60.5, iscrowd=0, num_keypoints=2,
         segmentation=[[2, 3, 12, 3.5, 11, 15, 3, 14], [14.2, 1, 20, 1, 17, 9.7]], keypoints=points),
    dict(id=7, image_id=3, category_id=2, bbox=[0, 0, 15, 20], area=300, iscrowd=0, segmentation=[
         [0, 0, 15, 0, 15, 20, 0, 20]], keypoints=points),
    dict(id=2, image_id=9, category_id=1, bbox=[4, 3, 16, 6], area=97, iscrowd=1, keypoints=points,
         segmentation=dict(size=[18, 24], counts=runs)),
    dict(id=5, image_id=9, category_id=90, bbox=[4.75, 3.125, 16, 6], area=97, iscrowd=0, keypoints=points,
         segmentation=dict(size=[18, 24], counts=packed["counts"].decode())),
    dict(id=6, image_id=77, category_id=1, bbox=[0, 0, 1, 1], area=1, iscrowd=0, segmentation=[], keypoints=points),
]
(coco / "instances.json").write_text(json.dumps(dict(
    info=dict(year=2026, description=[1, {"a": []}]), licenses=[], images=images, annotations=annotations,
    categories=[dict(id=1, name="person", supercategory="person"), dict(id=2, name="bicycle", supercategory="vehicle"),
                dict(id=18, name="dog", supercategory="animal"), dict(id=90, name="toothbrush")])) + "\n")

out = []
d = datasets.wrap_dataset_for_transforms_v2(datasets.CocoDetection(str(coco), str(coco / "instances.json")), "all")
for i in range(len(d)):
    image, t = d[i]
    row = dict(id=t["image_id"], shape=[3, image.height, image.width], sum=int(np.asarray(image).astype(int).sum()))
    if "boxes" in t:
        row |= dict(boxes=t["boxes"].tolist(), canvas=list(t["boxes"].canvas_size), labels=t["labels"].tolist(),
                    area=t["area"], iscrowd=t["iscrowd"], masks=t["masks"].flatten().tolist())
    out.append(row)

voc = here / "VOCdevkit" / "VOC2008"
for folder in ("ImageSets/Main", "ImageSets/Segmentation", "JPEGImages", "Annotations", "SegmentationClass"):
    (voc / folder).mkdir(parents=True)
objects = {"2008_000001": [("dog", 0, 1, [3, 2, 15, 11]), ("person", 1, 0, [1, 1, 9, 12])],
           "2008_000007": [("tvmonitor", 0, 0, [5, 5, 6, 6])]}
for name, list_ in objects.items():
    Image.fromarray(pixels(12, 16, 3)).save(voc / "JPEGImages" / f"{name}.jpg", quality=95)
    (voc / "Annotations" / f"{name}.xml").write_text(
        f"<annotation>\n  <filename>{name}.jpg</filename>\n  <size><width>16</width><height>12</height></size>\n" +
        "".join(
            f"  <object>\n    <name>{n}</name><difficult>{d}</difficult><truncated>{t}</truncated>\n    <bndbox>"
            f"<xmax>{b[2]}</xmax><xmin>{b[0]}</xmin><ymax>{b[3]}</ymax><ymin>{b[1]}</ymin></bndbox>\n"
            f"    <part><name>head</name><bndbox><xmin>4</xmin></bndbox></part>\n  </object>\n"
            for n, d, t, b in list_) + "</annotation>\n")
    classes = Image.fromarray((np.arange(12 * 16) % 21).astype(np.uint8).reshape(12, 16), "P")
    classes.putpalette([c for i in range(256) for c in (i, 255 - i, i // 2)])
    classes.save(voc / "SegmentationClass" / f"{name}.png")
for folder in ("Main", "Segmentation"):
    (voc / "ImageSets" / folder / "val.txt").write_text("".join(n + "\n" for n in objects))
rows = []
d = datasets.VOCDetection(str(here), "2008", "val")
w = datasets.wrap_dataset_for_transforms_v2(d)
masks = datasets.VOCSegmentation(str(here), "2008", "val")
for i in range(len(d)):
    image, t = w[i]
    marks = d[i][1]["annotation"]["object"]
    rows.append(dict(shape=[3, image.height, image.width], boxes=t["boxes"].tolist(), labels=t["labels"].tolist(),
                     difficult=[int(m["difficult"]) for m in marks], truncated=[int(m["truncated"]) for m in marks],
                     mask=np.asarray(masks[i][1]).flatten().tolist()))
text = str(d).replace(str(here), "testdata")
(here / "datasets.json").write_text(json.dumps(dict(coco=out, voc=rows, text=text)) + "\n")
