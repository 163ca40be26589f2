package rss

import (
	"bytes"
	"strconv"
	"strings"
)

// mapping is one entry of /proc/self/smaps.
type mapping struct {
	Range
	perms     string // such as "rw-p"
	offset    int64  // in the file
	path      string // of the file, or a name in brackets, or ""
	resident  int64
	anonymous int64 // resident bytes that do not belong to a file
}

func (m *mapping) isExecutable() bool { return strings.Contains(m.perms, "x") }

// isPrivate reports whether the mapping is private memory without a name, readable and
// writable.
func (m *mapping) isPrivate() bool { return m.path == "" && m.perms == "rw-p" }

// isReserved reports whether the mapping is inaccessible.
func (m *mapping) isReserved() bool { return m.path == "" && m.perms == "---p" }

// isFile reports whether the mapping belongs to a file.
func (m *mapping) isFile() bool { return strings.HasPrefix(m.path, "/") }

// parse parses text, the contents of smaps, and returns the mappings, sorted by address.
// It skips entries that it does not understand.
func parse(text []byte) []mapping {
	var out []mapping
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\n")
		if m, ok := header(string(line)); ok {
			out = append(out, m)
			continue
		}
		if len(out) == 0 {
			continue
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		m := &out[len(out)-1]
		switch string(key) {
		case "Rss":
			m.resident = kilobytes(value)
		case "Anonymous":
			m.anonymous = kilobytes(value)
		}
	}
	return out
}

// header parses the first line of an entry, such as "7f00-7f10 rw-p 00000000 00:00 0
// [heap]".
func header(line string) (m mapping, ok bool) {
	f := strings.Fields(line)
	if len(f) < 5 || len(f[1]) != 4 {
		return m, false
	}
	from, to, ok := strings.Cut(f[0], "-")
	if !ok {
		return m, false
	}
	start, err := strconv.ParseUint(from, 16, 64)
	if err != nil {
		return m, false
	}
	end, err := strconv.ParseUint(to, 16, 64)
	if err != nil || end < start {
		return m, false
	}
	m = mapping{Range: Range{uintptr(start), uintptr(end)}, perms: f[1]}
	m.offset, _ = strconv.ParseInt(f[2], 16, 64)
	// The name may have spaces.
	if rest := strings.SplitAfterN(line, " "+f[4]+" ", 2); len(rest) == 2 {
		m.path = strings.TrimSpace(rest[1])
	}
	return m, true
}

func kilobytes(value []byte) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(value)), " kB"), 10, 64)
	return n << 10
}
