//go:build amd64 || arm64

package trace_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/trace"
)

//go:noinline
func walked(n int) (fast, slow []uintptr) {
	if n > 0 {
		return walked(n - 1)
	}
	slow = make([]uintptr, 64)
	fast = trace.Walk()
	return fast, slow[:runtime.Callers(1, slow)]
}

// Following the frame pointers yields the return addresses that the Go runtime reports.
// No other test would notice if this failed, because Capture then uses the slower
// runtime.
func TestWalkFollowsTheCallers(t *testing.T) {
	fast, slow := walked(5)
	require.NotEmpty(t, fast, "the chain left the stack")
	// slow[0] is the call of runtime.Callers, which fast does not have. The frames after
	// slow[6] may be inlined calls, which only the runtime knows.
	assert.Subset(t, fast, slow[1:7])
}
