"""Writes the same table as Parquet and Arrow files, and the values that pyarrow reads from them.

    make_files.py FOLDER   (pyarrow 26.0)
"""

import datetime
import json
import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

OUT = pathlib.Path(sys.argv[1])
N = 7
columns = {
    "f16": pa.array(np.arange(N).astype(np.float16) / 2), "f32": pa.array(np.arange(N).astype(np.float32) / 3),
    "f64": pa.array(np.arange(N) / 7), "flag": pa.array([i % 3 == 0 for i in range(N)]),
    "fixed": pa.array([[i, -i, 0.5] for i in range(N)], pa.list_(pa.float32(), 3)),
    "list": pa.array([[i, i + 1] for i in range(N)], pa.list_(pa.int64())),
    "gaps": pa.array([None if i in (2, 5) else i * 1.5 for i in range(N)], pa.float64()),
    "holes": pa.array([None if i in (2, 5) else i for i in range(N)], pa.int16()),
    "time": pa.array([datetime.datetime(2020, 1, 1 + i) for i in range(N)], pa.timestamp("ms")),
    "day": pa.array([datetime.date(1970, 1, 1 + i) for i in range(N)]),
    "text": pa.array([f"row {i}" for i in range(N)]),
    "ragged": pa.array([list(range(i % 3)) for i in range(N)], pa.list_(pa.int64())),
}
for bits in (8, 16, 32, 64):
    columns[f"i{bits}"] = pa.array(np.arange(N).astype(f"int{bits}") - 3)
    columns[f"u{bits}"] = pa.array(np.arange(N).astype(f"uint{bits}") + 200)
table = pa.table(columns)
pq.write_table(table, OUT / "table.parquet", row_group_size=3)
pq.write_table(table, OUT / "packed.parquet", row_group_size=3, compression="zstd", use_dictionary=False,
               data_page_version="2.0")
with pa.OSFile(str(OUT / "table.arrow"), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
    w.write_table(table, max_chunksize=3)
with pa.OSFile(str(OUT / "table.arrows"), "wb") as f, pa.ipc.new_stream(f, table.schema) as w:
    w.write_table(table, max_chunksize=3)
read = pq.read_table(OUT / "table.parquet")
goldens = {}
for name in read.column_names:
    c = read.column(name)
    if name in ("gaps", "holes"):
        c = c.fill_null(9)
    if name == "time":
        c = c.cast(pa.int64())
    if name == "day":
        c = c.cast(pa.int32())
    if name not in ("text", "ragged"):
        goldens[name] = [float(x) for x in np.array(c.to_pylist(), dtype=np.float64).ravel()]
(OUT / "table.json").write_text(json.dumps(goldens, sort_keys=True) + "\n")
