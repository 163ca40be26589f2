package cuda_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// each computes a number for each batch. While one batch is being computed, the next ones
// are copied to the device. depth is the number of buffers: two or three.
//
// The copies run on a separate stream, from page-locked memory, so that they are
// asynchronous. The computation of a batch waits for the copy, and a copy waits until the
// previous batch in its buffer is finished. On the CPU there is nothing to overlap, and
// the same loop runs without streams.
func each(dev torch.Device, batches [][]float32, depth int, number func(batch *torch.Tensor) *torch.Tensor) []float64 {
	var numbers []float64
	torch.Scope(func() {
		size := int64(len(batches[0]))
		host, buffers := make([]*torch.Tensor, depth), make([]*torch.Tensor, depth)
		copied, done := make([]*cuda.Event, depth), make([]*cuda.Event, depth)
		var copies, compute *cuda.Stream
		if dev.IsCUDA() {
			copies, compute = cuda.NewStream(cuda.Device(dev)), cuda.CurrentStream(cuda.Device(dev))
		}
		for i := range depth {
			host[i], buffers[i] = torch.Empty(torch.Shape{size}), torch.Empty(torch.Shape{size}, dev)
			if dev.IsCUDA() {
				host[i] = host[i].PinMemory()
				copies.RecordStream(buffers[i]) // the buffer was made on another stream
			}
		}
		if dev.IsCUDA() {
			copies.WaitStream(compute) // copies start after the buffers are allocated
		}
		fetch := func(i int) {
			if i >= len(batches) {
				return
			}
			slot := i % depth
			if copied[slot] != nil {
				copied[slot].Synchronize() // wait until the host buffer can be overwritten
			}
			torch.Scope(func() { host[slot].Copy_(torch.FromSlice(batches[i])) })
			if copies == nil {
				buffers[slot].Copy_(host[slot])
				return
			}
			if done[slot] != nil {
				copies.WaitEvent(done[slot])
			}
			copies.Do(func() { buffers[slot].Copy_(host[slot], torch.NonBlocking(true)) })
			copied[slot] = copies.RecordEvent()
		}
		results := torch.Zeros(torch.Shape{int64(len(batches))}, dev)
		for i := range depth - 1 {
			fetch(i)
		}
		for i := range batches {
			fetch(i + depth - 1)
			slot := i % depth
			if compute != nil {
				compute.WaitEvent(copied[slot])
			}
			torch.Scope(func() { results.Select(0, int64(i)).Copy_(number(buffers[slot]), torch.NonBlocking(true)) })
			if compute != nil {
				done[slot] = compute.RecordEvent()
			}
		}
		numbers = results.To(torch.CPU, torch.Float64).Float64s() // the only point that waits for the computation
	})
	return numbers
}

// Double and triple buffering with a side stream. Data loaders do this automatically;
// the example shows how to write it by hand.
func Example_buffering() {
	dev := torch.CPU
	if cuda.IsAvailable() {
		dev = torch.CUDA.At(0)
	}
	batches := [][]float32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}
	squares := func(x *torch.Tensor) *torch.Tensor { return x.Square().Sum() }
	fmt.Println(each(dev, batches, 2, squares))
	fmt.Println(each(dev, batches, 3, squares))
	// Output:
	// [5 25 61 113 181]
	// [5 25 61 113 181]
}

// Here the number of each batch is one of its elements, because the simulated driver
// copies but does not compute. Each wait in the loop is needed: without it, a number
// would belong to a different batch, or the driver would report unordered uses of a
// buffer.
func TestCUDABuffering(t *testing.T) {
	if simulated() && os.Getenv("GOTORCH_CHILD") == "" {
		report := filepath.Join(t.TempDir(), "report")
		child(t, t.Name(), "CUDASIM_REPORT="+report)
		text, _ := os.ReadFile(report)
		assert.Empty(t, string(text))
		return
	}
	dev := needCUDA(t)
	const n = 1 << 12
	batches, want := make([][]float32, 17), make([]float64, 17)
	for i := range batches {
		batches[i] = make([]float32, n)
		batches[i][n-1] = float32(i + 1)
		want[i] = float64(i + 1)
	}
	for _, depth := range []int{1, 2, 3} {
		assert.Equal(t, want, each(dev, batches, depth, func(x *torch.Tensor) *torch.Tensor {
			return x.Select(0, n-1)
		}), "depth %d", depth)
	}
}
