"""Sphinx's configuration for the site of this documentation. `make site` builds it.

The source folder is the repository, so that pages keep their relative links. The theme
loads no font, script or style from other sites.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "gotorch"
html_title = "gotorch"
extensions = ["myst_parser", "navigation", "notebooks", "pictures", "repository", "words"]

include_patterns = ["*.md", "docs/*.md", "examples/README.md", "examples/*/README.md", "examples/pytorch/*/README.md",
                    "notebooks/*.ipynb"]
exclude_patterns = ["build", ".git", "cgotorch", "internal", "memory", "nn", "optim", "torch", "**/testdata"]
root_doc = "README"

# Headings of all depths get the same anchors as on GitHub.
myst_heading_anchors = 6
# A block without a language is output or a drawing. Code blocks may be incomplete, so
# failures to highlight them are not reported.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
# To show a summary, the search would fetch each page, which browsers refuse for local files.
html_show_search_summary = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_use_index = False
