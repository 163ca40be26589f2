package pickle

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// This file contains the types of values that a Reader returns only with Classes.

// Bytes is Python's bytes.
type Bytes string

// ByteArray is Python's bytearray.
type ByteArray struct {
	Turned
	Bytes []byte
}

// Tuple is a tuple. Class is "" or a Python class derived from tuple, such as
// "torch.Size".
type Tuple struct {
	Turned
	Items []any
	Class string
}

// Set is a set or frozenset. Its items are in the order of the file.
type Set struct {
	Turned
	Items  []any
	Frozen bool
	places Places
}

// Add adds a value, unless the set contains it.
func (s *Set) Add(u *Reader, v any) {
	k := u.key(v)
	form := func(i int) any { return plainKey(s.Items[i]) }
	if s.places.Find(k, len(s.Items), form) >= 0 {
		return
	}
	s.places.Add(k, len(s.Items), form)
	s.Items = append(s.Items, v)
}

// Map is a dict with any hashable keys, in the order in which they were first set. Class
// is "" or a Python class derived from dict, such as "collections.OrderedDict". State is
// the state that the opcode BUILD sets, or nil.
type Map struct {
	Turned
	Keys, Values []any
	Class        string
	State        *Map
	places       Places
}

// Set sets a key.
func (m *Map) Set(u *Reader, k, v any) {
	h := u.key(k)
	if i := m.find(h); i >= 0 {
		m.Values[i] = v
		return
	}
	m.places.Add(h, len(m.Keys), m.form)
	m.Keys = append(m.Keys, k)
	m.Values = append(m.Values, v)
}

func (m *Map) find(key any) int { return m.places.Find(key, len(m.Keys), m.form) }

func (m *Map) form(i int) any { return plainKey(m.Keys[i]) }

// Get returns the value of a string key.
func (m *Map) Get(key string) (any, bool) {
	if i := m.find(key); i >= 0 {
		return m.Values[i], true
	}
	return nil, false
}

// plainKey returns the result of [Reader.key] for a number, a string or None.
func plainKey(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case float64:
		if v == math.Trunc(v) && v >= -1<<62 && v <= 1<<62 {
			return int64(v)
		}
	case complex128:
		if imag(v) == 0 {
			return plainKey(real(v))
		}
	}
	return v
}

// longestKey is the maximum size in bytes of a key that is a tuple, as formatted by
// writeKey.
const longestKey = 1 << 12

type (
	bigKey   string
	tupleKey string
)

// shortKey is the number of bytes of each key that charge does not count. Longer keys
// count, because Go computes the hash of a key at every reference in the file, while
// Python computes it once.
const shortKey = 256

// charge counts n more bytes of keys. It fails if the keys together are too large for the
// size of the file: a file may contain a key once and refer to it often.
func (u *Reader) charge(n int) {
	u.keys += int64(n)
	if u.keys > 16*u.read+1<<16 {
		u.Fail("keys that are larger than the file explains")
	}
}

// key returns a Go map key for v. Two map keys are equal if and only if Python considers
// the values the same key: 1, 1.0 and True are one key. key fails for values that Python
// cannot hash.
func (u *Reader) key(v any) any {
	switch v := v.(type) {
	case nil, int64:
		return v
	case string:
		u.charge(max(0, len(v)-shortKey))
		return v
	case Bytes:
		u.charge(max(0, len(v)-shortKey))
		return v
	case bool, float64, complex128:
		return plainKey(v)
	case *big.Int:
		digits := v.String()
		u.charge(max(0, len(digits)-shortKey))
		return bigKey(digits)
	case *Tuple:
		var b strings.Builder
		u.writeKey(&b, v)
		u.charge(b.Len()) // the same tuple may be a key of many dicts
		return tupleKey(b.String())
	case *List, *Map, *Set, *ByteArray:
		if s, ok := v.(*Set); !ok || !s.Frozen {
			u.Fail("a key that Python cannot hash: %s", kindOf(v))
		}
		return v // compared by identity, so equal sets are different keys
	}
	if !reflect.TypeOf(v).Comparable() {
		u.Fail("a key that Python cannot hash: %T", v)
	}
	return v
}

func (u *Reader) writeKey(b *strings.Builder, t *Tuple) {
	b.WriteByte('(')
	for _, v := range t.Items {
		if b.Len() > longestKey {
			u.Fail("a key that is a tuple of more than %d bytes", longestKey)
		}
		switch v := v.(type) {
		case *Tuple:
			u.writeKey(b, v)
		case string:
			b.WriteString(strconv.Quote(v))
		case Bytes:
			b.WriteString("b" + strconv.Quote(string(v)))
		default:
			k := u.key(v)
			if reflect.TypeOf(k) != nil && reflect.TypeOf(k).Kind() == reflect.Pointer {
				fmt.Fprintf(b, "%T %p", k, k)
			} else {
				fmt.Fprintf(b, "%T %v", k, k)
			}
		}
		b.WriteByte(',')
	}
	b.WriteByte(')')
}

func kindOf(v any) string {
	switch v.(type) {
	case *List:
		return "a list"
	case *Map:
		return "a dict"
	case *Set:
		return "a set"
	case *ByteArray:
		return "a bytearray"
	}
	return fmt.Sprintf("%T", v)
}

// whole converts a little-endian two's complement integer to an int64 or a *big.Int.
func (u *Reader) whole(b []byte) any {
	if len(b) <= 8 {
		var v uint64
		for i, x := range b {
			v |= uint64(x) << (8 * i)
		}
		shift := 64 - 8*len(b)
		return int64(v<<shift) >> shift
	}
	be := make([]byte, len(b))
	for i, x := range b {
		be[len(b)-1-i] = x
	}
	n := new(big.Int).SetBytes(be)
	if be[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// mostDigits is the maximum number of decimal digits that Python accepts.
const mostDigits = 4300

func (u *Reader) wholeText(s string) any {
	if len(s) > mostDigits {
		u.Fail("an integer of %d digits is too long", len(s))
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		u.Fail("bad number %.40q", s)
	}
	return n
}

func trimQuotes(s string) string { return strings.Trim(s, `'"`) }
