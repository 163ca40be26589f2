package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// countOf returns the number of objects of a kind.
func countOf(kind memory.ObjectKind) (n int64) {
	for _, o := range memory.Objects() {
		if o.Kind == kind {
			n += o.Count
		}
	}
	return n
}

// needsNodes skips the test if graph nodes are not counted on this system.
func needsNodes(t *testing.T) {
	w := weights()
	defer w.Close()
	loss := w.Exp()
	defer loss.Close()
	if countOf(memory.GraphNodes) == 0 {
		t.Skip("libtorch does not tell of its nodes here")
	}
}

// The number of nodes is exact, and returns to its initial value when the graphs are freed.
func TestGraphNodesAreCounted(t *testing.T) {
	needsNodes(t)
	memory.Collect()
	before := countOf(memory.GraphNodes)
	w := weights()
	torch.Scope(func() {
		x := w.Exp().MulScalar(2).Sum()
		assert.Equal(t, before+3, countOf(memory.GraphNodes))
		x.Backward()
		assert.Equal(t, before+3, countOf(memory.GraphNodes), "the nodes stay without what they saved")
	})
	assert.Equal(t, before, countOf(memory.GraphNodes))
	torch.ZeroGrad(w)
	require.NoError(t, w.Close())
}

// After each program without a leak, there are as many graph nodes as before. This shows
// that every way in which libtorch creates or destroys nodes is counted.
func TestNodesOfProgramsEnd(t *testing.T) {
	needsNodes(t)
	for _, ps := range [][]program{clean, leaky} {
		for i := range ps {
			memory.Collect()
			before := countOf(memory.GraphNodes)
			ps[i].run(12)
			memory.Collect()
			memory.Collect()
			assert.Equal(t, before, countOf(memory.GraphNodes), ps[i].name)
		}
	}
}

// A leak check finds the first mistake that PyTorch's FAQ on memory describes: total_loss
// += loss.
func TestTotalOfLossesIsFound(t *testing.T) {
	needsNodes(t)
	w := weights()
	defer w.Close()
	total := torch.Zeros(torch.Shape{})
	defer func() { _ = total.Close() }()
	var f failure
	memory.AssertNoGrowth(&f, 50, func(int) {
		torch.Scope(func() {
			loss := w.Exp().Sum()
			torch.ZeroGrad(w)
			loss.Backward()
			next := total.Add(loss)
			_ = total.Close()
			total = torch.Disown(next)
		})
	})
	torch.ZeroGrad(w)
	assert.Regexp(t,
		`\n\+\d+ graph nodes, about \d+\.\d KiB: objects_test\.go:\d+ memory_test\.TestTotalOfLossesIsFound`, f.text)
	assert.NotContains(t, f.text, "more tensors are open")
}

// A check also finds the growing graph of a total that is changed in place, although the
// total was created before the check.
func TestTotalInPlaceIsFound(t *testing.T) {
	needsNodes(t)
	w, total := weights(), torch.Zeros(torch.Shape{})
	defer closeAll(w, total)()
	step := func(int) { torch.Scope(func() { total.Add_(w.Exp().Sum()) }) }
	var f failure
	memory.AssertNoGrowth(&f, 20, step)
	assert.Regexp(t, `\+\d+ graph nodes, about .*: held by a tensor made before the check`, f.text)

	track(t, 1)
	listed := torch.Zeros(torch.Shape{})
	defer listed.Close()
	f.text = ""
	memory.AssertNoGrowth(&f, 20, func(int) { torch.Scope(func() { listed.Add_(w.Exp().Sum()) }) })
	assert.Regexp(t, `\+\d+ graph nodes, about .*: objects_test\.go:\d+ memory_test\.TestTotalInPlaceIsFound`, f.text)
}

func TestObjectsAreListedWithTheirLines(t *testing.T) {
	check := memory.StartLeakCheck()
	w := weights()
	g := torch.NewGenerator(torch.CPU)
	check.Step()
	g2 := torch.NewGenerator(torch.CPU)
	hook := w.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
	check.Step()
	left := check.Stop()
	kinds := map[memory.ObjectKind]memory.ObjectGroup{}
	for _, o := range left.Objects {
		kinds[o.Kind] = o
	}
	assert.EqualValues(t, 1, kinds[memory.Hooks].Count)
	assert.Contains(t, kinds[memory.Hooks].Line, "objects_test.go:")
	assert.EqualValues(t, 1, kinds[memory.Generators].Count, "of each line")
	assert.Contains(t, kinds[memory.Generators].Line, "objects_test.go:")
	assert.Contains(t, left.String(), "\n+1 generators, about 4.9 KiB: objects_test.go:")
	assert.Contains(t, memory.Summary(torch.CPU), "| generators ")
	assert.Regexp(t, "\n  hooks +1, about ", memory.Report())
	hook.Remove()
	_, _ = g.InitialSeed(), g2.InitialSeed()
	require.NoError(t, w.Close())
}

// A check with steps does not report objects whose number grew only in the first half of
// the steps, as in a cache that fills up.
func TestWhatFillsIsNoLeak(t *testing.T) {
	var kept []*torch.Tensor
	defer func() { closeAll(kept...)() }()
	fill := func(i int) {
		if i < 12 {
			kept = append(kept, torch.Ones(torch.Shape{16}))
		}
	}
	check := memory.StartLeakCheck()
	for i := range 60 {
		fill(i)
		check.Step()
	}
	left := check.Stop()
	assert.True(t, left.None(), "%s", left)
	assert.True(t, memory.AssertNoGrowth(t, 60, fill))
}

// A history without MaxEntries grows with every operator, and a check reports that. A
// history with MaxEntries only fills up.
func TestHistoryWithoutABoundIsFound(t *testing.T) {
	for most, found := range map[int]bool{0: true, 10_000: false} {
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{
			MaxEntries: most,
			Devices:    []torch.Device{torch.CPU},
		}))
		check := memory.StartLeakCheck()
		torch.Scope(func() { torch.Ones(torch.Shape{16}) })
		left := check.Stop()
		memory.StopHistory()
		assert.Equal(t, found, !left.None(), "%d: %s", most, left)
		assert.Equal(t, found, strings.Contains(left.String(), "recorded events"), "%s", left)
	}
}
