package htmlpage

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// The payload is compressed with gzip. It contains the length of the header as a uint32,
// the header as JSON, zeros up to a multiple of 8, and the columns. Each column starts at
// a multiple of 8. Numbers are little-endian. The header has each column's type, position
// and length.

// Column describes the position of a column in the payload. The header contains a Column
// for each column.
type Column struct {
	Type   string `json:"type"` // element type: a letter and the number of bits, such as "f64"
	Offset int    `json:"offset"`
	Length int    `json:"length"`
}

// Columns collects the columns of a payload.
type Columns struct{ blob []byte }

// Add adds a column of numbers. name is the type: "u8", "u32", "i32", "u64" or "f64".
func Add[T uint8 | uint32 | int32 | uint64 | float64](c *Columns, name string, v []T) Column {
	c.blob = pad(c.blob)
	at := len(c.blob)
	var err error
	if c.blob, err = binary.Append(c.blob, binary.LittleEndian, v); err != nil {
		panic(err) // Only a type without a fixed size fails here.
	}
	return Column{name, at, len(v)}
}

func pad(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// Write writes the payload: the header and the columns, compressed.
func (c *Columns) Write(w io.Writer, header any) error {
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("htmlpage: %w", err)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	for _, b := range [][]byte{pad(append(head, text...)), c.blob} {
		if _, err := z.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}
