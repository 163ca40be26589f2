package trace_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// functions returns the names of the functions in a stack, without their packages.
func functions(frames []runtime.Frame) string {
	var names []string
	for _, f := range frames {
		names = append(names, f.Function[strings.LastIndexByte(f.Function, '.')+1:])
	}
	return strings.Join(names, " ")
}

//go:noinline
func asksForWork() trace.ID { return trace.Here(0) }

// trace.For runs a function on behalf of the stack that asked for the work. Stacks
// captured in it end with the calls of that stack.
func TestForOthers(t *testing.T) {
	by := asksForWork()
	plain := make(chan trace.ID)
	worked := make(chan trace.ID)
	again := make(chan trace.ID)
	go trace.For(by, func() {
		for range 2 {
			worked <- here()
		}
		trace.For(0, func() { plain <- here() })
		again <- here()
	})
	first, second := <-worked, <-worked
	assert.Equal(t, first, second)
	assert.NotContains(t, functions(trace.Frames(<-plain)), "TestForOthers")
	assert.Contains(t, functions(trace.Frames(<-again)), "asksForWork TestForOthers")
	names := functions(trace.Frames(first))
	assert.Contains(t, names, "For asksForWork TestForOthers tRunner goexit")
	assert.Equal(t, 1, strings.Count(names, "goexit"))
	assert.NotContains(t, functions(trace.Frames(here())), "asksForWork")

	trace.Start()
	trace.StartLanes()
	go trace.For(by, func() { worked <- here() })
	lane, stack := trace.Lane(<-worked)
	trace.StopLanes()
	trace.Stop()
	assert.NotZero(t, lane)
	assert.Contains(t, functions(trace.Frames(stack)), "asksForWork TestForOthers")
}

// If a function run by trace.For starts a goroutine with trace.Go, the stacks of this
// goroutine also end with the calls of the stack that asked for the work.
func TestForOthersOfOthers(t *testing.T) {
	trace.Start()
	defer trace.Stop()
	worked := make(chan trace.ID)
	go trace.For(asksForWork(), func() {
		trace.Go(func() { worked <- here() })
	})
	frames := trace.Frames(<-worked)
	assert.Contains(t, functions(frames), "asksForWork TestForOthersOfOthers")
	require.NotEmpty(t, frames)
}

func BenchmarkCaptureForOthers(b *testing.B) {
	trace.For(asksForWork(), func() {
		for b.Loop() {
			here()
		}
	})
}
