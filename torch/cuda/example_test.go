package cuda_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// The next batch is copied on a separate stream while the current one is being computed.
func ExampleStream_Do() {
	if !cuda.IsAvailable() {
		fmt.Println("no CUDA device")
		return
	}
	dev := torch.CUDA.At(0)
	copies := cuda.NewStream(cuda.Device(dev))
	batch := torch.Ones(torch.Shape{64, 3}).PinMemory()
	var next *torch.Tensor
	copies.Do(func() { next = batch.To(dev, torch.NonBlocking(true)) })
	// ... compute on the current stream ...
	cuda.CurrentStream(cuda.Device(dev)).WaitStream(copies)
	copies.RecordStream(next)
	fmt.Println(next.Shape(), next.Device())
}

func ExampleInit() {
	dev := torch.CPU
	if err := cuda.Init(); err == nil {
		dev = torch.CUDA.At(0)
	}
	x := torch.Zeros(torch.Shape{2}, dev)
	fmt.Println(x.Shape())
	// Output: (2,)
}

// A step is recorded once and replayed with different inputs.
func ExampleGraph() {
	if !cuda.IsAvailable() {
		fmt.Println("the same result for each batch")
		return
	}
	dev := torch.CUDA.At(0)
	x := torch.Zeros(torch.Shape{4}, dev)
	var y *torch.Tensor
	step := func() { y = x.Clone() }
	cuda.NewStream().Do(step) // so that libraries are initialized before the recording
	cuda.Synchronize()

	g := cuda.NewCUDAGraph()
	defer g.Close()
	cuda.Graph(g, step)
	same := true
	for _, v := range []float32{1, 2} {
		x.Copy_(torch.FromSlice([]float32{v, v, v, v}, 4))
		g.Replay()
		same = same && y.CPU().Float32s()[3] == v
	}
	if same {
		fmt.Println("the same result for each batch")
	}
	// Output: the same result for each batch
}
