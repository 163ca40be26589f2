"""Converts notebooks to pages with their text, their cells and the committed outputs."""

import json
import re

from myst_parser.parsers.sphinx_ import MystParser


class NotebookParser(MystParser):
    supported = ("notebook",)

    def parse(self, inputstring, document):
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(part for cell in cells for part in parts(cell)), document)


def parts(cell):
    """Returns the Markdown of a cell."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
    elif source:
        yield fenced("go", source)
    for output in cell.get("outputs", []):
        yield shown(output)


def shown(output):
    if output["output_type"] == "stream":
        return fenced("text", "".join(output["text"]))
    if output["output_type"] == "error":
        return fenced("text", output["evalue"])
    data = {kind: "".join(text) for kind, text in output["data"].items()}
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            return fenced("{raw} html", f'<div class="output">{data[kind]}</div>')
    if "image/png" in data:
        png = data["image/png"].replace("\n", "")
        return fenced("{raw} html", f'<div class="output"><img alt="output" src="data:image/png;base64,{png}"></div>')
    return fenced("text", data["text/plain"])


def fenced(info, text):
    """Returns text in a fence that is longer than any fence in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{info}\n{text}\n{fence}"


def setup(app):
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
