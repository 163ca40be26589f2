"""Writes arm6.txt and arm7.txt: the output of reference.py.

    python make_outputs.py
"""

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
for robot in ("arm6", "arm7"):
    with open(os.path.join(here, robot + ".txt"), "w") as f:
        subprocess.run([sys.executable, os.path.join(here, "..", "reference.py"), "--robot", robot, "--problems", "50",
                        "--retries", "8", "--seed", "3", "--threads", "1"], check=True, stdout=f)
