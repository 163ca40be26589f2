package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A step evaluates the loss several times, so it takes a closure.
func ExampleLBFGS() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewLBFGS([]*torch.Tensor{w}, optim.LineSearchFnStrongWolfe)
	defer opt.Close()
	torch.Scope(func() {
		target := torch.FromSlice([]float32{3, 5})
		loss := func() *torch.Tensor { return w.Sub(target).Square().Sum() }
		first := opt.StepClosure(func() *torch.Tensor {
			opt.ZeroGrad()
			l := loss()
			l.Backward()
			return l
		})
		fmt.Printf("%.1f, then %.1f at %.1f\n", first.Item(), loss().Item(), w.Float32s())
	})
	// Output: 53.0, then 0.0 at [3.0 5.0]
}

// Trains an embedding with sparse gradients: only the rows that a batch uses change.
func ExampleSparseAdam() {
	table := nn.NewEmbedding(1000, 4, nn.Sparse(true))
	defer table.Close()
	opt := optim.NewSparseAdam(table.Parameters(), optim.LR(0.1))
	defer opt.Close()
	torch.Scope(func() {
		before := table.Weight.Detach().Clone()
		table.Forward(torch.FromSlice([]int64{3, 7})).Sum().Backward()
		opt.Step()
		changed := table.Weight.Ne(before).Any(torch.Dim(1))
		fmt.Println(changed.Nonzero().Flatten().Int64s())
	})
	// Output: [3 7]
}

// Registers a hook for all optimizers of the process, and removes it later.
func ExampleRegisterOptimizerStepPostHook() {
	w := torch.FromSliceWith([]float32{1}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w})
	defer opt.Close()
	steps := 0
	hook := optim.RegisterOptimizerStepPostHook(func(optim.Optimizer) { steps++ })
	opt.Step()
	opt.Step()
	hook.Remove()
	opt.Step()
	fmt.Println(steps)
	// Output:
	// 2
}

// Weights decay and biases do not: they are two groups with different settings.
func Example() {
	model := nn.NewLinear(2, 1)
	defer model.Close()
	opt := optim.NewAdamW([]*torch.Tensor{model.Weight}, optim.LR(1e-2), optim.WeightDecay(0.1))
	defer opt.Close()
	opt.AddParamGroup([]*torch.Tensor{model.Bias}, optim.WeightDecay(0))
	for range 2 {
		torch.Scope(func() { // the scope frees the tensors of the step
			x := torch.Randn(torch.Shape{8, 2})
			loss := model.Forward(x).Square().Mean()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	}
	for _, g := range opt.ParamGroups() {
		fmt.Println(len(g.Params), g.LR(), g.WeightDecay())
	}
	// Output:
	// 1 0.01 0.1
	// 1 0.01 0
}
