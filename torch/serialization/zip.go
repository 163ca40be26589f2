package serialization

import (
	"archive/zip"
	"bufio"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"strings"
)

// The format of PyTorch 1.6 and later: a zip archive with one folder, in which data.pkl
// is the pickle and data/KEY the bytes of a storage, neither compressed.

// inflation is how many times its file's size what is compressed in an archive may have.
// PyTorch compresses nothing; archives that were packed again are smaller by less.
const inflation = 16

// archive is such a file.
type archive struct {
	*reading
	prefix  string
	entries map[string]*zip.File
}

func (l *reading) readZip(use func(any) error) error {
	z, err := zip.NewReader(l.r, l.size)
	if err != nil {
		return l.fail(zipKind(err), -1, "a damaged zip archive: %v", err)
	}
	a := &archive{reading: l, entries: make(map[string]*zip.File, len(z.File))}
	l.source = a
	if err := a.index(z.File); err != nil {
		return err
	}
	if err := a.order(); err != nil {
		return err
	}
	data := a.entries["data.pkl"]
	base, r, err := a.reader(data)
	if err != nil {
		return err
	}
	u := l.pickle(bufio.NewReaderSize(r, 1<<16), base)
	var top any
	if err := u.RunAny(func(v any) { top = v }); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // to the end, where the checksum is
		return err
	}
	return use(top)
}

// zipKind is the kind of an error of archive/zip. It says ErrFormat for an archive whose
// end is missing too, where the directory is.
func zipKind(err error) error {
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return ErrFormat
}

// index finds the folder and its entries, and sums up what they take.
func (a *archive) index(files []*zip.File) error {
	if len(files) == 0 {
		return a.fail(ErrFormat, -1, "a zip archive without entries")
	}
	var ok bool
	for _, f := range files {
		if folder, name, found := strings.Cut(f.Name, "/"); found && name == "data.pkl" {
			a.prefix, ok = folder+"/", true
			break
		}
	}
	if !ok {
		return a.fail(ErrFormat, -1, "a zip archive without data.pkl: no file that torch.save wrote")
	}
	left, inflated := a.size, inflation*a.size+1<<20
	for _, f := range files {
		name, ours := strings.CutPrefix(f.Name, a.prefix)
		if !ours {
			continue
		}
		if a.entries[name] != nil {
			return a.fail(ErrFormat, -1, "entry %.80q is there twice", f.Name)
		}
		a.entries[name] = f
		left -= int64(min(f.CompressedSize64, 1<<62))
		inflated -= int64(min(f.UncompressedSize64, 1<<62))
		switch {
		case left < 0:
			return a.fail(ErrFormat, -1, "entries that are larger than the file together, at %.80q", f.Name)
		case inflated < 0:
			return a.fail(ErrFormat, -1, "entries that grow to more than %d times the file, at %.80q", inflation, f.Name)
		case f.Method == zip.Store && f.CompressedSize64 != f.UncompressedSize64:
			return a.fail(ErrFormat, -1, "entry %.80q of %d bytes in %d, without compression", f.Name, f.UncompressedSize64, f.CompressedSize64)
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return a.fail(ErrUnsupported, -1, "entry %.80q is compressed by method %d", f.Name, f.Method)
		case f.Flags&1 != 0:
			return a.fail(ErrUnsupported, -1, "entry %.80q is encrypted", f.Name)
		}
	}
	if a.entries["constants.pkl"] != nil {
		return a.fail(ErrUnsupported, -1, "a TorchScript archive, which torch.jit.save wrote: it holds a program, no values")
	}
	return nil
}

// order reads which byte order the numbers have.
func (a *archive) order() error {
	f := a.entries["byteorder"]
	if f == nil {
		return nil // little, as all that PyTorch wrote before it said so
	}
	_, r, err := a.reader(f)
	if err != nil {
		return err
	}
	word, err := io.ReadAll(io.LimitReader(r, 16))
	if err != nil {
		return err
	}
	switch string(word) {
	case "little":
	case "big":
		a.swapped = true
	default:
		return a.fail(ErrFormat, -1, "byte order %q", word)
	}
	return nil
}

// reader returns where the bytes of an entry begin, 0 if it is compressed, and a reader of
// them, which compares the checksum at their end.
func (a *archive) reader(f *zip.File) (int64, io.Reader, error) {
	if f.Method != zip.Store {
		rc, err := f.Open()
		if err != nil {
			return 0, nil, a.fail(ErrFormat, -1, "entry %.80q: %v", f.Name, err)
		}
		return 0, io.LimitReader(rc, int64(f.UncompressedSize64)), nil
	}
	at, err := a.begin(f)
	if err != nil {
		return 0, nil, err
	}
	r := io.Reader(io.NewSectionReader(a.r, at, int64(f.UncompressedSize64)))
	if a.verify && f.CRC32 != 0 {
		r = &summed{r: r, sum: crc32.NewIEEE(), left: int64(f.UncompressedSize64), want: f.CRC32, bad: func(have uint32) error {
			return a.fail(ErrFormat, at, "entry %.80q: checksum %08x, where %08x is expected", f.Name, have, f.CRC32)
		}}
	}
	return at, r, nil
}

// begin is where the bytes of an entry begin.
func (a *archive) begin(f *zip.File) (int64, error) {
	at, err := f.DataOffset()
	if err != nil {
		return 0, a.fail(ErrFormat, -1, "entry %.80q: %v", f.Name, err)
	}
	if n := int64(f.CompressedSize64); at < 0 || n > a.size-at {
		return 0, a.fail(ErrTruncated, at, "entry %.80q of %d bytes, of which the file has %d", f.Name, n, max(a.size-at, 0))
	}
	return at, nil
}

func (a *archive) room(s *storage) int64 {
	if f := a.entries["data/"+s.key]; f != nil {
		return int64(f.UncompressedSize64)
	}
	return -1
}

func (a *archive) place(s *storage) (int64, bool) {
	f := a.entries["data/"+s.key]
	if f == nil || f.Method != zip.Store {
		return 0, false
	}
	at, err := a.begin(f)
	return at, err == nil
}

func (a *archive) open(s *storage) (io.Reader, error) {
	_, r, err := a.reader(a.entries["data/"+s.key])
	return r, err
}

// summed compares a checksum once all has been read, in place of the end.
type summed struct {
	r    io.Reader
	sum  hash.Hash32
	left int64
	want uint32
	bad  func(have uint32) error
}

// Read implements io.Reader.
func (s *summed) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	_, _ = s.sum.Write(b[:n]) // never fails
	s.left -= int64(n)
	if s.left == 0 && n == 0 && s.sum.Sum32() != s.want {
		return n, s.bad(s.sum.Sum32())
	}
	return n, err
}
