"""Other words for what a page is about. The search finds the page by them, although the page may not
contain them. words.json has the words of each page; a test types them into the search."""

import json
import pathlib

WORDS = json.loads((pathlib.Path(__file__).parent / "words.json").read_text())


def add(app, docname, source):
    if docname not in WORDS:
        return
    # An exclamation mark makes a main entry, which the search lists before pages that contain the
    # word. A result leads to the entry, so the entries come right after the title.
    title, rest = source[0].split("\n", 1)
    entries = "".join(f"\n```{{index}} ! {word}\n```\n" for word in WORDS[docname])
    source[0] = f"{title}\n{entries}{rest}"


def setup(app):
    app.connect("source-read", add)
