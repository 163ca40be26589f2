package data

import (
	"archive/tar"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// WebSample is the group of files in a shard whose names are equal up to the first dot of
// the last path element. For example, "images/7.jpg" and "images/7.cls" are the fields jpg
// and cls of the sample "images/7".
type WebSample struct {
	Key    string
	Shard  string
	Fields []WebField // in the order of the shard
}

// WebField is a file of a [WebSample].
type WebField struct {
	Ext  string // in lower case, without the leading dot: "jpg", "left.png"
	Data []byte
}

// Field returns the bytes of a field; ok is false if the sample does not have it.
func (s *WebSample) Field(ext string) (b []byte, ok bool) {
	checkMade("data.WebSample.Field", s != nil)
	for _, f := range s.Fields {
		if f.Ext == ext {
			return f.Data, true
		}
	}
	return nil, false
}

// String returns the key and the sizes of the fields, "images/7: jpg 5120, cls 1".
func (s *WebSample) String() string {
	if s == nil {
		return "WebSample(nil)"
	}
	parts := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		parts[i] = fmt.Sprintf("%s %d", plain.Text(f.Ext), len(f.Data))
	}
	return plain.Text(s.Key) + ": " + strings.Join(parts, ", ")
}

// exts returns the names of the fields.
func (s *WebSample) exts() []string {
	out := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = f.Ext
	}
	return out
}

// errStop ends a walk through shards whose yield returned false.
var errStop = errors.New("stopped")

// shard passes the samples of a shard to yield and returns errStop once yield has
// returned false. refused decides about errors: nil continues.
func (s *webSettings) shard(name string, names *webNames, refused func(error) error,
	yield func(*WebSample) bool,
) error {
	r, err := s.openShard(name)
	if err != nil {
		return refused(err)
	}
	defer func() { _ = r.Close() }()
	members := tar.NewReader(r)
	var sample *WebSample
	var there map[string]bool // the fields of the sample
	var left int64            // of its byte limit
	dropped := ""             // the key of a sample over the limit
	flush := func() error {
		done := sample
		sample = nil
		if done != nil && len(done.Fields) > 0 && !yield(done) {
			return errStop
		}
		return nil
	}
	for n := 0; ; n++ {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			// Padding follows, and after it the checksum of the compressed data.
			const padding = 1 << 20
			if _, err = io.CopyN(io.Discard, r, padding); err == nil || errors.Is(err, io.EOF) {
				return flush()
			}
		}
		if err != nil { // the current sample may be incomplete: drop it
			return refused(r.damaged(name, fmt.Sprintf("after %d members", n), err))
		}
		key, ext, ok := names.split(h)
		if !ok {
			continue
		}
		if sample == nil || sample.Key != key {
			if err := flush(); err != nil {
				return err
			}
		}
		if sample == nil {
			if dropped == key {
				continue
			}
			sample, there, left, dropped = &WebSample{Key: key, Shard: name}, map[string]bool{}, s.maxSample, ""
		}
		left -= int64(len(ext)) + webFieldCost
		b, err := io.ReadAll(io.LimitReader(members, max(min(s.maxField, left), 0)+1))
		if err != nil {
			return refused(r.damaged(name, "in member "+plain.Quote(h.Name), err))
		}
		left -= int64(len(b))
		var problem string
		switch {
		case int64(len(b)) > s.maxField:
			left += int64(len(b)) // this field is dropped
			problem = fmt.Sprintf("member %s has more than the %d bytes that MaxFieldBytes allows", plain.Quote(h.Name),
				s.maxField)
		case left < 0:
			problem = fmt.Sprintf("sample %s takes more than the %d bytes that MaxSampleBytes allows", plain.Quote(key),
				s.maxSample)
			sample, dropped = nil, key
		case there[ext]:
			problem = fmt.Sprintf("member %s: sample %s already has a field %s", plain.Quote(h.Name), plain.Quote(key),
				plain.Quote(ext))
		}
		if problem != "" {
			if err := refused(&FileError{Path: name, Kind: torch.ErrFormat, Detail: problem}); err != nil {
				return err
			}
			continue
		}
		there[ext] = true
		sample.Fields = append(sample.Fields, WebField{ext, b})
	}
}

// damaged distinguishes truncation and damage from a source that cannot be read.
func (c *chain) damaged(name, where string, err error) error {
	switch {
	case c.source.err != nil:
		return &FileError{Path: name, Detail: "cannot be read " + where, Err: fileerr.WithoutPath(err)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &FileError{Path: name, Kind: torch.ErrTruncated, Detail: "ends " + where}
	}
	return &FileError{Path: name, Kind: torch.ErrFormat, Detail: "damaged " + where, Err: err}
}

// webNames parses the names of members.
type webNames struct{ parts, meta *regexp.Regexp }

// newWebNames compiles webdataset's own patterns.
func newWebNames() *webNames {
	return &webNames{regexp.MustCompile(`^((?:.*/|)[^.]+)[.]([^/]*)$`), regexp.MustCompile(`^__[^/]*__($|/)`)}
}

// split returns the key and the field of a regular file; ok is false for others.
func (w *webNames) split(h *tar.Header) (key, ext string, ok bool) {
	if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeCont && h.Typeflag != tar.TypeGNUSparse ||
		w.meta.MatchString(h.Name) {
		return "", "", false
	}
	m := w.parts.FindStringSubmatch(h.Name)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.ToLower(m[2]), true
}

// openShard opens and decompresses a shard.
func (s *webSettings) openShard(name string) (*chain, error) {
	open := s.open
	if open == nil {
		open = func(name string) (io.ReadCloser, error) {
			f, _, err := files.Open(name)
			if err != nil {
				return nil, opened(name, err)
			}
			return f, nil
		}
	}
	f, err := open(name)
	if err != nil {
		var fe *FileError
		if s.open == nil && errors.As(err, &fe) {
			return nil, fe
		}
		return nil, opened(name, err)
	}
	if f == nil {
		return nil, &FileError{Path: name, Detail: "OpenShard returned nothing"}
	}
	source := &shardSource{ReadCloser: f}
	c := &chain{closers: []io.Closer{f}, source: source}
	ending := ""
	for end := range s.decompressors {
		if strings.HasSuffix(name, end) && len(end) >= len(ending) {
			ending = end
		}
	}
	if unpack := s.decompressors[ending]; unpack != nil {
		z, err := unpack(source)
		if err != nil {
			_ = c.Close()
			if source.err != nil {
				return nil, c.damaged(name, "at its start", err)
			}
			return nil, &FileError{Path: name, Kind: torch.ErrFormat, Detail: "cannot be decompressed", Err: err}
		}
		if z == nil {
			_ = c.Close()
			return nil, &FileError{Path: name, Detail: fmt.Sprintf("Decompressors[%q] returned nothing", ending)}
		}
		c.Reader, c.closers = z, append(c.closers, z)
		return c, nil
	}
	b := bufio.NewReaderSize(source, 1<<16)
	magic, err := b.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		_ = c.Close()
		return nil, c.damaged(name, "at its start", err)
	}
	switch {
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		z, err := gzip.NewReader(b)
		if err != nil {
			_ = c.Close()
			return nil, c.damaged(name, "in its gzip header", err)
		}
		c.Reader = z
	case string(magic) == "BZh":
		c.Reader = bzip2.NewReader(b)
	default:
		c.Reader = b
	}
	return c, nil
}

// chain is a chain of readers. Closing it closes all of them, the last one first.
type chain struct {
	io.Reader
	source  *shardSource
	closers []io.Closer
}

// shardSource is the first reader of a chain. Its errors do not mean that the file is
// damaged.
type shardSource struct {
	io.ReadCloser
	err error // the last error other than io.EOF
}

// Read implements io.Reader.
func (s *shardSource) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.err = err
	}
	return n, err
}

func (c *chain) Close() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i].Close())
	}
	return errors.Join(errs...)
}
