"""Writes shard.tar.zst, two samples in webdataset's format, with the package zstandard (0.25).

    make_shard.py FOLDER
"""

import io
import pathlib
import sys
import tarfile

import zstandard

raw = io.BytesIO()
with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
    for name, content in (("0.cls", b"3"), ("0.txt", b"three"), ("1.cls", b"4"), ("1.txt", b"four")):
        info = tarfile.TarInfo(name)
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
packed = zstandard.ZstdCompressor(write_checksum=True).compress(raw.getvalue())
(pathlib.Path(sys.argv[1]) / "shard.tar.zst").write_bytes(packed)
