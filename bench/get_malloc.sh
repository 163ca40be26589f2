#!/usr/bin/env bash
# get_malloc.sh jemalloc|mimalloc prints the path of the shared library of that
# allocator, to preload into Python. If the allocator is not installed, the script
# unpacks Debian's package in build/malloc, which needs no root.
set -euo pipefail

case ${1:-} in
  jemalloc) package=libjemalloc2 file=libjemalloc.so.2 ;;
  mimalloc) package=libmimalloc2.0 file=libmimalloc.so.2 ;;
  *) echo "usage: get_malloc.sh jemalloc|mimalloc" >&2; exit 2 ;;
esac
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
unpacked=$root/build/malloc

find_library() {
  find /usr/lib /usr/local/lib "$unpacked" -name "$file" -print -quit 2>/dev/null || true
}

found=$(find_library)
if [ -z "$found" ]; then
  mkdir -p "$unpacked"
  cd "$unpacked"
  apt-get download "$package" >/dev/null 2>&1 || {
    echo "get_malloc.sh: $file is not installed and apt-get cannot download $package" >&2
    exit 1
  }
  dpkg -x "$package"_*.deb .
  found=$(find_library)
fi
[ -n "$found" ] || { echo "get_malloc.sh: no $file in $package" >&2; exit 1; }
echo "$found"
