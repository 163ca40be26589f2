"""Writes shards/, and shards.json: the samples that webdataset reads from them.

    make_shards.py FOLDER   (webdataset 1.0.2)

For each way of reading, shards.json has the samples in order, each with its key, the name of
its shard and its fields. The package braceexpand expands braces.
"""

import gzip
import io
import json
import os
import pathlib
import sys
import tarfile
import warnings

import webdataset
from braceexpand import braceexpand

OUT = pathlib.Path(sys.argv[1])
SHARDS = OUT / "shards"
SHARDS.mkdir(exist_ok=True)
warnings.simplefilter("ignore")
PNG = (OUT / "images" / "gray.png").read_bytes()


def shard(name, members, **options):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", **options) as tar:
        for member, content in members:
            info = tarfile.TarInfo(member)
            if content is None:
                info.type = tarfile.DIRTYPE
                tar.addfile(info)
                continue
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    raw = raw.getvalue()
    (SHARDS / name).write_bytes(gzip.compress(raw, mtime=0) if name.endswith(".gz") else raw)


shard("a-00.tar", [
    ("__meta__", b"left out"),
    ("__info__/x.txt", b"left out too"),
    ("dir", None),
    ("dir/1.png", PNG),
    ("dir/1.cls", b"3\n"),
    ("dir/1.seg.PNG", PNG),
    ("dir.d/2.png", PNG),
    ("dir.d/2.cls", b"-4"),
    ("noextension", b"left out"),
    (".hidden", b"h"),
    ("x/.hidden", b"h"),
    ("a.b.c/d.tar.gz", b""),
], format=tarfile.GNU_FORMAT)
shard("a-01.tar.gz", [(f"{i}.{e}", c) for i in range(5, 8) for e, c in (("png", PNG), ("cls", str(i).encode()))],
      format=tarfile.USTAR_FORMAT)
shard("a-02.tar", [("long/" * 40 + "ü.txt", b"text"), ("long/" * 40 + "ü.JSON", b"{}"), ("7.cls", b"9"),
                   ("8.cls", b"1"), ("7.cls", b"2")], format=tarfile.PAX_FORMAT)

names = [str(SHARDS / n) for n in ("a-00.tar", "a-01.tar.gz", "a-02.tar")]


def read(rank=0, world=1, worker=0, workers=1):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), WORKER=str(worker), NUM_WORKERS=str(workers))
    set_ = webdataset.WebDataset(names, shardshuffle=False, nodesplitter=webdataset.split_by_node, empty_check=False)
    return [{
        "key": s["__key__"], "shard": os.path.basename(s["__url__"]),
        "fields": [[k, len(v)] for k, v in s.items() if not k.startswith("__")],
    } for s in set_]


goldens = {
    "all": read(),
    "worker 0 of 2": read(worker=0, workers=2),
    "worker 1 of 2": read(worker=1, workers=2),
    "node 1 of 2": read(rank=1, world=2),
    "node 0 of 2, worker 1 of 2": read(rank=0, world=2, worker=1, workers=2),
    "braces": {p: list(braceexpand(p)) for p in (
        "a-{00..02}.tar", "{train,val}-{0..1}", "plain", "", "{9..11}", "{3..1}", "{0..10..4}", "{a..e..2}",
        "{e..c}", "{-1..2}",
        "a{b}c", "{a,b{1..2},}", "{,x}", r"\{a,b\}", r"{a\,b,c}", "{a..}", "{08..11}", "{-05..-4}", "{Y..b}", "{1..1}",
    )},
}
(OUT / "shards.json").write_text(json.dumps(goldens, sort_keys=True) + "\n")
