package pickle

import (
	"bufio"
	"encoding/binary"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// The opcodes of Python's pickle format that are needed to write a memory snapshot.
// PyTorch's viewer supports few others.
const (
	opProto      = 0x80
	opStop       = '.'
	opMark       = '('
	opNone       = 'N'
	opTrue       = 0x88
	opFalse      = 0x89
	opInt1       = 'K'
	opInt2       = 'M'
	opInt4       = 'J'
	opLong1      = 0x8a
	opFloat      = 'G'
	opString     = 'X'
	opEmptyList  = ']'
	opEmptyTuple = ')'
	opAppends    = 'e'
	opEmptyDict  = '}'
	opSetItems   = 'u'
	opTuple2     = 0x86
	opPut1       = 'q'
	opPut4       = 'r'
	opGet1       = 'h'
	opGet4       = 'j'
	appendsBatch = 1000 // the largest batch of list items that the viewer supports
)

// Writer writes values as a pickle of protocol 2. It uses only the subset that PyTorch's
// viewer reads: no classes, no large integers, and lists in batches. A repeated string,
// or a repeated list that Shared writes, becomes a reference to its first occurrence.
type Writer struct {
	w       *bufio.Writer
	strings map[string]uint32
	lists   map[Ref]uint32
	globals map[string]uint32
	memo    uint32
}

// Ref identifies a list that was made from a slice: At and Len are the address and length
// of the slice, and Form identifies how its items were converted.
type Ref struct {
	At   unsafe.Pointer
	Len  int
	Form int
}

// NewWriter returns a Writer that has begun a pickle. Write one value, and then call
// Close.
func NewWriter(w io.Writer) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 1<<16), strings: map[string]uint32{}, lists: map[Ref]uint32{}}
	p.op(opProto, 2)
	return p
}

// Close ends the pickle and returns the first error of any write.
func (p *Writer) Close() error {
	p.op(opStop)
	return p.w.Flush()
}

func (p *Writer) op(b ...byte) { _, _ = p.w.Write(b) } // Flush returns the error

func (p *Writer) put() uint32 {
	n := p.memo
	p.memo++
	p.ref(opPut1, opPut4, n)
	return n
}

func (p *Writer) ref(short, long byte, n uint32) {
	if n < 256 {
		p.op(short, byte(n))
		return
	}
	p.op(long)
	p.fixed(n)
}

func (p *Writer) fixed(n uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], n)
	p.op(b[:]...)
}

// Str writes a string. Invalid UTF-8 becomes U+FFFD.
func (p *Writer) Str(s string) {
	if n, ok := p.strings[s]; ok {
		p.ref(opGet1, opGet4, n)
		return
	}
	text := strings.ToValidUTF8(s, "\uFFFD") // Python reads only valid UTF-8
	p.op(opString)
	p.fixed(uint32(len(text)))
	_, _ = p.w.WriteString(text)
	p.strings[s] = p.put()
}

// Int writes an integer.
func (p *Writer) Int(v int64) {
	switch {
	case v >= 0 && v < 1<<8:
		p.op(opInt1, byte(v))
	case v >= 0 && v < 1<<16:
		p.op(opInt2, byte(v), byte(v>>8))
	case v >= math.MinInt32 && v <= math.MaxInt32:
		p.op(opInt4)
		p.fixed(uint32(int32(v)))
	default:
		var b [10]byte
		b[0], b[1] = opLong1, 8
		binary.LittleEndian.PutUint64(b[2:], uint64(v))
		p.op(b[:]...)
	}
}

// Uint writes an integer.
func (p *Writer) Uint(v uint64) {
	if v <= math.MaxInt64 {
		p.Int(int64(v))
		return
	}
	var b [11]byte // 9 bytes of number: the highest is 0, so that the number is not negative
	b[0], b[1] = opLong1, 9
	binary.LittleEndian.PutUint64(b[2:], v)
	p.op(b[:]...)
}

// Bool writes a bool.
func (p *Writer) Bool(v bool) {
	if v {
		p.op(opTrue)
	} else {
		p.op(opFalse)
	}
}

// List writes a list of n items. item writes each of them.
func (p *Writer) List(n int, item func(i int)) {
	p.op(opEmptyList)
	p.Items(n, item)
}

// Items appends n items to the list that was just begun.
func (p *Writer) Items(n int, item func(i int)) {
	for from := 0; from < n; from += appendsBatch {
		p.op(opMark)
		for i := from; i < min(n, from+appendsBatch); i++ {
			item(i)
		}
		p.op(opAppends)
	}
}

// Dict writes a dict. items writes alternating keys and values.
func (p *Writer) Dict(items func()) {
	p.op(opEmptyDict, opMark)
	items()
	p.op(opSetItems)
}

// ListItem writes a key and a List.
func (p *Writer) ListItem(key string, n int, item func(int)) { p.Str(key); p.List(n, item) }

// Shared writes a list, or a reference if a list with the same Ref was already written.
// items writes the contents of the list with Items.
func (p *Writer) Shared(at Ref, items func()) {
	if at.Len == 0 {
		at.At = nil // all empty lists are the same
	}
	if n, ok := p.lists[at]; ok {
		p.ref(opGet1, opGet4, n)
		return
	}
	p.op(opEmptyList)
	p.lists[at] = p.put()
	items()
}

// Pair writes a tuple of two integers.
func (p *Writer) Pair(a, b int64) {
	p.Int(a)
	p.Int(b)
	p.op(opTuple2)
}

// Map writes a dict, sorted by key. A value that is not a string, bool, int, int64,
// float64 or map[string]any is written as None.
func (p *Writer) Map(m map[string]any) {
	if len(m) == 0 {
		p.op(opEmptyDict)
		return
	}
	p.Dict(func() {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			p.Str(k)
			p.plain(m[k])
		}
	})
}

func (p *Writer) plain(v any) {
	switch v := v.(type) {
	case string:
		p.Str(v)
	case bool:
		p.Bool(v)
	case int:
		p.Int(int64(v))
	case int64:
		p.Int(v)
	case float64:
		var b [9]byte
		b[0] = opFloat
		binary.BigEndian.PutUint64(b[1:], math.Float64bits(v))
		p.op(b[:]...)
	case map[string]any:
		p.Map(v)
	default:
		p.op(opNone)
	}
}
