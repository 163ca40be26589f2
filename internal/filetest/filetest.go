// Package filetest is what the tests of packages that read files expect of damaged ones.
package filetest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Limit is how much memory a damaged file may take: so many bytes, and so many times its
// size.
type Limit struct{ Bytes, Times int64 }

// Refused has a damaged file read, and checks what every reader owes:
//
//   - a *fileerr.Error, of that kind unless kind is nil, which names the path, the byte or
//     the tensor, says what was wrong, and fits on a screen;
//   - no tensor, no native byte and no mapping left, without waiting for the collector;
//   - allocations of Go and native memory within the limit.
//
// The path is "" for bytes that come from no file, and size is that of the file. It returns
// the error, nil after a failure.
func Refused(t testing.TB, path string, size int64, kind error, limit Limit, read func() error) *fileerr.Error {
	t.Helper()
	e := Bounded(t, path, size, kind, limit, read)
	assert.True(t, e.Offset >= 0 || e.Tensor != "", "neither a byte nor a tensor: %v", e)
	return e
}

// Costs checks that fn allocates at most most bytes of Go, garbage included.
func Costs(t testing.TB, most int64, fn func()) {
	t.Helper()
	before := allocated()
	fn()
	after := allocated()
	assert.LessOrEqual(t, after-before, uint64(most*slack), "bytes of Go") //nolint:gosec // positive
}

// Bounded is [Refused] for readers whose errors name an entry of an archive, or what they
// have looked for, where there is no byte to name.
func Bounded(t testing.TB, path string, size int64, kind error, limit Limit, read func() error) *fileerr.Error {
	t.Helper()
	tensors, before := torch.NumLiveTensors(), allocated()
	var err error
	usage := memory.Track("filetest", func() { err = read() })
	after := allocated()
	most := (limit.Bytes + limit.Times*size) * slack
	assert.LessOrEqual(t, after-before, uint64(most), "bytes of Go for a file of %d", size) //nolint:gosec // positive
	assert.LessOrEqual(t, usage.PeakGrowth(), most, "bytes of native memory for a file of %d", size)
	assert.LessOrEqual(t, usage.Net(), int64(0), "native bytes are left")
	assert.LessOrEqual(t, torch.NumLiveTensors(), tensors, "tensors are left")
	assert.Zero(t, mapped.Live(), "a mapping is left")

	require.Error(t, err)
	var e *fileerr.Error
	require.ErrorAs(t, err, &e)
	if kind != nil {
		require.ErrorIs(t, err, kind, err.Error())
	}
	assert.Equal(t, path, e.Path)
	assert.LessOrEqual(t, e.Offset, size, "a byte behind the end: %v", err)
	assert.True(t, e.Detail != "" || e.Err != nil, "no reason: %v", err)
	assert.Less(t, len(err.Error()), 1000)
	return e
}

// slack is for what the detectors add: AddressSanitizer has Go put a zone around each object,
// which is as large as a small one, and under the race detector a sync.Pool, such as that of
// the readers of compressed entries, drops what it is given at random.
var slack = int64(sanitized.Or(1, 2))

// allocated is how many bytes Go has allocated so far, to the byte: of what runtime/metrics
// says, up to a span for each size of object is late.
func allocated() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}
