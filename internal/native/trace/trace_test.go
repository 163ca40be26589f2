package trace_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/trace"
)

func here() trace.ID { return trace.Capture(0) }

func TestSameStackSameNumber(t *testing.T) {
	var ids []trace.ID
	for range 3 {
		ids = append(ids, here())
	}
	assert.Equal(t, ids[0], ids[1])
	assert.Equal(t, ids[0], ids[2])
	assert.NotEqual(t, ids[0], here(), "another line is another stack")
	assert.NotZero(t, ids[0])
}

func TestFramesNameTheCallerAndItsInlinedCallee(t *testing.T) {
	id := here()
	frames := trace.Frames(id)
	require.GreaterOrEqual(t, len(frames), 2)
	assert.True(t, strings.HasSuffix(frames[0].Function, ".here"), frames[0].Function)
	assert.True(t, strings.HasSuffix(frames[1].Function, ".TestFramesNameTheCallerAndItsInlinedCallee"),
		frames[1].Function)
	site, ok := trace.Site(frames)
	require.True(t, ok)
	assert.True(t, strings.HasSuffix(site.File, "trace_test.go"))
}

func TestSiteSkipsTheLibrary(t *testing.T) {
	frames := []runtime.Frame{
		{Function: "github.com/gotorch/gotorch/torch.(*Tensor).Add", File: "torch/arith.go"},
		{Function: "github.com/gotorch/gotorch/nn.(*Linear).Forward", File: "nn/linear.go"},
		{Function: "main.train", File: "main.go", Line: 7},
	}
	site, ok := trace.Site(frames)
	require.True(t, ok)
	assert.Equal(t, 7, site.Line)
	_, ok = trace.Site(frames[:2])
	assert.False(t, ok)
}

func TestUnknownNumbers(t *testing.T) {
	assert.Nil(t, trace.Frames(0))
	assert.Nil(t, trace.Frames(1<<31))
}

func TestOnCountsItsUsers(t *testing.T) {
	assert.False(t, trace.On())
	trace.Start()
	trace.Start()
	trace.Stop()
	assert.True(t, trace.On())
	trace.Stop()
	assert.False(t, trace.On())
}

func TestConcurrentCapture(t *testing.T) {
	var wg sync.WaitGroup
	ids := make([]trace.ID, 8)
	for i := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 1000 {
				ids[i] = trace.Capture(0)
			}
		}()
	}
	wg.Wait()
	for _, id := range ids {
		assert.Equal(t, ids[0], id)
	}
}

//go:noinline
func deep(n int) trace.ID {
	if n == 0 {
		return here()
	}
	return deep(n - 1)
}

// Deep stacks have different IDs if they differ in any kept frame. Capture also works
// while a stack is growing, which moves the stack.
func TestDeepStacks(t *testing.T) {
	seen := map[trace.ID]int{}
	for n := range 120 {
		for range 3 {
			seen[deep(n)] = n
		}
	}
	assert.Len(t, seen, 120)
	for id, n := range seen {
		frames := trace.Frames(id)
		calls := 0
		for _, f := range frames {
			if strings.HasSuffix(f.Function, ".deep") {
				calls++
			}
		}
		assert.Equal(t, n+1, calls)
		assert.True(t, strings.HasSuffix(frames[0].Function, ".here"), "%d: %s", n, frames[0].Function)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 2000 {
				deep(n)
			}
		})
	}
	wg.Wait()
	first := deep(200)
	assert.NotZero(t, first)
}

// Two inlined calls on the same line are different stacks.
func TestInlinedCallsDiffer(t *testing.T) {
	a, b := here(), here()
	assert.NotEqual(t, a, b)
	for _, id := range []trace.ID{a, b} {
		frames := trace.Frames(id)
		require.GreaterOrEqual(t, len(frames), 2)
		assert.True(t, strings.HasSuffix(frames[0].Function, ".here"))
	}
}

func skipped(skip int) trace.ID { return trace.Capture(skip) }

func TestSkip(t *testing.T) {
	for range 2 {
		assert.True(t, strings.HasSuffix(trace.Frames(skipped(0))[0].Function, ".skipped"))
		assert.True(t, strings.HasSuffix(trace.Frames(skipped(1))[0].Function, ".TestSkip"))
	}
}

func BenchmarkCapture(b *testing.B) {
	for b.Loop() {
		here()
	}
}

func BenchmarkCaptureDeep(b *testing.B) {
	for b.Loop() {
		deep(12)
	}
}
