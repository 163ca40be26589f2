#!/usr/bin/env bash
# Makes the Python that the benchmarks compare with: a virtual environment in
# build/venv with torch of the reference version. Does nothing if it is there.
# Prints the path of its interpreter as the last line.
set -euo pipefail

version=${TORCH:-2.11.0}
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/venv

if ! "$venv/bin/python" -c "import torch; assert torch.__version__.split('+')[0] == '$version'" 2>/dev/null; then
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || {
    echo "setup_python.sh: python3 with its venv module is needed (Debian: python3-venv)" >&2
    exit 1
  }
  "$venv/bin/pip" install --quiet "torch==$version" numpy >&2
fi
echo "$venv/bin/python"
