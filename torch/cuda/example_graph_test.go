package cuda_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// This program runs on either device. Its output depends on the machine.
func Example() {
	dev := torch.CPU
	if cuda.IsAvailable() {
		dev = torch.CUDA.At(0)
	}
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{256, 256}, dev)
		fmt.Println(x.MatMul(x).Sum().Item())
	})
}

// The example needs a device, so its output is not checked.
func ExampleGetDeviceProperties() {
	for i := range cuda.DeviceCount() {
		p := cuda.GetDeviceProperties(torch.CUDA.At(i))
		fmt.Println(p.Name, p.Major, p.Minor, p.TotalMemory>>20, "MiB")
	}
}

// Measure time on the device. Operators return before their work is finished; events
// mark points in between. The example needs a device, so its output is not checked.
func ExampleEvent() {
	if !cuda.IsAvailable() {
		return
	}
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1024, 1024}, torch.CUDA.At(0))
		start, end := cuda.NewEvent(cuda.EnableTiming(true)), cuda.NewEvent(cuda.EnableTiming(true))
		start.Record()
		x.MatMul(x)
		end.Record()
		end.Synchronize()
		fmt.Println(start.ElapsedTime(end))
	})
}

// Work is recorded once and replayed as a whole. New inputs are copied to the recorded
// inputs. The example needs a device, so its output is not checked.
func ExampleCUDAGraph() {
	if !cuda.IsAvailable() {
		return
	}
	x := torch.Zeros(torch.Shape{4}, torch.CUDA.At(0))
	defer x.Close()
	g := cuda.NewCUDAGraph()
	defer g.Close()
	var y *torch.Tensor
	cuda.Graph(g, func() { y = x.MulScalar(2) })
	defer y.Close()
	for _, v := range []float64{1, 2} {
		x.Fill_(v)
		g.Replay()
		torch.Scope(func() { fmt.Println(y.CPU().Float32s()) })
	}
}

// Two graphs that never run at the same time share a memory pool. The example needs a
// device, so its output is not checked.
func ExampleGraphPoolHandle() {
	if !cuda.IsAvailable() {
		return
	}
	x := torch.Zeros(torch.Shape{1024}, torch.CUDA.At(0))
	defer x.Close()
	pool := cuda.GraphPoolHandle()
	first, second := cuda.NewCUDAGraph(), cuda.NewCUDAGraph()
	defer first.Close()
	defer second.Close()
	cuda.Graph(first, func() { x.AddScalar_(1) }, pool)
	cuda.Graph(second, func() { x.MulScalar_(2) }, pool)
	first.Replay()
	second.Replay()
}

// The forward and backward pass of a model are recorded once and replayed in each step.
// The example needs a device, so its output is not checked.
func ExampleMakeGraphedCallables() {
	if !cuda.IsAvailable() {
		return
	}
	dev := torch.CUDA.At(0)
	model := nn.NewSequential(nn.NewLinear(8, 8, nn.Device(dev)), nn.NewReLU())
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	sample := torch.Randn(torch.Shape{4, 8}, dev)
	defer sample.Close()
	part := cuda.MakeGraphedCallables([]cuda.Callable{{
		Forward:    func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{model.Forward(x[0])} },
		SampleArgs: []*torch.Tensor{sample},
		Parameters: model.Parameters(),
	}})[0]
	defer part.Close()
	for range 3 {
		torch.Scope(func() {
			x := torch.Randn(torch.Shape{4, 8}, dev)
			loss := part.Call(x)[0].Square().Mean()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	}
}
