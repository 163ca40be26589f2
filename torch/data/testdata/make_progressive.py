"""Writes a progressive JPEG of 1000 x 1000 pixels.

    make_progressive.py FILE   (Pillow 13.0)
"""

import sys

from PIL import Image

Image.new("RGB", (1000, 1000), (10, 200, 30)).save(sys.argv[1], "JPEG", progressive=True)
