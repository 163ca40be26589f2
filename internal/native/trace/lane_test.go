package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/trace"
)

func TestLanesTellGoroutinesApart(t *testing.T) {
	trace.StartLanes()
	defer trace.StopLanes()
	assert.True(t, trace.On())
	mine, again := trace.Capture(0), trace.Capture(0)
	assert.Equal(t, mine, again, "goroutines alone")
	other := make(chan trace.ID)
	go func() { other <- trace.Capture(0) }()
	assert.NotEqual(t, mine, <-other)
	lane, stack := trace.Lane(mine)
	assert.NotZero(t, lane)
	assert.Zero(t, stack)
	assert.Empty(t, trace.Frames(mine))
}

func TestLanesOfStacks(t *testing.T) {
	plain := func() trace.ID { return trace.Capture(0) }
	var ids []trace.ID
	for i := range 3 {
		if i == 1 {
			trace.Start()
			trace.StartLanes()
		}
		ids = append(ids, plain())
	}
	trace.StopLanes()
	trace.Stop()
	ids = append(ids, plain())
	assert.NotEqual(t, ids[0], ids[1])
	assert.Equal(t, ids[1], ids[2])
	lane, stack := trace.Lane(ids[1])
	assert.NotZero(t, lane)
	assert.NotEqual(t, ids[1], stack)
	assert.Equal(t, trace.Frames(ids[1]), trace.Frames(stack))
	assert.True(t, strings.HasSuffix(trace.Frames(stack)[1].Function, "TestLanesOfStacks"))
	lane, stack = trace.Lane(ids[0])
	assert.Zero(t, lane)
	assert.Equal(t, ids[0], stack)
	lane, stack = trace.Lane(1 << 30)
	assert.Zero(t, lane)
	assert.Zero(t, stack)
}
