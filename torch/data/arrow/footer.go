package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

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

// deepestGroup is the limit on nested groups of columns.
const deepestGroup = 64

// nesting returns an error if the groups of the schema are nested too deeply.
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
			return errThrift
		}
		if n > 0 {
			open = append(open, n)
		}
		if len(open) > deepestGroup {
			return fmt.Errorf("a column has more than %d nested groups", deepestGroup)
		}
	}
	return nil
}
