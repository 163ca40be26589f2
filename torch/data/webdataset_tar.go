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
	Fields []WebField // the files of the sample, in the order of the shard
}

// WebField is a file of a [WebSample].
type WebField struct {
	Ext  string // in lower case, without the leading dot: "jpg", "left.png"
	Data []byte
}

// Field returns the bytes of a field; ok is false if the sample does not have it.
func (s *WebSample) Field(ext string) (b []byte, ok bool) {
	mustBeMade("data.WebSample.Field", s != nil)
	for _, f := range s.Fields {
		if f.Ext == ext {
			return f.Data, true
		}
	}
	return nil, false
}

// String returns a string such as "images/7: jpg 5120, cls 1", with the key and the sizes
// of the fields in bytes.
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

// exts returns the extensions of the sample's files, which are the names of its fields.
func (s *WebSample) exts() []string {
	out := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		out[i] = f.Ext
	}
	return out
}

// errStopWalk ends reading the shards after yield has returned false.
var errStopWalk = errors.New("stopped")

// shard passes the samples of a shard to yield and returns errStopWalk once yield has
// returned false. It passes each error to refused, and continues if refused returns nil.
func (s *webSettings) shard(name string, names *memberNames, refused func(error) error,
	yield func(*WebSample) bool,
) error {
	r, err := s.openShard(name)
	if err != nil {
		return refused(err)
	}
	defer func() { _ = r.Close() }()
	const most = 1 << 60 // so that the sum does not overflow
	between := &betweenReader{r: r, most: betweenSamples + min(s.maxField, most) + min(s.maxSample, most)}
	members := tar.NewReader(between)
	b := sampleBuilder{settings: s, shard: name, yield: yield}
	for n := 0; ; n++ {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			// Read past the end of the tar archive. After the archive come padding and the
			// checksum of the compressed data, which the decompressor verifies.
			const padding = 1 << 20
			if _, err = io.CopyN(io.Discard, r, padding); err == nil || errors.Is(err, io.EOF) {
				return b.flush()
			}
		}
		if err != nil { // drop the current sample, because files of it may be missing
			return refused(r.damageError(name, fmt.Sprintf("after %d members", n), err))
		}
		key, ext, ok := names.split(h)
		if !ok {
			continue
		}
		if more, err := b.begin(key); err != nil {
			return err
		} else if !more {
			continue
		}
		text, err := b.read(members, ext)
		if err != nil {
			return refused(r.damageError(name, "in member "+plain.Quote(h.Name), err))
		}
		if problem := b.add(h.Name, ext, text); problem != "" {
			if err := refused(&FileError{Path: name, Kind: torch.ErrFormat, Detail: problem}); err != nil {
				return err
			}
			continue
		}
		between.read = 0
	}
}

// betweenSamples is the number of bytes that a shard may have between two files that
// belong to samples, in addition to MaxFieldBytes and MaxSampleBytes. Without this limit,
// a compressed shard of a megabyte could contain hours of ignored data.
const betweenSamples = 1 << 30

// betweenReader reads a shard and counts the bytes since the last file of a sample.
type betweenReader struct {
	r          io.Reader
	read, most int64
}

// Read implements io.Reader.
func (b *betweenReader) Read(p []byte) (int, error) {
	if b.read > b.most {
		return 0, fmt.Errorf("more than %d bytes between two files of samples; MaxSampleBytes may permit it", b.most)
	}
	n, err := b.r.Read(p)
	b.read += int64(n)
	return n, err
}

// sampleBuilder joins the members of a shard, which are files in a tar archive, into
// samples.
type sampleBuilder struct {
	settings *webSettings
	shard    string
	yield    func(*WebSample) bool

	sample  *WebSample
	fields  map[string]bool // of the sample
	left    int64           // the number of bytes by which the sample may still grow
	dropped string          // the key of the sample that was dropped because it exceeds the limit
}

// flush passes the sample to yield. It returns errStopWalk if yield returns false.
func (b *sampleBuilder) flush() error {
	done := b.sample
	b.sample = nil
	if done != nil && len(done.Fields) > 0 && !b.yield(done) {
		return errStopWalk
	}
	return nil
}

// begin prepares to add a member of the sample with the given key. It returns false if that
// sample was dropped.
func (b *sampleBuilder) begin(key string) (bool, error) {
	if b.sample == nil || b.sample.Key != key {
		if err := b.flush(); err != nil {
			return false, err
		}
	}
	if b.sample == nil {
		if b.dropped == key {
			return false, nil
		}
		b.sample, b.fields = &WebSample{Key: key, Shard: b.shard}, map[string]bool{}
		b.left, b.dropped = b.settings.maxSample, ""
	}
	return true, nil
}

// read reads a member. It stops soon after the limits on sizes are exceeded.
func (b *sampleBuilder) read(r io.Reader, ext string) ([]byte, error) {
	b.left -= int64(len(ext)) + webFieldCost
	return io.ReadAll(io.LimitReader(r, max(min(b.settings.maxField, b.left), 0)+1))
}

// add adds a member to the sample. If it drops the member or the sample, it returns the
// reason.
func (b *sampleBuilder) add(member, ext string, text []byte) (problem string) {
	b.left -= int64(len(text))
	switch {
	case int64(len(text)) > b.settings.maxField:
		b.left += int64(len(text)) // the field is dropped, so its bytes do not count
		return fmt.Sprintf("member %s has more than the %d bytes that MaxFieldBytes allows", plain.Quote(member),
			b.settings.maxField)
	case b.left < 0:
		b.dropped = b.sample.Key
		b.sample = nil
		return fmt.Sprintf("sample %s takes more than the %d bytes that MaxSampleBytes allows", plain.Quote(b.dropped),
			b.settings.maxSample)
	case b.fields[ext]:
		return fmt.Sprintf("member %s: sample %s already has a field %s", plain.Quote(member),
			plain.Quote(b.sample.Key), plain.Quote(ext))
	}
	b.fields[ext] = true
	b.sample.Fields = append(b.sample.Fields, WebField{ext, text})
	return ""
}

// damageError converts an error from reading a shard to a *FileError. The kind is nil if
// the system could not read the source. Otherwise the kind says whether the shard is
// truncated or damaged.
func (c *readerChain) damageError(name, where string, err error) error {
	switch {
	case c.source.err != nil:
		return &FileError{Path: name, Detail: "cannot be read " + where, Err: fileerr.WithoutPath(err)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &FileError{Path: name, Kind: torch.ErrTruncated, Detail: "ends " + where}
	}
	return &FileError{Path: name, Kind: torch.ErrFormat, Detail: "damaged " + where, Err: err}
}

// memberNames parses the names of a shard's members.
type memberNames struct{ parts, meta *regexp.Regexp }

// newWebNames compiles the regular expressions that webdataset uses.
func newWebNames() *memberNames {
	return &memberNames{regexp.MustCompile(`^((?:.*/|)[^.]+)[.]([^/]*)$`), regexp.MustCompile(`^__[^/]*__($|/)`)}
}

// split returns the key and the extension of a regular file. ok is false for other
// members, such as directories.
func (w *memberNames) split(h *tar.Header) (key, ext string, ok bool) {
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
func (s *webSettings) openShard(name string) (*readerChain, error) {
	open := s.open
	if open == nil {
		open = func(name string) (io.ReadCloser, error) {
			f, _, err := files.Open(name)
			if err != nil {
				return nil, openError(name, err)
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
		return nil, openError(name, err)
	}
	if f == nil {
		return nil, &FileError{Path: name, Detail: "OpenShard returned nothing"}
	}
	source := &shardSource{ReadCloser: f}
	c := &readerChain{closers: []io.Closer{f}, source: source}
	if ending, unpack := s.decompressor(name); unpack != nil {
		err = c.decompress(name, ending, unpack)
	} else {
		err = c.decompressKnown(name)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// decompressor returns the function in Decompressors for a shard with the given name, and
// the ending of the name that selects the function. If several endings match, it takes the
// longest.
func (s *webSettings) decompressor(name string) (ending string, unpack func(io.Reader) (io.ReadCloser, error)) {
	for end := range s.decompressors {
		if strings.HasSuffix(name, end) && len(end) >= len(ending) {
			ending = end
		}
	}
	return ending, s.decompressors[ending]
}

// decompress adds the function unpack from Decompressors to the chain.
func (c *readerChain) decompress(name, ending string, unpack func(io.Reader) (io.ReadCloser, error)) error {
	z, err := unpack(c.source)
	switch {
	case err != nil && c.source.err != nil:
		return c.damageError(name, "at its start", err)
	case err != nil:
		return &FileError{Path: name, Kind: torch.ErrFormat, Detail: "cannot be decompressed", Err: err}
	case z == nil:
		return &FileError{Path: name, Detail: fmt.Sprintf("Decompressors[%q] returned nothing", ending)}
	}
	c.Reader, c.closers = z, append(c.closers, z)
	return nil
}

// decompressKnown adds a decompressor if the shard's first bytes show that it is
// compressed by gzip or bzip2.
func (c *readerChain) decompressKnown(name string) error {
	b := bufio.NewReaderSize(c.source, 1<<16)
	magic, err := b.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return c.damageError(name, "at its start", err)
	}
	switch {
	case strings.HasPrefix(string(magic), "\x1f\x8b"):
		z, err := gzip.NewReader(b)
		if err != nil {
			return c.damageError(name, "in its gzip header", err)
		}
		c.Reader = z
	case string(magic) == "BZh":
		c.Reader = bzip2.NewReader(b)
	default:
		c.Reader = b
	}
	return nil
}

// readerChain is a chain of readers. Closing it closes all of them, the last one first.
type readerChain struct {
	io.Reader
	source  *shardSource
	closers []io.Closer
}

// shardSource is the first reader of a chain, which reads the shard itself. It keeps its
// errors, because they do not mean that the shard is damaged.
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

func (c *readerChain) Close() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i].Close())
	}
	return errors.Join(errs...)
}
