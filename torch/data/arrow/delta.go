package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// deltas checks the pages of a column whose values are stored as differences.
func (p *pageCheck) deltas(group, column int) error {
	pages, err := p.raw.RowGroup(group).GetColumnPageReader(column)
	if err != nil {
		return err
	}
	defer func() { _ = pages.Close() }() // it was only read
	of := p.raw.MetaData().Schema.Column(column)
	for pages.Next() {
		var levels int64
		var err error
		switch page := pages.Page().(type) {
		case *file.DataPageV1:
			levels, err = levelsV1(page, of)
		case *file.DataPageV2:
			levels = int64(page.RepetitionLevelByteLen()) + int64(page.DefinitionLevelByteLen())
		default:
			continue
		}
		page := pages.Page()
		if err == nil && levels > int64(len(page.Data())) {
			err = errDelta
		}
		if err == nil {
			err = p.delta(int64(page.Encoding()), page.Data()[levels:])
		}
		if err != nil {
			return err
		}
	}
	return pages.Err()
}

// levelsV1 returns the number of bytes that the levels before a page's values take.
func levelsV1(page *file.DataPageV1, of *schema.Column) (n int64, err error) {
	b := page.Data()
	for _, l := range []struct {
		most     int16
		encoding int
	}{
		{of.MaxRepetitionLevel(), int(page.RepetitionLevelEncoding())},
		{of.MaxDefinitionLevel(), int(page.DefinitionLevelEncoding())},
	} {
		const rle = 3 // in parquet.thrift
		switch {
		case l.most == 0:
			continue
		case l.encoding != rle:
			return 0, errors.New("a page with delta-encoded values has levels that are not run-length encoded")
		case len(b) < 4:
			return 0, errDelta
		}
		size := 4 + int64(binary.LittleEndian.Uint32(b))
		if size > int64(len(b)) {
			return 0, errDelta
		}
		n, b = n+size, b[size:]
	}
	return n, nil
}

var errDelta = errors.New("the delta-encoded values end too early")

// delta checks the values of a page in one of the encodings that store differences.
func (p *pageCheck) delta(encoding int64, b []byte) error {
	switch encoding {
	case encodingDelta, encodingDeltaLength:
		_, err := p.differences(b, nil)
		return err
	case encodingDeltaBytes:
	default:
		return nil
	}
	// A text is stored as the length of the prefix that it shares with the previous text,
	// and its remaining bytes. The texts may therefore be much longer than the page.
	var shared []int64
	b, err := p.differences(b, func(n int64) error {
		shared = append(shared, n)
		return nil
	})
	if err != nil {
		return err
	}
	i, total := 0, int64(0)
	_, err = p.differences(b, func(n int64) error {
		if i >= len(shared) || n < 0 || n > 1<<31 || shared[i] < 0 || shared[i] > 1<<31 {
			return errDelta
		}
		total += shared[i] + n
		i++
		return p.mem.fits(total)
	})
	return err
}

// differences reads numbers in the encoding DELTA_BINARY_PACKED, and returns the bytes
// after them. If use is nil, it checks only the sizes at the start.
func (p *pageCheck) differences(b []byte, use func(n int64) error) ([]byte, error) {
	var head [3]uint64 // numbers in a block, parts of a block, and numbers in total
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errDelta
		}
		head[i], b = v, b[n:]
	}
	const most = 1<<32 - 1
	if head[0] == 0 || head[0] > most || head[1] == 0 || head[1] > head[0] || head[0]%head[1] != 0 ||
		head[0]/head[1]%32 != 0 || head[2] > most {
		return nil, fmt.Errorf("invalid delta encoding: blocks of %d numbers in %d parts, %d numbers in total",
			head[0], head[1], head[2])
	}
	each, left := int64(head[0]/head[1]), int64(head[2]) //nolint:gosec // less than most
	const number = 8
	if err := p.mem.fits(number * each); err != nil {
		return nil, err
	}
	if err := p.mem.fits(number * left); err != nil || use == nil {
		return nil, err
	}
	last, b, err := signed(b)
	if err != nil || left == 0 {
		return b, err
	}
	if err := use(last); err != nil {
		return nil, err
	}
	for left--; left > 0; {
		var least int64
		if least, b, err = signed(b); err != nil {
			return nil, err
		}
		if uint64(len(b)) < head[1] {
			return nil, errDelta
		}
		widths := b[:head[1]]
		b = b[head[1]:]
		for _, width := range widths {
			if left == 0 {
				break
			}
			size := each * int64(width) / 8
			if width > 32 || size > int64(len(b)) {
				return nil, errDelta
			}
			for i := range min(each, left) {
				last += least + bitsAt(b, i*int64(width), width)
				if err := use(int64(int32(last))); err != nil { //nolint:gosec // what arrow-go takes it for
					return nil, err
				}
			}
			left -= min(each, left)
			b = b[size:]
		}
	}
	return b, nil
}

// signed reads a variable-length signed number, and returns the bytes after it.
func signed(b []byte) (int64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errDelta
	}
	return unzigzag(v), b[n:], nil
}

// bitsAt returns the number that is stored in b at a bit position, in width bits. width
// is at most 32.
func bitsAt(b []byte, at int64, width byte) int64 {
	var v uint64
	for i := range min(8, len(b)-int(at/8)) {
		v |= uint64(b[int(at/8)+i]) << (8 * i)
	}
	return int64(v >> (at % 8) & (1<<width - 1)) //nolint:gosec // at most 32 bits
}
