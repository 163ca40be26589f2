package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// thriftWalk reads a struct of Thrift's compact protocol and checks the sizes in it.
type thriftWalk struct {
	b        []byte
	children []int64              // the number of children of each element of Parquet's schema
	numbers  map[thriftPath]int64 // if not nil, the numbers of 32 bits and the bools in the struct
}

// thriftPath is the number of a field, and the number of the field inside it, or 0.
type thriftPath struct{ outer, inner int64 }

var errThrift = errors.New("the metadata's stated length exceeds the file")

// deepestValue is the limit on nested lists and structs in a footer.
const deepestValue = 128

// These are field numbers: of the footer's field that contains Parquet's schema, and of a
// schema element's field that contains the element's number of children.
const (
	fieldSchema   = 2
	fieldChildren = 5
	schemaDepth   = 2 // the nesting depth of a schema element: in a list in the outermost struct
)

// These are the types of values in Thrift's compact protocol.
const (
	thriftTrue = 1 + iota
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

func (w *thriftWalk) next(n int64) ([]byte, error) {
	if n < 0 || n > int64(len(w.b)) {
		return nil, errThrift
	}
	b := w.b[:n]
	w.b = w.b[n:]
	return b, nil
}

func (w *thriftWalk) byte() (byte, error) {
	b, err := w.next(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

func (w *thriftWalk) varint() (uint64, error) {
	v, n := binary.Uvarint(w.b)
	if n <= 0 {
		return 0, errThrift
	}
	w.b = w.b[n:]
	return v, nil
}

// structure reads a struct. within is the field of the footer that contains the struct.
func (w *thriftWalk) structure(within int64, depth int) error {
	id := int64(0)
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := head >> 4; delta > 0 {
			id += int64(delta)
		} else {
			v, err := w.varint()
			if err != nil {
				return err
			}
			id = unzigzag(v)
		}
		id = int64(int16(id)) //nolint:gosec // Thrift readers use only the low 16 bits
		if depth == 0 {
			within = id
		}
		switch kind := head & 15; kind {
		case thriftTrue, thriftFalse: // the type of a bool is its value, so no value follows
			w.keep(within, id, depth, int64(thriftFalse-kind))
		case thriftI32:
			v, err := w.varint()
			if err != nil {
				return err
			}
			if within == fieldSchema && depth == schemaDepth && id == fieldChildren && len(w.children) > 0 {
				w.children[len(w.children)-1] = unzigzag(v)
			}
			n := uint32(v)                                            //nolint:gosec // readers ignore the rest
			w.keep(within, id, depth, int64(int32(n>>1)^-int32(n&1))) //nolint:gosec // the encoding
		default:
			if err := w.value(kind, within, depth); err != nil {
				return err
			}
		}
	}
}

// keep records n, the number in field id of the outermost struct or of a struct inside
// it.
func (w *thriftWalk) keep(within, id int64, depth int, n int64) {
	switch {
	case w.numbers == nil:
	case depth == 0:
		w.numbers[thriftPath{id, 0}] = n
	case depth == 1:
		w.numbers[thriftPath{within, id}] = n
	}
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) } //nolint:gosec // the encoding

// value reads a value of the given kind, which is a type of the compact protocol.
func (w *thriftWalk) value(kind byte, within int64, depth int) error {
	if depth > deepestValue {
		return fmt.Errorf("the footer has more than %d nested values", deepestValue)
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // in a list, a bool takes a byte
		_, err := w.next(1)
		return err
	case thriftI16, thriftI32, thriftI64:
		_, err := w.varint()
		return err
	case thriftDouble:
		_, err := w.next(8)
		return err
	case thriftUUID:
		_, err := w.next(16)
		return err
	case thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		_, err = w.next(int64(min(n, math.MaxInt64))) //nolint:gosec // at most that
		return err
	case thriftStruct:
		return w.structure(within, depth+1)
	case thriftList, thriftSet:
		head, err := w.byte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.varint(); err != nil {
				return err
			}
		}
		return w.elements(n, within, depth, head&15)
	case thriftMap:
		n, err := w.varint()
		if err != nil || n == 0 {
			return err
		}
		head, err := w.byte()
		if err != nil {
			return err
		}
		return w.elements(n, within, depth, head>>4, head&15)
	}
	return fmt.Errorf("the footer has a value of unknown type %d", kind)
}

// elements reads n elements. Each element consists of one value for each kind in kinds.
// Every value takes at least one byte.
func (w *thriftWalk) elements(n uint64, within int64, depth int, kinds ...byte) error {
	if n > uint64(len(w.b)) {
		return errThrift
	}
	for range n {
		if depth == 0 && within == fieldSchema {
			w.children = append(w.children, 0)
		}
		for _, kind := range kinds {
			if err := w.value(kind, within, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
