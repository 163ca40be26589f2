"""Resolves links to files and folders of the repository that are not pages of the site. A link
to a source file leads to a page with its highlighted text, a link to an example's folder leads to
the example's page, and other links lead to GitHub."""

import pathlib

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

GITHUB = "https://github.com/gotorch/gotorch"
LANGUAGES = {".go": "go", ".py": "python", ".sh": "sh"}


class RepositoryLinks(SphinxTransform):
    default_priority = 200

    def apply(self):
        sources = self.env.metadata[self.env.docname].setdefault("sources", [])
        for node in list(self.document.findall(is_unresolved)):
            rel, path = self.env.relfn2path(node["reftarget"].split("#")[0], self.env.docname)
            rel, path = rel.rstrip("/"), pathlib.Path(path)
            if rel + "/README" in self.env.found_docs:
                link = addnodes.pending_xref("", refdomain="doc", reftarget=rel + "/README", reftargetid=None,
                                             refdoc=self.env.docname, reftype="myst", refexplicit=True)
            elif path.is_dir():
                link = nodes.reference("", "", refuri=f"{GITHUB}/tree/main/{rel}")
            elif path.is_file() and path.suffix in LANGUAGES:
                sources.append(rel)
                link = nodes.reference("", "", internal=True,
                                       refuri=self.app.builder.get_relative_uri(self.env.docname, "source/" + rel))
            elif path.is_file():
                link = nodes.reference("", "", refuri=f"{GITHUB}/blob/main/{rel}")
            else:
                continue  # an anchor, or a mistake, which the build reports
            link.extend(node.children)
            node.replace_self(link)


def is_unresolved(node):
    """Reports whether a node is a relative link that leads to no page."""
    return (isinstance(node, addnodes.pending_xref | addnodes.download_reference)
            and node.get("reftype") == "myst" and node["refdomain"] != "doc" and not node["reftarget"].startswith("#"))


def source_pages(app):
    for rel in sorted({rel for meta in app.env.metadata.values() for rel in meta.get("sources", [])}):
        path = pathlib.Path(app.srcdir, rel)
        code = app.builder.highlighter.highlight_block(path.read_text(), LANGUAGES[path.suffix], location=rel)
        yield "source/" + rel, {"title": rel, "body": f"<h1>{path.name}</h1>{code}"}, "page.html"


def add_index(app, error):
    """Adds index.html, which leads to the first page, the README."""
    if error is None:
        first = app.config.root_doc + ".html"
        pathlib.Path(app.outdir, "index.html").write_text(
            '<!doctype html><meta charset="utf-8"><title>gotorch</title>'
            f'<meta http-equiv="refresh" content="0; url={first}">\n')


def setup(app):
    app.add_transform(RepositoryLinks)
    app.connect("html-collect-pages", source_pages)
    app.connect("build-finished", add_index)
