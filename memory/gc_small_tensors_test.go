package memory_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The pacer counts the overhead of each tensor in libtorch and Go, so garbage of
// one-element tensors starts collections too. Go's own collector is off, as it
// effectively is if the program's heap is large.
func TestTinyTensorsAreCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	heap := make([]byte, 256*mib)
	one, leaf := torch.Ones(nil), torch.Ones(nil).RequiresGrad_()
	defer one.Close()
	defer leaf.Close()
	scalar := int64(pacer.HandleBytes + pacer.BlockBytes)

	for _, c := range []struct {
		name string
		make func()
		cost int64 // minimum number of bytes that a tensor of this kind needs
		n    int64
	}{
		{"scalars", func() { one.Add(one) }, scalar, 1_000_000},
		{"views", func() { one.Detach() }, pacer.HandleBytes, 1_000_000},
		{"graphs", func() { leaf.Add(one) }, scalar + pacer.NodeBytes, 300_000},
		{"hooks", func() {
			leaf.Add(one).RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
		}, scalar + pacer.NodeBytes + pacer.CallbackBytes, 200_000},
		// gotorch closes the intermediate tensors, but the graph keeps their memory.
		{"closed within", func() {
			x := leaf.Exp()
			defer x.Close()
			y := x.Exp()
			defer y.Close()
			y.Exp()
		}, scalar + 2*pacer.BlockBytes + 3*pacer.NodeBytes, 100_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			memory.Collect()
			start, before := memory.GC(), torch.NumLiveTensors()
			most := int64(0)
			n := int64(thorough.Or(int(c.n), int(c.n)/4))
			for range n {
				c.make()
				most = max(most, torch.NumLiveTensors()-before)
			}
			// A few hundred tensors are created between the request for a collection and
			// its end. On a slow, busy machine they can take half of the memory that is
			// left below the threshold.
			room := (start.Threshold - start.Live) / c.cost
			assert.LessOrEqual(t, float64(most), 2*float64(room))
			assert.GreaterOrEqual(t, memory.GC().Collections-start.Collections, int64(0.5*float64(n)/float64(room)-1))
		})
	}
	runtime.KeepAlive(heap)
	memory.Collect()
}

// Statistics do not include the pacer's estimate of the overhead.
func TestOverheadIsNoStatistic(t *testing.T) {
	memory.Collect()
	allocated, requested := memory.Allocated(torch.CPU), memory.Requested(torch.CPU)
	keep := make([]*torch.Tensor, 1000)
	for i := range keep {
		keep[i] = torch.Ones(nil)
	}
	block := 64
	if memory.Backend(torch.CPU) == "system" {
		block = 68 // bytes of the element and a header
	}
	assert.EqualValues(t, block*len(keep), memory.Allocated(torch.CPU)-allocated)
	assert.EqualValues(t, 4*len(keep), memory.Requested(torch.CPU)-requested)
	for _, k := range keep {
		_ = k.Close()
	}
	assert.Equal(t, requested, memory.Requested(torch.CPU))
}
