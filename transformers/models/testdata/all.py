"""Runs the scripts that write models, in one process because importing transformers takes long.

Usage: all.py FOLDER. Each script gets a folder of its name.
"""
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(script, *args):
    sys.argv = [script, *map(str, args)]
    runpy.run_path(str(HERE / script), run_name="__main__")


def main(root):
    for name in ("causal", "bert", "vit", "clip", "t5", "whisper"):
        run(f"{name}.py", root / name)
    run("generate.py", root / "causal", root / "causal" / "generate.json")


main(Path(sys.argv[1]))
