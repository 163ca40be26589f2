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

// The chain of frame pointers contains the return addresses that the runtime finds. If
// the walk failed, capturing would only be slow, and no other test would fail.
func TestWalkFollowsTheCallers(t *testing.T) {
	fast, slow := walked(5)
	require.NotEmpty(t, fast, "the chain left the stack")
	// The innermost frame of the runtime is in this function. Of the outer frames, only
	// the runtime knows inlined calls.
	assert.Subset(t, fast, slow[1:7])
}
