"""Executes the notebooks and compares their outputs with the stored ones.

    run.py [--starts N] [--write] [NOTEBOOK...]

An error in a cell fails the run. A cell with the tag raises-exception must give an error, and the
cells after it must still run. Whole numbers must be equal; other numbers may differ by rounding.
Pictures are compared only by their text form, and cells with the tag volatile only by the kinds of
their outputs. With --write the outputs are written into the files. A cell with the tag unsaved
stores only text.

Without names it also runs the checks of checks.py, in separate kernels. The kernel's types may
differ from start to start, so checks that depend on them run in eight kernels. With --starts each
notebook runs in the given number of kernels.
"""

import argparse
import os
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient.exceptions import CellControlSignal

import checks
from session import HERE, client, joined, text

BUILD = HERE.parent / "build" / "notebooks"
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")
RELATIVE, ABSOLUTE = 1e-3, 2e-4  # printed tensors show only four digits
CHECKS = [checks.interrupt, checks.mistakes, checks.prints] + 8 * [checks.start]


def tags(cell):
    return cell.metadata.get("tags", [])


def kind(o):
    return (o.output_type, o.get("name"), tuple(sorted(o.get("data", {}))))


def html(o):
    return o.get("data", {}).get("text/html", "")


def near(want, got):
    """Whether two numbers are equal within rounding. Whole numbers must be the same."""
    if want.lstrip("+-").isdigit() or got.lstrip("+-").isdigit():
        return want == got
    return abs(float(want) - float(got)) <= ABSOLUTE + RELATIVE * abs(float(want))


def same(want, got):
    """Whether two texts are equal except for the rounding of their numbers."""
    if " ".join(NUMBER.sub("0", want).split()) != " ".join(NUMBER.sub("0", got).split()):
        return False
    return all(map(near, NUMBER.findall(want), NUMBER.findall(got)))


def differences(want, got):
    """Lines that say where a fresh run differs from the notebook."""
    for i, (a, b) in enumerate(zip(want.cells, got.cells)):
        if a.cell_type != "code":
            continue
        if list(map(kind, a.outputs)) != list(map(kind, b.outputs)):
            yield f"cell {i}: gave {list(map(kind, b.outputs))}, the notebook has {list(map(kind, a.outputs))}"
        elif "volatile" not in tags(a):
            for o, p in zip(a.outputs, b.outputs):
                for form in (text, html):
                    if not same(form(o), form(p)):
                        yield f"cell {i}:\n{a.source}\ngave\n{form(p)}\nthe notebook has\n{form(o)}"
                        break
        if "raises-exception" in tags(a) and not any(o.output_type == "error" for o in b.outputs):
            yield f"cell {i}: no error, though it has the tag raises-exception"


def execute(path):
    nb = nbformat.read(path, as_version=4)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client(nb).execute()
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
            for o in cell.outputs if "unsaved" in tags(cell) else []:
                for form in set(o.get("data", {})) - {"text/plain"}:
                    del o.data[form]
    nb.metadata.pop("language_info", None)  # contains the version of Go, which differs between machines
    return nb


def reported(name, work):
    """Runs work, which returns lines that describe errors. Prints the result, and returns whether there
    were none. A cell that fails, hangs or ends the kernel fails only this work."""
    began = time.monotonic()
    try:
        wrong = list(work())
    except (CellControlSignal, RuntimeError) as e:  # RuntimeError: the kernel ended or did not start
        wrong = [f"{type(e).__name__}: {e}"]
    print(f"{name}: {'FAILED' if wrong else 'ok'}, {time.monotonic() - began:.1f} s", flush=True)
    print(*wrong, sep="\n", end="\n" if wrong else "", flush=True)
    return not wrong


def renew(path):
    """Executes a notebook and writes the outputs into its file."""
    nbformat.write(execute(path), path)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("notebooks", nargs="*", type=Path)
    args = parser.parse_args()
    os.environ["JUPYTER_PATH"] = str(BUILD / "jupyter")
    passed = True
    for path in args.notebooks or sorted(HERE.glob("*.ipynb")):
        if args.write:
            passed &= reported(path.name, lambda: renew(path))
            continue
        for start in range(args.starts):
            passed &= reported(
                f"{path.name}, start {start + 1}",
                lambda: differences(nbformat.read(path, as_version=4), execute(path)),
            )
    if not args.notebooks and not args.write:
        for check in CHECKS:
            passed &= reported(check.__name__, check)
    sys.exit(not passed)


if __name__ == "__main__":
    main()
