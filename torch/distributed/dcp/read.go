package dcp

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// sortedReads returns the chunks to read, sorted by file and position.
func (l *loader) sortedReads() []*read {
	all := make([]*read, 0, len(l.reads))
	for _, r := range l.reads {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *read) int {
		return cmp.Or(cmp.Compare(a.chunk.File, b.chunk.File), cmp.Compare(a.chunk.Start, b.chunk.Start))
	})
	return all
}

// checkFiles checks that the files contain all chunks that will be read.
func (l *loader) checkFiles() error {
	last := ""
	size := int64(0)
	for _, r := range l.sortedReads() {
		path := filepath.Join(l.dir, r.chunk.File)
		if r.chunk.File != last {
			f, n, err := fileerr.Open(format, path)
			if err != nil {
				return withPlace(err, path, r.item.Name)
			}
			_ = f.Close() // nothing was read
			last, size = r.chunk.File, n
		}
		if err := l.checkBytes(r.place, path, size); err != nil {
			return err
		}
	}
	return nil
}

// checkBytes checks that a file of size bytes contains the chunk p, and that the chunk can be read.
func (l *loader) checkBytes(p place, path string, size int64) error {
	if len(p.chunk.Transforms) > 0 {
		return fileError(path, p.item.Name, torch.ErrUnsupported,
			"the value was written with unsupported transforms %.200q", p.chunk.Transforms)
	}
	if end := p.chunk.Start + p.chunk.Length; end > size {
		e := fileError(path, p.item.Name, torch.ErrTruncated, "the value's bytes end at %d, but the file ends at %d",
			end, size)
		e.Offset = size
		return e
	}
	return nil
}

// withPlace adds the file and the value to an error.
func withPlace(err error, path, name string) error {
	var fe *torch.FileError
	if errors.As(err, &fe) {
		fe.Path, fe.Tensor = path, name
	}
	return err
}

// value reads a value that is not a tensor.
func (l *loader) value(item *Item) (any, error) {
	c := &item.Chunks[0]
	path := filepath.Join(l.dir, c.File)
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, withPlace(err, path, item.Name)
	}
	defer func() { _ = f.Close() }() // an error does not matter after reading
	if err := l.checkBytes(place{item, c}, path, size); err != nil {
		return nil, err
	}
	v, err := readArchived(f, path, item, c)
	if err != nil {
		return nil, err
	}
	l.values = append(l.values, v)
	return v, nil
}

// readArchived reads a value that torch.save wrote at a position in a file.
func readArchived(f io.ReaderAt, path string, item *Item, c *Chunk) (any, error) {
	section := io.NewSectionReader(f, c.Start, c.Length)
	if err := checkStored(section, path, item, c); err != nil {
		return nil, err
	}
	v, err := serialization.LoadFrom(section, c.Length, serialization.MapLocation(torch.CPU))
	if err == nil {
		return v, nil
	}
	var fe *torch.FileError
	if !errors.As(err, &fe) {
		return nil, err
	}
	fe.Format, fe.Path, fe.Tensor = format, path, item.Name
	if fe.Offset >= 0 {
		fe.Offset += c.Start
	}
	return nil, fe
}

// checkStored returns an error for an archive with compressed entries, which torch.save does
// not write. Package serialization allows each archive to grow by a mebibyte, but a
// checkpoint may have thousands of archives in each megabyte.
func checkStored(r io.ReaderAt, path string, item *Item, c *Chunk) error {
	z, err := ziparchive.New(ziparchive.Source{Format: format, Path: path, Reader: r, Size: c.Length})
	if err != nil {
		return nil //nolint:nilerr // package serialization returns a better error
	}
	for _, f := range z.Files {
		if f.Method != zip.Store {
			e := fileError(path, item.Name, torch.ErrUnsupported, "the entry is compressed, unlike those of torch.save")
			e.Offset = c.Start
			return e
		}
	}
	return nil
}

// fill reads the tensors, one chunk at a time.
func (l *loader) fill(ctx context.Context) error {
	all := l.sortedReads()
	var f *os.File
	defer func() {
		if f != nil {
			_ = f.Close() // an error does not matter after reading
		}
	}()
	last := ""
	for i, r := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(l.dir, r.chunk.File)
		if f == nil || r.chunk.File != last {
			if f != nil {
				_ = f.Close() // as above
			}
			var err error
			if f, _, err = fileerr.Open(format, path); err != nil {
				return l.withProgress(withPlace(err, path, r.item.Name), i, len(all))
			}
			last = r.chunk.File
		}
		var err error
		torch.Scope(func() { err = r.fill(f, path) })
		if err != nil {
			return l.withProgress(err, i, len(all))
		}
	}
	return nil
}

// fill reads a chunk and copies its parts to their targets.
func (r *read) fill(f io.ReaderAt, path string) error {
	v, err := readArchived(f, path, r.item, r.chunk)
	if err != nil {
		return err
	}
	defer closeValue(v)
	if p, ok := v.(*serialization.Parameter); ok {
		v = p.Tensor
	}
	t, ok := v.(*torch.Tensor)
	if !ok || t.Layout() != torch.Strided || t.DType() != r.item.DType || !t.Shape().Equal(r.chunk.Size) {
		what := "a value that is not a tensor"
		if ok {
			what = describe(t.DType(), t.Shape())
		}
		e := fileError(path, r.item.Name, torch.ErrFormat, "the file has %s, but .metadata says %s", what,
			describe(r.item.DType, r.chunk.Size))
		e.Offset = r.chunk.Start
		return e
	}
	torch.NoGrad(func() {
		for _, to := range r.targets {
			narrow(to.tensor.Detach(), to.at, to.size).Copy_(narrow(t.Detach(), to.from, to.size))
		}
	})
	return nil
}

// narrow returns a view of a part of a tensor.
func narrow(t *torch.Tensor, at, size []int64) *torch.Tensor {
	shape := t.Shape()
	for d, n := range size {
		if n != shape[d] {
			t = t.Narrow(int64(d), at[d], n)
		}
	}
	return t
}

func closeValue(v any) { serialization.Close(v) }
