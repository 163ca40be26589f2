"""Shows each drawing of docs/img twice: as it is on light pages, and as it is on dark pages. A
browser shows one of the two, depending on the switch of the page. In the drawing itself the colors
depend on the system's setting alone, which is right where there is no switch, as on GitHub."""

import pathlib
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

# The colors for dark pages, as internal/cmd/drawings writes them.
DARK = re.compile(r"@media \(prefers-color-scheme:dark\)\{(.*)\}(?=</style>)")


class Pictures(SphinxTransform):
    default_priority = 210

    def apply(self):
        out = pathlib.Path(self.env.doctreedir).parent / "img"
        out.mkdir(exist_ok=True)
        for node in list(self.document.findall(nodes.image)):
            _, path = self.env.relfn2path(node["uri"], self.env.docname)
            path = pathlib.Path(path)
            if path.suffix != ".svg" or not path.is_file():
                continue
            text = path.read_text()
            if not DARK.search(text):
                node["classes"].append("drawing")  # site.css inverts it on dark pages
                continue
            twins = []
            for theme, replacement in ("light", ""), ("dark", r"\1"):
                twin = out / f"{path.stem}.{theme}.svg"
                twin.write_text(DARK.sub(replacement, text))
                image = node.deepcopy()
                image["uri"] = "/" + str(twin.relative_to(self.env.srcdir))
                image["classes"].append(f"only-{theme}")
                twins.append(image)
            node.replace_self(twins)


def setup(app):
    app.add_transform(Pictures)
