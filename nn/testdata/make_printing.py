"""Writes printing/FAMILY.json for every printing/FAMILY.py: what Python prints for
a module and the shapes of its state dict, under the names of members_FAMILY_test.go;
with ATTRIBUTES also its attributes, which are fields in Go (fields_test.go).
Run: python make_printing.py [FAMILY...]"""

import json
import runpy
import sys
from pathlib import Path

here = Path(__file__).parent / "printing"
for path in sorted(here.glob("*.py")):
    if sys.argv[1:] and path.stem not in sys.argv[1:]:
        continue
    family = runpy.run_path(str(path))
    modules = family["MODULES"]
    out = {n: dict(text=repr(m), state={k: list(v.shape) for k, v in m.state_dict().items()})
           for n, m in modules.items()}
    if family.get("ATTRIBUTES"):
        for n, m in modules.items():
            out[n]["attributes"] = {k: v for k, v in vars(m).items()
                                    if not k.startswith("_") and k != "training" and not callable(v)}
    path.with_suffix(".json").write_text(json.dumps(out, indent=0))
