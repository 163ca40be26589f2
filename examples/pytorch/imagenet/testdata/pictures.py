"""Draws the images of pictures/: shapes of one color each on another, a folder for each shape.

    python pictures.py
"""

import random
from pathlib import Path

from PIL import Image, ImageDraw

random.seed(1)
for half, count in (("train", 8), ("val", 2)):
    for shape in ("ball", "bars", "box"):
        folder = Path(__file__).parent / "pictures" / half / shape
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(count):
            size = random.randint(40, 60), random.randint(40, 60)
            picture = Image.new("RGB", size, tuple(random.randint(0, 90) for _ in range(3)))
            draw = ImageDraw.Draw(picture)
            color = tuple(random.randint(160, 255) for _ in range(3))
            x, y, w, h = (random.randint(*r) for r in ((2, 15), (2, 15), (15, 24), (15, 24)))
            if shape == "ball":
                draw.ellipse((x, y, x + w, y + h), color)
            elif shape == "box":
                draw.rectangle((x, y, x + w, y + h), color)
            else:
                for k in range(x, x + w, 6):
                    draw.rectangle((k, y, k + 2, y + h), color)
            picture.save(folder / f"{i}.png", optimize=True)
