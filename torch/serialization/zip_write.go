package serialization

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// archiveWriter writes a zip archive as PyTorch does: nothing is compressed, padding aligns
// the bytes of each entry to 64, and the directory uses 64-bit fields. Package archive/zip
// cannot write exactly these bytes.
type archiveWriter struct {
	w       io.Writer
	prefix  string
	at      uint64
	err     error
	entries []archiveEntry
	names   stringSet
	sums    uint64
}

type archiveEntry struct {
	name string
	at   uint64
	size uint64
	crc  uint32
}

const (
	alignment = 64
	most      = math.MaxUint32
)

// flags returns the flags of an entry. They say that the name is UTF-8 and, unless the
// entry is empty, that the checksum and the sizes come after its bytes.
func (e archiveEntry) flags() uint16 {
	if e.size == 0 {
		return 1 << 11
	}
	return 1<<11 | 1<<3
}

func newArchiveWriter(w io.Writer, name string) *archiveWriter {
	return &archiveWriter{w: w, prefix: name + "/"}
}

func (z *archiveWriter) write(b []byte) {
	if z.err != nil {
		return
	}
	n, err := z.w.Write(b)
	z.at += uint64(n)
	z.err = err
}

var le = binary.LittleEndian

func (z *archiveWriter) entry(name string, data []byte) {
	e := archiveEntry{name: z.prefix + name, at: z.at, size: uint64(len(data)), crc: crc32.ChecksumIEEE(data)}
	large := e.size >= most || e.at >= most
	var extra []byte
	if large {
		extra = zip64(e)
	}
	start := z.at + 30 + uint64(len(e.name)) + uint64(len(extra)) + 4
	padding := (alignment - start%alignment) % alignment
	extra = append(extra, 'F', 'B', byte(padding), byte(padding>>8))
	for range padding {
		extra = append(extra, 'Z')
	}
	head := make([]byte, 0, 30+len(e.name)+len(extra))
	head = append(head, "PK\x03\x04"...)
	head = le.AppendUint16(head, 0) // version
	head = le.AppendUint16(head, e.flags())
	head = append(head, make([]byte, 2+4)...) // zeros for the method, the time and the date
	// zeros for the checksum and the sizes, which come after the bytes
	head = append(head, make([]byte, 4+4+4)...)
	if large {
		for i := len(head) - 8; i < len(head); i++ {
			head[i] = 0xff
		}
	}
	head = le.AppendUint16(head, uint16(len(e.name)))
	head = le.AppendUint16(head, uint16(len(extra)))
	head = append(head, e.name...)
	head = append(head, extra...)
	z.write(head)
	z.write(data)
	z.sum(name, e)
	if e.size == 0 {
		return
	}
	tail := append(make([]byte, 0, 24), "PK\x07\x08"...)
	tail = le.AppendUint32(tail, e.crc)
	if large {
		tail = le.AppendUint64(le.AppendUint64(tail, e.size), e.size)
	} else {
		tail = le.AppendUint32(le.AppendUint32(tail, uint32(e.size)), uint32(e.size))
	}
	z.write(tail)
}

// sum adds an entry to the directory, and adds its name and checksum to the hashes of the
// archive's ID.
func (z *archiveWriter) sum(name string, e archiveEntry) {
	z.entries = append(z.entries, e)
	if name != serializationID {
		z.names.add(name)
		if e.size > 0 {
			z.sums = combine(z.sums, uint64(e.crc))
		}
	}
}

// zip64 returns the extra field of an entry. It holds the values that do not fit in 32
// bits.
func zip64(e archiveEntry) []byte {
	body := le.AppendUint64(le.AppendUint64(nil, e.size), e.size)
	if e.at >= most {
		body = le.AppendUint64(body, e.at)
	}
	return append(le.AppendUint16(le.AppendUint16(nil, 1), uint16(len(body))), body...)
}

const serializationID = ".data/serialization_id"

// close writes the last entries and the directory, which is the end of the archive.
func (z *archiveWriter) close() error {
	z.entry("version", []byte("3\n"))
	z.entry(serializationID, fmt.Appendf(nil, "%020d%020d", z.names.hash(), z.sums))
	begin := z.at
	for _, e := range z.entries {
		z.directory(e)
	}
	size, end := z.at-begin, z.at
	n := uint64(len(z.entries))
	b := append([]byte(nil), "PK\x06\x06"...)
	b = le.AppendUint64(b, 44)
	b = le.AppendUint16(b, 0x031e)
	b = le.AppendUint16(b, 45)
	b = append(b, make([]byte, 8)...) // disks
	for _, v := range []uint64{n, n, size, begin} {
		b = le.AppendUint64(b, v)
	}
	b = append(b, "PK\x06\x07\x00\x00\x00\x00"...)
	b = le.AppendUint64(b, end)
	b = le.AppendUint32(b, 1)
	b = append(b, "PK\x05\x06\x00\x00\x00\x00"...)
	b = le.AppendUint16(b, uint16(min(n, math.MaxUint16)))
	b = le.AppendUint16(b, uint16(min(n, math.MaxUint16)))
	b = le.AppendUint32(b, uint32(min(size, most)))
	b = le.AppendUint32(b, uint32(min(begin, most)))
	b = append(b, 0, 0)
	z.write(b)
	return z.err
}

func (z *archiveWriter) directory(e archiveEntry) {
	size, at := uint32(min(e.size, most)), uint32(min(e.at, most))
	var extra []byte
	if e.size >= most || e.at >= most {
		extra = zip64(e)
		size = most
	}
	b := append([]byte(nil), "PK\x01\x02\x00\x00\x00\x00"...) // made by, needed
	b = le.AppendUint16(b, e.flags())
	b = append(b, make([]byte, 2+4)...) // zeros for the method, the time and the date
	b = le.AppendUint32(b, e.crc)
	b = le.AppendUint32(le.AppendUint32(b, size), size)
	b = le.AppendUint16(b, uint16(len(e.name)))
	b = le.AppendUint16(b, uint16(len(extra)))
	b = append(b, make([]byte, 2+2+2+4)...) // zeros for the comment's length, the disk and the attributes
	b = le.AppendUint32(b, at)
	b = append(b, e.name...)
	z.write(append(b, extra...))
}
