package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// failure is a test that should fail. It keeps the message.
type failure struct{ text string }

func (*failure) Helper() {}

func (f *failure) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func weights() *torch.Tensor { return torch.Ones(torch.Shape{16, 16}).RequiresGrad_() }

func closeAll(ts ...*torch.Tensor) func() {
	return func() {
		for _, t := range ts {
			_ = t.Close()
		}
	}
}

// TestLeaksTellOfTheGraph leaks the result of an operator. The result keeps its graph
// alive, and the graph keeps saved tensors.
func TestLeaksTellOfTheGraph(t *testing.T) {
	w := weights()
	defer w.Close()
	check := memory.StartLeakCheck()
	var kept *torch.Tensor
	torch.Scope(func() { kept = torch.Keep(w.Exp().Sum()) })
	left := check.Stop()
	require.NotNil(t, left.Graph)
	assert.EqualValues(t, 1024, left.Graph.Bytes(memory.HeldSaved))
	assert.EqualValues(t, 1028, left.Bytes)
	assert.Contains(t, left.String(), "1 more tensors are open and 1028 more bytes of native memory (1.0 KiB) are "+
		"held; their graphs have 3 nodes that hold 1.0 KiB saved")
	require.NoError(t, kept.Close())
}

func TestAssertNoGrowthBadInput(t *testing.T) {
	var f failure
	assert.False(t, memory.AssertNoGrowth(&f, 0, func(int) { t.Error("called") }))
	assert.Contains(t, f.text, "got 0")
	assert.Panics(t, func() { memory.AssertNoGrowth(&f, 5, func(int) { panic("stop") }) })
	before := memory.LiveTensors()
	x := torch.Ones(torch.Shape{1})
	defer x.Close()
	assert.Empty(t, since(before), "the check ended with the panic")
}

// If no tensors were added, the first line of the report names the growth of other objects.
func TestLeaksOfGraphNodesAlone(t *testing.T) {
	w, total := weights(), torch.Zeros(torch.Shape{})
	defer closeAll(w, total)()
	add := func() { torch.Scope(func() { total.Add_(w.Sum()) }) }
	add()
	check := memory.StartLeakCheck()
	for range 100 {
		add()
	}
	left := check.Stop()
	if len(left.Objects) == 0 || left.Objects[0].Kind != memory.GraphNodes {
		t.Skip("this system does not count nodes")
	}
	assert.Zero(t, left.Count)
	assert.Regexp(t, `^200 more graph nodes \(about 168\.4 KiB\) are held`, left.String())
	assert.NotContains(t, left.String(), "hold 0 B")
}

// listener is a test that records what it logs.
type listener struct {
	failure
	logs string
}

func (l *listener) Logf(format string, args ...any) { l.logs += fmt.Sprintf(format, args...) }

// If native bytes could not be compared, a passing test logs that.
func TestAssertNoGrowthLogsWhatItLeavesOut(t *testing.T) {
	var alone, beside listener
	assert.True(t, memory.AssertNoGrowth(&alone, 5, func(int) { _ = weights().Close() }))
	assert.Empty(t, alone.logs)
	ask, done := make(chan struct{}), make(chan struct{})
	go func() { // started before the check, so the check does not cover it
		for range ask {
			_ = weights().Close()
			done <- struct{}{}
		}
	}()
	assert.True(t, memory.AssertNoGrowth(&beside, 5, func(int) { ask <- struct{}{}; <-done }))
	assert.Contains(t, beside.logs, "compared only open tensors")
	close(ask)
}
