package arrow

import (
	"errors"
	"fmt"
	"io"

	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// pageCheck checks the columns of a Parquet file before arrow-go reads them. arrow-go
// allocates memory for the column lengths and value counts that the file claims, and does
// not always use the allocator. If Go runs out of memory, the process ends.
type pageCheck struct {
	file io.ReaderAt
	size int64
	raw  *file.Reader
	mem  *allocator
}

// places returns an error if a column of a row group is outside of the file, or if two
// columns share bytes.
func (p *pageCheck) places() error {
	var all []extent
	for _, group := range p.raw.MetaData().RowGroups {
		for _, column := range group.Columns {
			m := column.GetMetaData()
			if m == nil {
				continue // arrow-go returns an error when the column is read
			}
			e := extent{m.GetDataPageOffset(), m.GetTotalCompressedSize()}
			if d := m.GetDictionaryPageOffset(); m.IsSetDictionaryPageOffset() && d > 0 && d < e.at {
				e.at = d
			}
			if e.at < 0 || e.n < 0 || e.at > p.size || e.n > p.size-e.at {
				return fmt.Errorf("a column of %d bytes at offset %d does not fit in a file of %d bytes: %w",
					e.n, e.at, p.size, io.ErrUnexpectedEOF)
			}
			if m.GetNumValues() > 0 { // otherwise writers leave out the pages, but not always the lengths
				all = append(all, e)
			}
		}
	}
	return distinct(all)
}

// These are the kinds of pages, and the encodings, by their numbers in parquet.thrift.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3

	encodingDelta       = 5 // DELTA_BINARY_PACKED
	encodingDeltaLength = 6 // DELTA_LENGTH_BYTE_ARRAY
	encodingDeltaBytes  = 7 // DELTA_BYTE_ARRAY
)

// pageHeader is the part of a page's header that arrow-go trusts.
type pageHeader struct {
	kind         int64
	packed, size int64 // bytes in the file, and decompressed
	values       int64 // of a data page
	rows         int64 // the number of rows that arrow-go counts
	words        int64 // of a dictionary
	encoding     int64
	compressed   bool
	whole        bool // the header has the number of values
}

// check checks the pages of a column in a row group.
func (p *pageCheck) check(group, column int) error {
	chunk, err := p.raw.MetaData().RowGroup(group).ColumnChunk(column)
	if err != nil {
		return err
	}
	at := chunk.DataPageOffset()
	if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 {
		at = min(at, chunk.DictionaryPageOffset())
	}
	end := at + chunk.TotalCompressedSize()
	if p.raw.MetaData().WriterVersion().LessThan(metadata.Parquet816FixedVersion) {
		const padding = 100 // old writers left out the header of the dictionary, so arrow-go reads more
		end = min(end+padding, p.size)
	}
	delta := false
	for seen := int64(0); at < end && seen < chunk.NumValues(); {
		h, n, err := p.header(at, end)
		if err != nil {
			return err
		}
		if err := p.claims(h, chunk.Type(), column); err != nil {
			return err
		}
		at += n + h.packed
		seen += h.rows
		delta = delta || h.encoding >= encodingDelta && h.encoding <= encodingDeltaBytes
	}
	if delta {
		return p.deltas(group, column)
	}
	return nil
}

// header reads the page header at an offset, and also returns the header's length.
func (p *pageCheck) header(at, end int64) (h pageHeader, n int64, err error) {
	const most = 16 << 20 // arrow-go's limit
	for n = 1 << 10; ; n *= 4 {
		b := make([]byte, min(n, end-at))
		if _, err := p.file.ReadAt(b, at); err != nil {
			return h, 0, early(err)
		}
		w := thriftWalk{b: b, numbers: map[thriftPath]int64{}}
		if err = w.structure(0, 0); err == nil {
			return headerOf(w.numbers), int64(len(b) - len(w.b)), nil
		}
		if n >= end-at || n >= most || !errors.Is(err, errThrift) {
			return h, 0, err
		}
	}
}

// headerOf returns a page's header, whose fields are numbered as in parquet.thrift.
func headerOf(numbers map[thriftPath]int64) pageHeader {
	const data, dictionary, dataV2 = 5, 7, 8
	h := pageHeader{
		kind: numbers[thriftPath{1, 0}], size: numbers[thriftPath{2, 0}], packed: numbers[thriftPath{3, 0}],
		words: numbers[thriftPath{dictionary, 1}], compressed: true,
	}
	counts := map[int64]thriftPath{pageData: {data, 1}, pageDictionary: {dictionary, 1}, pageDataV2: {dataV2, 1}}
	_, h.whole = numbers[counts[h.kind]]
	switch h.kind {
	case pageData:
		h.values, h.encoding = numbers[thriftPath{data, 1}], numbers[thriftPath{data, 2}]
		h.rows = h.values
	case pageDataV2:
		h.values, h.encoding = numbers[thriftPath{dataV2, 1}], numbers[thriftPath{dataV2, 4}]
		h.rows = numbers[thriftPath{dataV2, 3}]
		if c, ok := numbers[thriftPath{dataV2, 7}]; ok {
			h.compressed = c == 1
		}
	}
	return h
}

// claims checks the numbers in a page's header.
func (p *pageCheck) claims(h pageHeader, t pq.Type, column int) error {
	width, text := int64(0), false // the least number of bytes of a value
	switch t {
	case pq.Types.Int32, pq.Types.Float:
		width = 4
	case pq.Types.Int64, pq.Types.Double:
		width = 8
	case pq.Types.Int96:
		width = 12
	case pq.Types.ByteArray:
		width, text = 4, true
	case pq.Types.FixedLenByteArray:
		width, text = int64(p.raw.MetaData().Schema.Column(column).TypeLength()), true
	}
	switch {
	case h.kind != pageData && h.kind != pageDictionary && h.kind != pageDataV2:
		return fmt.Errorf("a page has the unknown kind %d", h.kind)
	case h.packed < 0 || h.size < 0 || h.values < 0 || h.rows < 0 || h.words < 0:
		return errors.New("the header of a page has a negative number")
	case !h.whole:
		return fmt.Errorf("a page of kind %d lacks the number of its values", h.kind)
	case h.kind == pageDataV2 && !h.compressed && h.packed != h.size:
		return fmt.Errorf("an uncompressed page has %d bytes, but takes %d in the file", h.size, h.packed)
	case width > 0 && h.words > h.size/width:
		return fmt.Errorf("a dictionary has %d values in only %d bytes", h.words, h.size)
	case text:
		const header = 24 // of a slice, which arrow-go makes for each value
		return p.mem.fits(header * h.values)
	}
	return nil
}
