package jit

import (
	"bytes"
	"encoding/binary"

	"github.com/gotorch/gotorch/torch"
)

// Package archive/zip and libtorch read the end of an archive differently. If they could
// find different entries, the checks would not apply to the entries that libtorch reads.
// Such archives are therefore refused.

const (
	endSize       = 22 // size in bytes of the end record, without its comment
	locatorSize   = 20 // size in bytes of the record that says where the 64-bit end record is
	end64Size     = 56
	longestEnding = 1<<16 + endSize + locatorSize
)

// folded returns a name in the form in which libtorch compares names: with ASCII letters in lower case.
func folded(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// ends checks the records at the end of an archive. entries is the number of entries that
// the archive's directory should have.
func (a *archive) ends(entries int) error {
	tail := make([]byte, min(a.size, longestEnding))
	from := a.size - int64(len(tail))
	if _, err := a.r.ReadAt(tail, from); err != nil {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || at+endSize > len(tail) {
		return a.fail(torch.ErrTruncated, a.size, "the zip archive has no end record")
	}
	end, behind := tail[at:], from+int64(at)
	count, size, offset := uint64(le.Uint16(end[10:])), uint64(le.Uint32(end[12:])), uint64(le.Uint32(end[16:]))
	if at >= locatorSize && bytes.HasPrefix(tail[at-locatorSize:], []byte("PK\x06\x07")) {
		place := le.Uint64(tail[at-locatorSize+8:])
		long := make([]byte, end64Size)
		if place > uint64(a.size) || uint64(a.size)-place < end64Size {
			return a.fail(torch.ErrFormat, from+int64(at), "the zip archive's end record is at byte %d of %d", place,
				a.size)
		}
		if _, err := a.r.ReadAt(long, int64(place)); err != nil {
			return err
		}
		count64, size64, offset64 := le.Uint64(long[32:]), le.Uint64(long[40:]), le.Uint64(long[48:])
		if string(long[:4]) != "PK\x06\x06" || !says(count, 1<<16-1, count64) || !says(size, 1<<32-1, size64) ||
			!says(offset, 1<<32-1, offset64) {
			return a.fail(torch.ErrFormat, from+int64(at), "the zip archive has two contradicting end records")
		}
		count, size, offset, behind = count64, size64, offset64, int64(place)
	}
	if count != uint64(entries) || size > uint64(a.size) || offset > uint64(a.size) || size+offset != uint64(behind) {
		return a.fail(torch.ErrFormat, from+int64(at),
			"the zip archive's directory of %d entries is not before the end record", count)
	}
	return nil
}

var le = binary.LittleEndian

// says reports whether short, a field of few bits, agrees with long. A number that does
// not fit in the field is stored as most, which has all bits set.
func says(short, most, long uint64) bool { return short == long || short == most && long > most }
