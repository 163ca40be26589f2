package arrow

import (
	"context"
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
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	pages := pageCheck{f, info.Size(), raw, mem}
	if err := pages.places(); err != nil {
		return nil, err
	}
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
			t, err := readColumn(r, &pages, i, leaves(&r.Manifest.Fields[c]))
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

// readColumn reads the rows of a row group in the given leaves, which make up a column.
func readColumn(r *pqarrow.FileReader, pages *pageCheck, group int, leaves []int) (arrow.Table, error) {
	for _, leaf := range leaves {
		if err := pages.check(group, leaf); err != nil {
			return nil, err
		}
	}
	t, err := r.ReadRowGroups(context.Background(), leaves, []int{group})
	if err != nil {
		return nil, err
	}
	if want := pages.raw.RowGroup(group).NumRows(); t.NumRows() != want {
		t.Release()
		return nil, fmt.Errorf("row group %d has only %d of %d rows: %w", group, t.NumRows(), want, io.ErrUnexpectedEOF)
	}
	return t, nil
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
