package arrow

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// If [MemoryLimit] is not given, the limit is the larger of leastLimit and expansion times
// the size of the file.
const (
	leastLimit = 1 << 30
	expansion  = 64
)

// limitError is the error for exceeding the memory limit. An allocator panics with it.
type limitError struct{ asked, limit int64 }

func (e *limitError) Error() string {
	return fmt.Sprintf("%d bytes are needed, but MemoryLimit is %d", e.asked, e.limit)
}

// allocator allocates memory for arrow-go up to a limit, and panics beyond the limit. Each
// pass has its own allocator, which only one goroutine uses.
type allocator struct {
	memory.Allocator
	limit int64
	kept  int64 // for the tensors
	used  int64 // bytes allocated for the current batch

	held         int64           // for the dictionaries of a stream, which later batches may use
	dictionaries map[int64]int64 // the bytes of each dictionary in held, by its number
	reading      *dictionary     // the dictionary that is being read, or nil
}

// dictionary is a message of a stream with a dictionary, or with more words for one.
type dictionary struct {
	id    int64
	delta bool
	used  int64 // used when the message began
}

// newAllocator returns an allocator for a file of size bytes.
func newAllocator(s settings, size int64) *allocator {
	limit := max(leastLimit, expansion*size)
	if s.limited {
		limit = s.limit
	}
	return &allocator{Allocator: memory.NewGoAllocator(), limit: limit}
}

// next begins a batch. The previous batch must no longer be in use.
func (a *allocator) next() {
	a.dictionaryEnd()
	a.used = 0
}

// dictionaryBegin tells that memory is allocated for a dictionary until dictionaryEnd is called.
func (a *allocator) dictionaryBegin(id int64, delta bool) { a.reading = &dictionary{id, delta, a.used} }

// dictionaryEnd counts the memory of a dictionary, if one was being read, for all later batches.
func (a *allocator) dictionaryEnd() {
	d := a.reading
	if d == nil {
		return
	}
	a.reading = nil
	n := max(a.used-d.used, 0)
	a.used -= n
	if a.dictionaries == nil {
		a.dictionaries = map[int64]int64{}
	}
	before := a.dictionaries[d.id]
	if d.delta {
		n += before
	}
	a.dictionaries[d.id] = n
	a.held += n - before
}

// keep counts n bytes that stay in use until the whole table is read, and returns an error if
// they exceed the limit.
func (a *allocator) keep(n int64) error {
	if a.kept += n; a.kept > a.limit-a.held {
		return &limitError{a.kept + a.held, a.limit}
	}
	return nil
}

func (a *allocator) take(n int64) {
	if err := a.fits(n); err != nil {
		panic(err)
	}
	a.used += n
}

// need counts n elements of each bytes for the current batch, and returns an error if they exceed
// the limit.
func (a *allocator) need(n, each int64) error {
	if each > 0 && n > math.MaxInt64/each {
		n = math.MaxInt64 / each
	}
	if err := a.fits(n * each); err != nil {
		return err
	}
	a.used += n * each
	return nil
}

// fits returns an error if n more bytes would exceed the limit. It is for memory that
// arrow-go allocates without the allocator.
func (a *allocator) fits(n int64) error {
	if n < 0 || n > a.limit-a.kept-a.held-a.used {
		return &limitError{a.kept + a.held + a.used + n, a.limit}
	}
	return nil
}

// Allocate implements [memory.Allocator].
func (a *allocator) Allocate(size int) []byte {
	a.take(int64(size))
	return a.Allocator.Allocate(size)
}

// Reallocate implements [memory.Allocator].
func (a *allocator) Reallocate(size int, b []byte) []byte {
	if grow := int64(size) - int64(len(b)); grow > 0 {
		a.take(grow)
	} else {
		a.used += grow
	}
	return a.Allocator.Reallocate(size, b)
}

// Free implements [memory.Allocator].
func (a *allocator) Free(b []byte) {
	a.used = max(0, a.used-int64(len(b)))
	a.Allocator.Free(b)
}

// init replaces two Parquet codecs that allocate as much memory as the compressed data
// claims: Snappy up to 4 GB and Zstandard up to 64 GB. The new codecs stop when the page is
// full; arrow-go would reject the rest anyway.
func init() { //nolint:gochecknoinits // arrow-go has no other place for it
	codecs := compress.Codecs
	compress.RegisterCodec(codecs.Snappy, snappyCodec{codec(codecs.Snappy)})
	decoder := sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
	})
	compress.RegisterCodec(codecs.Zstd, zstdCodec{codec(codecs.Zstd), decoder})
}

// streamed is the interface that arrow-go's own Snappy and Zstandard codecs implement.
type streamed interface {
	compress.ErrorCodec
	compress.StreamingCodec
}

func codec(c compress.Compression) streamed {
	found, err := compress.GetCodec(c)
	if err != nil {
		panic(err)
	}
	return found.(streamed)
}

var errFull = errors.New("the compressed data is larger than the file claims")

type snappyCodec struct{ streamed }

// DecodeWithError implements [compress.ErrorCodec].
func (c snappyCodec) DecodeWithError(dst, src []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && dst != nil && n > len(dst) {
		err = errFull
	}
	if err != nil {
		return nil, err
	}
	return c.streamed.DecodeWithError(dst, src)
}

type zstdCodec struct {
	streamed
	decoder func() (*zstd.Decoder, error)
}

// DecodeWithError implements [compress.ErrorCodec].
func (c zstdCodec) DecodeWithError(dst, src []byte) ([]byte, error) {
	if dst == nil {
		return c.streamed.DecodeWithError(dst, src)
	}
	d, err := c.decoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}
