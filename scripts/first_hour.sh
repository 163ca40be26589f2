#!/usr/bin/env bash
# Runs the commands of the README and the examples' pages, from the top, on a bare system,
# and writes docs/timed-commands.md with the time of each command.
#
#   scripts/first_hour.sh              in a new bare Debian
#   scripts/first_hour.sh --home       on this system, with an empty home folder and no caches
#   scripts/first_hour.sh --list       prints the commands of the pages
#
#   --pages 'README.md ...'   only these pages; docs/timed-commands.md is not written
#   --without PATTERN         skips commands that match, as with grep -E
#   --minutes N               skips commands that would start after N minutes
#   --log FILE                output of the commands (default: build/first-hour.log)
#
# The commands come from the pages; see lib/pages.sh. The last commit is tested, not the
# working tree. The bare Debian needs root and 25 GB in TMPDIR. It is created with
# debootstrap from the mirror that apt-get uses. It shares only Go and the network settings
# (proxies, certificates, package indexes) with this machine. Where a page names the address
# of the repository or of the module, the checkout is used.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=github.com/gotorch/gotorch
mode=root list='' pages='' without='' minutes=1000 log=$PWD/build/first-hour.log
say() { echo "first_hour: $*" >&2; }
die() {
	say "$@"
	exit 1
}
# shellcheck source=lib/bare_debian.sh
. scripts/lib/bare_debian.sh

while [ $# -gt 0 ]; do
	case $1 in
	--home) mode=home ;;
	--list) list=1 ;;
	--pages | --without | --minutes | --log)
		[ $# -ge 2 ] || die "$1 needs a value"
		declare "${1#--}=$2"
		shift
		;;
	*) die "unknown option $1" ;;
	esac
	shift
done

all=$(git ls-files README.md examples/README.md 'examples/*/README.md')
files=${pages:-$all}
if [ -n "$list" ]; then
	for f in $files; do scripts/lib/pages.sh --list "/:$f"; done
	exit
fi

commit=$(git rev-parse --short HEAD)
start_load=$(cut -d' ' -f1 /proc/loadavg)
tmp=$(mktemp -d)
trap 'rm -rf --one-file-system "$tmp"' EXIT
mkdir -p "$(dirname "$log")"

# --- the system -------------------------------------------------------------

root=$tmp/root
if [ "$mode" = root ]; then
	make_debian "$root" "$log"
	cp -a "$(go env GOROOT)" "$root/usr/local/go"
	home=/root/first srv=/srv
	PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
else
	root='' home=$tmp/home srv=$tmp/srv
	PATH=$(go env GOROOT)/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
fi
mkdir -p "$root$home" "$root$srv"

# --- the repository and the module, which are the checkout -------------------

git clone --quiet --bare . "$root$srv/gotorch.git"
printf '[url "file://%s/gotorch.git"]\n\tinsteadOf = https://%s\n[safe]\n\tdirectory = *\n' "$srv" "$module" \
	>"$root$home/.gitconfig"
proxy=$root$srv/proxy/$module/@v version=v0.1.0
mkdir -p "$proxy"
echo $version >"$proxy/list"
echo "{\"Version\":\"$version\",\"Time\":\"$(TZ=UTC git log -1 --date=format-local:%FT%TZ --format=%cd)\"}" \
	>"$proxy/$version.info"
git show HEAD:go.mod >"$proxy/$version.mod"
nested=$(git ls-files '*/go.mod' | sed 's|/go.mod$||; s|^|:(exclude)|')
# shellcheck disable=SC2086
git archive --format=zip --prefix="$module@$version/" -o "$proxy/$version.zip" HEAD . $nested

cp scripts/lib/pages.sh "$root$srv/"
targets=()
for f in $files; do
	mkdir -p "$(dirname "$root$srv/pages/$f")"
	git show "HEAD:$f" >"$root$srv/pages/$f"
	case $f in
	README.md) targets+=("$home:$srv/pages/$f") ;;
	*) targets+=("$home/gotorch:$srv/pages/$f") ;;
	esac
done
# Without the README among the pages, run the README's command that clones the repository.
grep -qx README.md <<<"${files// /$'\n'}" || git clone --quiet "$root$srv/gotorch.git" "$root$home/gotorch"

# --- the commands -----------------------------------------------------------

environment=(HOME="$home" PATH="$PATH" LANG=C.UTF-8 PAGES="$srv/pages/" WITHOUT="$without" MINUTES="$minutes"
	GONOSUMDB="$module" GOPROXY="file://$srv/proxy,$(go env GOPROXY)" GOSUMDB="$(go env GOSUMDB)"
	GOTOOLCHAIN="$(go env GOTOOLCHAIN)")
network_settings
environment+=("${network[@]}")

run=(bash "$srv/pages.sh" "$srv/table" "$srv/log" "${targets[@]}")
rc=0
if [ "$mode" = root ]; then
	in_debian "$root" "${environment[@]}" ROOT=1 "${run[@]}" || rc=$?
else
	env -i "${environment[@]}" "${run[@]}" || rc=$?
	chmod -R u+w "$home" # otherwise Go's module cache, which is read-only, could not be deleted
fi
cp "$root$srv/log" "$log"
[ -s "$root$srv/table" ] || die "nothing ran; see $log"

# first_model COLUMN prints the seconds from "gotorch new" to the end of the first training.
first_model() {
	awk -F'\t' -v column="$1" '$5 ~ /cmd\/gotorch@latest new / { on = 1 } on { sum += $column }
		on && $5 == "cd first && make" { if ($4 == "ok") printf "%.0f", sum; exit }' "$root$srv/table"
}
first=$(first_model 2) work=$(first_model 3)
[ -z "$first" ] || say "from gotorch new to the first trained model: $first s, $work s of all cores together"
if [ -n "$pages" ]; then
	exit $rc
fi

# --- the page ---------------------------------------------------------------

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)
memory=$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo)
if [ "$mode" = root ]; then
	go=$(go env GOVERSION | sed 's/^go//')
	where="In a bare Debian ($suite, debootstrap's minbase) with Go $go and nothing else"
else
	where="On a system with the packages of the README, with an empty home folder and no caches"
fi
{
	cat <<PAGE
# Timed commands

The commands of the README and of the examples' pages, in order, on a system with nothing
installed. \`make generate MODE=first-hour\` runs them and writes this page. The last column says which
commands it left out. One shell runs a page. It starts in an empty folder for the README, and in the checkout
for the other pages.

**From \`gotorch new\` to the first trained model: ${first:-?} s**, the download of libtorch
included. The cores together worked ${work:-?} s of these, most of them in g++, which compiles
the C++ layer once.

$where.
The machine has $(nproc) cores${cpu:+ ($cpu)} and $memory GB of memory; its load was $start_load
when this began, $(date -u +%F). The module is not published yet: \`git clone\` and \`go get\`
were answered by the checkout at $commit, everything else by the network.
The downloads' times are the network's.

| page | command | seconds | of all cores | |
|---|---|---|---|---|
PAGE
	awk -F'\t' '{
			command = $5; gsub(/\|/, "\\|", command); sum += $2
			printf "| %s | `%s` | %s | %s | %s |\n", $1, command, $2, $3, $4
		}
		END { printf "\nTogether: %.0f minutes.\n", sum / 60 }' "$root$srv/table"
} >docs/timed-commands.md
exit $rc
