// Package filetest contains checks for readers of damaged files.
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

// Limit is the memory that reading a damaged file may take: Bytes, plus Times the size of
// the file.
type Limit struct{ Bytes, Times int64 }

// Refused reads a damaged file and checks the requirements on every reader:
//
//   - The error is a *fileerr.Error, and of the given kind unless kind is nil. It names the
//     path and the byte or the tensor, says what was wrong, and fits on a screen.
//   - No tensor, native memory or mapping is left, even without a garbage collection.
//   - The allocations of Go and native memory are within the limit.
//
// The path is "" for bytes that are not from a file, and size is the size of the file.
// Refused returns the error, or nil if a check failed.
func Refused(t testing.TB, path string, size int64, kind error, limit Limit, read func() error) *fileerr.Error {
	t.Helper()
	e := Bounded(t, path, size, kind, limit, read)
	assert.True(t, e.Offset >= 0 || e.Tensor != "", "neither a byte nor a tensor: %v", e)
	return e
}

// Costs checks that fn allocates at most the given number of bytes of Go memory,
// including garbage.
func Costs(t testing.TB, most int64, fn func()) {
	t.Helper()
	before := allocated()
	fn()
	after := allocated()
	assert.LessOrEqual(t, after-before, uint64(most*slack), "bytes of Go") //nolint:gosec // positive
}

// Bounded is like [Refused], for readers whose errors cannot name a byte. Instead, the
// errors name an entry of an archive, or say what is missing.
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

// slack is a factor for the overhead of sanitizers. With AddressSanitizer, Go adds a
// redzone to each object; for a small object, the redzone is at least as large as the
// object itself. With the race detector, a sync.Pool drops objects at random; the readers
// of compressed entries are in such a pool.
var slack = int64(sanitized.Or(1, 2))

// allocated returns the exact number of bytes that Go has allocated so far. The metrics
// of package runtime/metrics would lack up to one span for each size class.
func allocated() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}
