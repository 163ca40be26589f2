package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

func parquet(f *os.File, mem *allocator) (*source, error) {
	if err := checkFooter(f); err != nil {
		return nil, err
	}
	properties := pq.NewReaderProperties(mem)
	// arrow-go's limits on page sizes are not needed, because the allocator limits the
	// memory.
	properties.MaxCompressedPageSize, properties.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32
	raw, err := file.NewParquetReader(f, file.WithReadProps(properties))
	if err != nil {
		return nil, err
	}
	// Drop the Arrow schema that Arrow's writers store in the metadata. arrow-go reads it
	// without checking its sizes, so a damaged schema could make it allocate any amount of
	// memory.
	raw.MetaData().FileMetaData.KeyValueMetadata = nil
	r, err := pqarrow.NewFileReader(raw, pqarrow.ArrowReadProperties{}, mem)
	if err != nil {
		return nil, err
	}
	schema, err := r.Schema()
	if err != nil {
		return nil, err
	}
	batch := func(i int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if i >= raw.NumRowGroups() {
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		out := make([][]arrow.Array, len(columns))
		var tables []arrow.Table
		release := func() {
			for _, t := range tables {
				t.Release()
			}
		}
		for k, c := range columns { // reads one column at a time, because a column may have several leaves
			t, err := r.ReadRowGroups(context.Background(), leaves(&r.Manifest.Fields[c]), []int{i})
			if err != nil {
				release()
				return nil, nil, err
			}
			tables = append(tables, t)
			out[k] = t.Column(0).Data().Chunks()
		}
		return out, release, nil
	}
	return &source{"", schema, batch, func() { _ = raw.Close() }, mem}, nil
}

// leaves returns the columns of the file that make up a field.
func leaves(f *pqarrow.SchemaField) (out []int) {
	if f.IsLeaf() {
		return []int{f.ColIndex}
	}
	for i := range f.Children {
		out = append(out, leaves(&f.Children[i])...)
	}
	return out
}

// checkFooter checks the footer before arrow-go reads it. arrow-go would allocate as many
// elements as a list claims to have, and would follow nested groups of columns to any
// depth.
func checkFooter(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	const magic = "PAR1"
	end := make([]byte, 8)
	if info.Size() < int64(len(end)+len(magic)) {
		return io.ErrUnexpectedEOF
	}
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if !bytes.HasSuffix(end, []byte(magic)) || n > info.Size()-int64(len(end)) {
		return fmt.Errorf("no footer: %w", io.ErrUnexpectedEOF)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, info.Size()-int64(len(end))-n); err != nil {
		return err
	}
	w := thriftWalk{b: b}
	if err := w.structure(0, 0); err != nil {
		return err
	}
	return w.nesting()
}

// thriftWalk reads a struct of Thrift's compact protocol and checks the sizes in it. It keeps
// only the number of children of each element of Parquet's schema.
type thriftWalk struct {
	b        []byte
	children []int64
}

var errFooter = errors.New("the footer's stated length is more than the file has")

// deepestGroup is the limit on nested groups of columns.
const deepestGroup = 64

// deepestValue is the limit on nested lists and structs in a footer.
const deepestValue = 128

// These are the number of the footer's field that contains Parquet's schema, and the number
// of a schema element's field that contains its number of children.
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
		return nil, errFooter
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
		return 0, errFooter
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
		id = int64(int16(id)) //nolint:gosec // what readers of Thrift take it for
		if kind := head & 15; kind == thriftI32 && within == fieldSchema && depth == schemaDepth &&
			id == fieldChildren {
			v, err := w.varint()
			if err != nil {
				return err
			}
			w.children[len(w.children)-1] = unzigzag(v)
			// the type of a bool is its value, so no value follows
		} else if kind != thriftTrue && kind != thriftFalse {
			if depth == 0 {
				within = id
			}
			if err := w.value(kind, within, depth); err != nil {
				return err
			}
		}
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
		return errFooter
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

// nesting returns an error if the groups of the schema are nested too deep.
func (w *thriftWalk) nesting() error {
	var open []int64 // for each open group, the number of children that follow
	for _, n := range w.children {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if n < 0 || n > int64(len(w.children)) {
			return errFooter
		}
		if n > 0 {
			open = append(open, n)
		}
		if len(open) > deepestGroup {
			return fmt.Errorf("the columns have more than %d nested groups", deepestGroup)
		}
	}
	return nil
}
