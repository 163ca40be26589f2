package pickle

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strings"
)

// These methods write more than plain data. They write the same bytes as Python's pickler
// with protocol 2 does for the same values.

// Put records the value that was just written, and returns its number for Get.
func (p *Writer) Put() uint32 { return p.put() }

// Next returns the number that Put will return.
func (p *Writer) Next() uint32 { return p.memo }

// Get writes a reference to a recorded value.
func (p *Writer) Get(n uint32) { p.ref(opGet1, opGet4, n) }

// None writes None.
func (p *Writer) None() { p.op(opNone) }

// Float writes a number.
func (p *Writer) Float(f float64) {
	var b [9]byte
	b[0] = opFloat
	binary.BigEndian.PutUint64(b[1:], math.Float64bits(f))
	p.op(b[:]...)
}

// Whole writes an integer in as few bytes as possible, unlike Int.
func (p *Writer) Whole(v int64) {
	if v >= math.MinInt32 && v <= math.MaxInt32 {
		p.Int(v)
		return
	}
	p.Big(big.NewInt(v))
}

// Big writes an integer of any size.
func (p *Writer) Big(v *big.Int) {
	if v.IsInt64() && v.Int64() >= math.MinInt32 && v.Int64() <= math.MaxInt32 {
		p.Int(v.Int64())
		return
	}
	// Write little-endian two's complement, including a sign bit.
	n := v.BitLen()/8 + 1
	w := v
	if v.Sign() < 0 {
		w = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	b := w.FillBytes(make([]byte, n))
	if v.Sign() < 0 && n > 1 && b[0] == 0xff && b[1]&0x80 != 0 {
		b = b[1:]
	}
	slices.Reverse(b)
	if len(b) < 256 {
		p.op(opLong1, byte(len(b)))
	} else {
		p.op(0x8b) // LONG4
		p.fixed(uint32(len(b)))
	}
	p.op(b...)
}

// Text writes a string, even if the same string was written before, as Python does for
// equal strings that are separate objects. It returns the string's number for Get, and
// keeps unpaired surrogates.
func (p *Writer) Text(s string) uint32 {
	p.text(s)
	return p.put()
}

// Word writes a string, or a reference if Word has already written this string.
func (p *Writer) Word(s string) {
	if n, ok := p.strings[s]; ok {
		p.ref(opGet1, opGet4, n)
		return
	}
	p.text(s)
	p.strings[s] = p.put()
}

func (p *Writer) text(s string) {
	if !surrogates([]byte(s)) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	p.op(opString)
	p.fixed(uint32(len(s)))
	_, _ = p.w.WriteString(s)
}

// Global writes the name of a class or function.
func (p *Writer) Global(module, name string) {
	line := "c" + module + "\n" + name + "\n"
	if n, ok := p.globals[line]; ok {
		p.Get(n)
		return
	}
	_, _ = p.w.WriteString(line)
	if p.globals == nil {
		p.globals = map[string]uint32{}
	}
	p.globals[line] = p.put()
}

// Mark writes the mark that Tuple, Appends or SetItems refers to.
func (p *Writer) Mark() { p.op(opMark) }

// Tuple writes a tuple of n items. item writes each of them.
func (p *Writer) Tuple(n int, item func(i int)) {
	if n == 0 {
		p.op(opEmptyTuple)
		return
	}
	if n > 3 {
		p.Mark()
	}
	for i := range n {
		item(i)
	}
	if n > 3 {
		p.op('t')
	} else {
		p.op(byte(opTuple2 - 2 + n))
	}
	p.put()
}

// Reduce writes a call. The function and the tuple of its arguments must have been
// written before.
func (p *Writer) Reduce() { p.op('R') }

// NewObj writes an object. Its class and the tuple of its arguments must have been
// written before.
func (p *Writer) NewObj() { p.op(0x81) }

// Build sets the state of an object. The object and its state must have been written
// before.
func (p *Writer) Build() { p.op('b') }

// Persistent replaces the value that was just written with a persistent reference.
func (p *Writer) Persistent() { p.op('Q') }

// EmptyDict begins a dict.
func (p *Writer) EmptyDict() { p.op(opEmptyDict) }

// EmptyList begins a list.
func (p *Writer) EmptyList() { p.op(opEmptyList) }

// batch is the maximum number of items that Python's pickler adds with one opcode.
const batch = 1000

// ListItems appends n items to the list that was just begun.
func (p *Writer) ListItems(n int, item func(i int)) {
	if n == 1 {
		item(0)
		p.op('a')
		return
	}
	p.Items(n, item)
}

// DictItems appends n pairs to a dict; pair writes a key and a value. exact is true if
// the object's class is dict itself and not a derived class. For a derived class,
// Python's pickler ends the last batch differently.
func (p *Writer) DictItems(n int, exact bool, pair func(i int)) {
	if n == 1 {
		pair(0)
		p.op('s')
		return
	}
	for from := 0; from < n; from += batch {
		to := min(n, from+batch)
		if !exact && to-from == 1 {
			pair(from)
			p.op('s')
			return
		}
		p.Mark()
		for i := from; i < to; i++ {
			pair(i)
		}
		p.op(opSetItems)
	}
	if exact && n > 0 && n%batch == 0 {
		p.op(opMark, opSetItems)
	}
}
