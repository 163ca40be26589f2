package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Arrow's metadata is stored as FlatBuffers, which arrow-go reads without checks. For any
// length that the metadata claims, arrow-go would allocate memory, and it would follow
// tables that contain themselves until the stack overflows. Therefore this file checks the
// metadata first.

// flatbuffer checks the metadata b. left is the number of bytes that it may still visit.
// Without this limit, a few bytes could describe a huge schema: a table that many other
// tables refer to is visited once for each of them.
type flatbuffer struct {
	b    []byte
	left int64
}

// deepest is the limit on how deeply tables are nested. It is enough for the columns that
// arrow-go reads, which are nested at most 64 deep.
const deepest = 80

// tableType is the type of a table in Arrow's Message.fbs, Schema.fbs or File.fbs.
type tableType int

const (
	tableNumbers tableType = iota // only numbers
	tableFooter
	tableMessage
	tableSchema
	tableField
	tablePair
	tableTimestamp
	tableUnion
	tableBatch
	tableDictionaryBatch
)

// slotKind is the kind of a table's field.
type slotKind int

const (
	slotNumber  slotKind = iota
	slotText             // a string
	slotNumbers          // a vector of numbers or structs
	slotTable            // a table
	slotTables           // a vector of tables
	slotType             // the table of a column's type; the previous slot says which type
	slotHeader           // the table of a message's header; the previous slot says which kind
)

// slot is a field of a table, in the order of the schema file.
type slot struct {
	kind  slotKind
	size  int64     // size of an element in bytes, for slotNumbers
	table tableType // the kind of the table or tables, for slotTable and slotTables
}

const (
	blockSize  = 24 // of a Block
	bufferSize = 16 // size in bytes of a Buffer, and of a FieldNode
)

func (t tableType) slots() []slot {
	one, text := slot{}, slot{kind: slotText}
	blocks, buffers := slot{kind: slotNumbers, size: blockSize}, slot{kind: slotNumbers, size: bufferSize}
	pairs := slot{kind: slotTables, table: tablePair}
	switch t {
	case tableFooter: // the slots are version, schema, dictionaries, recordBatches and custom_metadata
		return []slot{one, {kind: slotTable, table: tableSchema}, blocks, blocks, pairs}
	case tableMessage: // the slots are version, header_type, header, bodyLength and custom_metadata
		return []slot{one, one, {kind: slotHeader}, one, pairs}
	case tableSchema: // the slots are endianness, fields, custom_metadata and features
		return []slot{one, {kind: slotTables, table: tableField}, pairs, {kind: slotNumbers, size: 8}}
	// the slots are name, nullable, type_type, type, dictionary, children and
	// custom_metadata
	case tableField:
		return []slot{text, one, one, {kind: slotType}, {kind: slotTable}, {kind: slotTables, table: tableField}, pairs}
	case tablePair: // key, value
		return []slot{text, text}
	case tableTimestamp: // unit, timezone
		return []slot{one, text}
	case tableUnion: // mode, typeIds
		return []slot{one, {kind: slotNumbers, size: 4}}
	case tableBatch: // the slots are length, nodes, buffers, compression and variadicBufferCounts
		return []slot{one, buffers, buffers, {kind: slotTable}, {kind: slotNumbers, size: 8}}
	case tableDictionaryBatch: // id, data, isDelta
		return []slot{one, {kind: slotTable, table: tableBatch}, one}
	case tableNumbers: // any table that has only numbers, such as a DictionaryEncoding's indexType
	}
	return nil
}

var errMetadata = errors.New("the metadata has a pointer outside of itself")

// at returns size bytes from position pos.
func (f *flatbuffer) at(pos, size int64) ([]byte, error) {
	if pos < 0 || size < 0 || pos > int64(len(f.b))-size {
		return nil, errMetadata
	}
	return f.b[pos : pos+size], nil
}

// number returns the unsigned number at pos, which has size bytes: two or four.
func (f *flatbuffer) number(pos, size int64) (int64, error) {
	b, err := f.at(pos, size)
	switch {
	case err != nil:
		return 0, err
	case size == 2:
		return int64(binary.LittleEndian.Uint16(b)), nil
	}
	return int64(binary.LittleEndian.Uint32(b)), nil
}

// take counts size bytes at pos as visited. It returns an error if more bytes were visited
// than the limit allows.
func (f *flatbuffer) take(pos, size int64) error {
	if _, err := f.at(pos, size); err != nil {
		return err
	}
	if f.left -= size; f.left < 0 {
		return errors.New("a part of the metadata is used more than once")
	}
	return nil
}

// root returns the position of the outermost table.
func (f *flatbuffer) root() (int64, error) { return f.number(0, 4) }

// slot returns the position of slot k of the table at pos, or 0 if it is absent.
func (f *flatbuffer) slot(pos int64, k int) (int64, error) {
	back, err := f.number(pos, 4)
	if err != nil {
		return 0, err
	}
	list := pos - int64(int32(back)) //nolint:gosec // a signed number
	size, err := f.number(list, 2)
	if err != nil || int64(4+2*k) >= size {
		return 0, err
	}
	offset, err := f.number(list+int64(4+2*k), 2)
	if err != nil || offset == 0 {
		return 0, err
	}
	return pos + offset, nil
}

// vector returns the position of the first element and the length of the vector in slot k
// of the table at pos. The error is nil for a table that the method table has checked.
func (f *flatbuffer) vector(pos int64, k int) (start, n int64, err error) {
	at, err := f.slot(pos, k)
	if err != nil || at == 0 {
		return 0, 0, err
	}
	offset, err := f.number(at, 4)
	if err != nil {
		return 0, 0, err
	}
	n, err = f.number(at+offset, 4)
	return at + offset + 4, n, err
}

// table checks the table at pos and everything in it.
func (f *flatbuffer) table(pos int64, t tableType, depth int) error {
	if depth > deepest {
		return fmt.Errorf("the metadata has more than %d nested tables", deepest)
	}
	if err := f.take(pos, 4); err != nil {
		return err
	}
	slots := t.slots()
	for k, s := range slots {
		at, err := f.slot(pos, k)
		if err != nil {
			return err
		}
		if at == 0 || s.kind == slotNumber {
			continue
		}
		offset, err := f.number(at, 4)
		if err != nil {
			return err
		}
		if err := f.inside(pos, k, at+offset, s, depth); err != nil {
			return err
		}
	}
	return nil
}

// inside checks the value that slot k of the table at pos points to. The value is at
// position at.
func (f *flatbuffer) inside(pos int64, k int, at int64, s slot, depth int) error {
	switch s.kind {
	case slotNumber:
		return nil
	case slotTable:
		return f.table(at, s.table, depth+1)
	case slotType, slotHeader:
		kind, err := f.slot(pos, k-1)
		if err != nil || kind == 0 {
			return errors.Join(errMetadata, err)
		}
		b, err := f.at(kind, 1)
		if err != nil {
			return err
		}
		of, err := typeTable(b[0])
		if s.kind == slotHeader {
			of, err = headerTable(b[0])
		}
		if err != nil {
			return err
		}
		return f.table(at, of, depth+1)
	case slotText, slotNumbers, slotTables:
	}
	n, err := f.number(at, 4)
	if err != nil {
		return err
	}
	size := map[slotKind]int64{slotText: 1, slotNumbers: s.size, slotTables: 4}[s.kind]
	if err := f.take(at+4, n*size); err != nil {
		return err
	}
	for i := range n {
		if s.kind != slotTables {
			break
		}
		pos := at + 4 + 4*i
		offset, err := f.number(pos, 4)
		if err != nil {
			return err
		}
		if err := f.table(pos+offset, s.table, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// typeTable returns the table of a column type. The types are numbered as in Schema.fbs.
func typeTable(kind byte) (tableType, error) {
	const timestamp, union, last = 10, 14, 26
	switch {
	case kind == 0 || kind > last:
		return 0, fmt.Errorf("unknown Arrow column type %d", kind)
	case kind == timestamp:
		return tableTimestamp, nil
	case kind == union:
		return tableUnion, nil
	}
	return tableNumbers, nil
}

// These are the kinds of messages, numbered as in Message.fbs.
const (
	headerSchema = 1 + iota
	headerDictionary
	headerBatch
)

func headerTable(kind byte) (tableType, error) {
	switch kind {
	case headerSchema:
		return tableSchema, nil
	case headerDictionary:
		return tableDictionaryBatch, nil
	case headerBatch:
		return tableBatch, nil
	}
	return 0, fmt.Errorf("expected a message with a schema or a batch, got kind %d", kind)
}
