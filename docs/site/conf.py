"""How Sphinx makes the site of this documentation: make site.

The source folder is the repository, so that pages keep their relative links. The theme
uses no font, script or style from elsewhere.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "gotorch"
html_title = "gotorch"
extensions = ["myst_parser", "navigation", "notebooks", "repository"]

include_patterns = ["*.md", "docs/*.md", "examples/README.md", "examples/*/README.md", "examples/pytorch/*/README.md",
                    "notebooks/*.ipynb"]
exclude_patterns = ["build", ".git", "cgotorch", "internal", "memory", "nn", "optim", "torch", "**/testdata"]
root_doc = "README"

# GitHub's anchors, at headings of each depth.
myst_heading_anchors = 6
# A block without a language is output or a drawing. Pieces of code may leave things out.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# A summary of what was found would be fetched, which browsers refuse for local files.
html_show_search_summary = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_use_index = False
