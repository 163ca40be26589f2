package ziparchive

import (
	"archive/zip"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// Begin returns the position of an entry's data. It checks that all the data is inside
// the file.
func (a *Archive) Begin(f *zip.File) (int64, error) {
	at, err := f.DataOffset()
	if err != nil {
		return 0, a.damaged(f, err)
	}
	if n := f.CompressedSize64; at < 0 || at > a.Size || n > uint64(a.Size-at) {
		return 0, a.Fail(f, fileerr.ErrTruncated, "%s has %d bytes, of which the file has %d", a.entry(f), n,
			max(a.Size-at, 0))
	}
	return at, nil
}

// Open returns a reader of an entry, limited to the length in the directory. If the entry
// is shorter, the reader returns an error. If sums is set, or the entry is compressed, a
// wrong checksum is an error too. The reader need not be closed.
func (a *Archive) Open(f *zip.File, sums bool) (io.Reader, error) {
	if err := a.readable(f); err != nil {
		return nil, err
	}
	at, err := a.Begin(f)
	if err != nil {
		return nil, err
	}
	r := &entry{a: a, f: f, left: f.UncompressedSize64}
	if f.Method == zip.Store {
		r.r = io.NewSectionReader(a.Reader, at, int64(f.UncompressedSize64))
		if sums && f.CRC32 != 0 {
			r.sum = crc32.NewIEEE()
		}
		return r, nil
	}
	c, err := f.Open()
	if err != nil {
		return nil, a.damaged(f, err)
	}
	r.r, r.close = c, c
	return r, nil
}

// Read returns the contents of an entry and checks the checksum.
func (a *Archive) Read(f *zip.File) ([]byte, error) {
	r, err := a.Open(f, true)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Check reads an entry to its end and checks the checksum.
func (a *Archive) Check(f *zip.File) error {
	r, err := a.Open(f, true)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

// entry reads an entry, and adds the archive and the entry's name to errors.
type entry struct {
	a     *Archive
	f     *zip.File
	r     io.Reader
	close io.Closer   // nil if there is nothing to close
	sum   hash.Hash32 // nil if the checksum is not compared
	left  uint64
	err   error // the last error
}

// Read implements io.Reader.
func (e *entry) Read(b []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.r.Read(b)
	if e.sum != nil {
		_, _ = e.sum.Write(b[:n]) // never fails
	}
	e.left -= min(uint64(n), e.left)
	if err == nil {
		return n, nil
	}
	switch {
	case err != io.EOF: //nolint:errorlint // an end is io.EOF itself
		err = e.a.damaged(e.f, err)
	case e.left > 0:
		err = e.a.damaged(e.f, io.ErrUnexpectedEOF)
	case e.sum != nil && e.sum.Sum32() != e.f.CRC32:
		err = e.a.damaged(e.f, fmt.Errorf("the checksum is %08x, expected %08x", e.sum.Sum32(), e.f.CRC32))
	}
	e.err = err
	if e.close != nil {
		_ = e.close.Close() // a file that was only read cannot fail to close
	}
	return n, err
}
