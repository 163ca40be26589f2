"""Writes sky.png: a part of the Hubble eXtreme Deep Field, as the package scikit-image has it.
NASA took the image; it is in the public domain.

    pip install --no-deps scikit-image==0.26.0
    python make_sky.py
"""

import importlib.util
import os

from PIL import Image

package = os.path.dirname(importlib.util.find_spec("skimage").origin)  # its data is enough
field = Image.open(os.path.join(package, "data", "hubble_deep_field.jpg"))
part = field.convert("L").crop((255, 30, 511, 286)).resize((128, 128), Image.Resampling.BOX)
part.save(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sky.png"), optimize=True)
