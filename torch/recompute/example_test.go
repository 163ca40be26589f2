package recompute_test

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/recompute"
)

// A block of a network runs in a checkpoint. Its activations are recomputed in the
// backward pass, with the same dropout.
func Example() {
	torch.Scope(func() {
		block := nn.NewSequential(nn.NewLinear(4, 16), nn.NewGELU(), nn.NewDropout(0.5), nn.NewLinear(16, 4))
		defer block.Close()
		x := torch.Randn(torch.Shape{8, 4})
		y := recompute.Checkpoint(block.Forward, x)
		y.Square().Mean().Backward()
		fmt.Println(y.Shape(), block.Parameters()[0].Grad().Shape())
	})
	// Output: (8, 4) (16, 4)
}

func ExampleCheckpoint() {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}).RequiresGrad_()
		runs := 0
		y := recompute.Checkpoint(func(x *torch.Tensor) *torch.Tensor {
			runs++
			return x.Square().Exp()
		}, x)
		y.Log().Sum().Backward()
		fmt.Println(x.Grad(), runs)
	})
	// Output: tensor([2., 4., 6.]) 2
}

// With 32 layers in eight segments, the pass needs less than half of the memory that it
// needs without checkpoints.
func ExampleCheckpointSequential() {
	model := nn.NewSequential()
	defer model.Close()
	for range 32 {
		model.Append(nn.NewLinear(16, 16)).Append(nn.NewTanh())
	}
	x := torch.Randn(torch.Shape{1024, 16})
	defer x.Close()
	step := func(run func() *torch.Tensor) int64 {
		return memory.Track("step", func() {
			torch.Scope(func() { run().Sum().Backward() })
			model.ZeroGrad()
		}).PeakGrowth()
	}
	plain := step(func() *torch.Tensor { return model.Forward(x) })
	segments := step(func() *torch.Tensor { return recompute.CheckpointSequential(model.Values(), 8, x) })
	fmt.Println(segments < plain/2)
	// Output: true
}
