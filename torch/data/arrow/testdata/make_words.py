"""Writes tables with texts, dictionaries, empty lists or no rows, and Python's results for them.

    make_words.py FOLDER   (pyarrow 26.0, torch 2.11)
"""

import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import torch

OUT = pathlib.Path(sys.argv[1])
words = ["red", "green", None, "red", "blue", "green", "é" * 40]
sizes = [1.5, 2.5, 1.5, 2.5, 1.5, 2.5, 1.5]
gaps = [1.5, None, 1.5, 2.5, None, 2.5, 1.5]
columns = {
    "text": pa.array(words), "large": pa.array(words, pa.large_string()),
    "dictionary": pa.array(words).dictionary_encode(), "sizes": pa.array(sizes).dictionary_encode(),
    "gaps": pa.array(gaps).dictionary_encode(),
    "whole": pa.array([None if g is None else int(g) for g in gaps]).dictionary_encode(),
    "empty": pa.array([[]] * 7, pa.list_(pa.float32())), "nothing": pa.array([[]] * 7),
    "pairs": pa.array([[w or "red", "red"] for w in words]),
}


def write(name, table, rows):
    pq.write_table(table, OUT / f"{name}.parquet", row_group_size=rows)
    with pa.OSFile(str(OUT / f"{name}.arrow"), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table.unify_dictionaries(), max_chunksize=rows)
    with pa.OSFile(str(OUT / f"{name}.arrows"), "wb") as f, pa.ipc.new_stream(f, table.schema) as w:
        w.write_table(table, max_chunksize=rows)


table = pa.table(columns)
write("words", table, 3)
write("none", pa.table({**columns, "fixed": pa.array([[0, 1, 2]] * 7, pa.list_(pa.float32(), 3))}).slice(0, 0), 3)
with pa.OSFile(str(OUT / "views.arrow"), "wb") as f:
    views = pa.table({"view": pa.array(words, pa.string_view())})
    with pa.ipc.new_file(f, views.schema) as w:
        w.write_table(views)

order = sorted(set(w for w in words if w))
golden = {
    "words": order,
    "codes": [-1 if w is None else order.index(w) for w in words],
    "pairs": [order.index(w or "red") for w in words],
    "sizes": table["sizes"].to_pylist(),
    "gaps": [9 if g is None else g for g in table["gaps"].to_pylist()],
    "empty": list(torch.tensor(table["empty"].to_pylist()).shape),
    "nothing": str(torch.tensor(table["nothing"].to_pylist()).dtype),
}
(OUT / "words.json").write_text(json.dumps(golden, sort_keys=True) + "\n")
