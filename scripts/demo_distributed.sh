#!/usr/bin/env bash
# Runs examples/distributed in two processes, which torchrun starts if it is installed. Also
# runs reference.py if there is a Python with torch.
set -euo pipefail

unset CDPATH
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$here"
data=$(scripts/get_fashion_mnist.sh)
mkdir -p build
go -C examples build -o ../build/distributed ./distributed
export GLOO_SOCKET_IFNAME=${GLOO_SOCKET_IFNAME:-lo} OMP_NUM_THREADS=1
# The default is one epoch. Both programs accept this flag.
[ $# -gt 0 ] || set -- -epochs 1

python=${GOTORCH_PYTHON:-}
[ -n "$python" ] || [ ! -x build/venv/bin/python ] || python=build/venv/bin/python
torchrun=${python:+$(dirname "$python")/torchrun}
[ -n "$torchrun" ] && [ -x "$torchrun" ] || torchrun=$(command -v torchrun || true)

if [ -n "$torchrun" ]; then
	echo "torchrun --no-python --nproc-per-node=2 build/distributed $*"
	"$torchrun" --no-python --nproc-per-node=2 build/distributed -data "$data" "$@"
else
	echo "RANK=0 and RANK=1 build/distributed $* (there is no torchrun)"
	export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=${MASTER_PORT:-29511}
	RANK=1 build/distributed -data "$data" "$@" &
	other=$!
	trap 'kill -INT $other 2>/dev/null || true' EXIT
	RANK=0 build/distributed -data "$data" "$@"
	wait "$other"
	trap - EXIT
fi

if [ -n "$python" ] && [ -n "$torchrun" ] && [ "$*" = "-epochs 1" ]; then
	echo "the same in Python:"
	"$torchrun" --nproc-per-node=2 examples/distributed/reference.py --data "$data" --epochs 1
fi
