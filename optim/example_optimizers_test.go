package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SGD that also keeps the mean of the parameters, which is used at the end.
func ExampleASGD() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewASGD([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.512 -1.024]
}

// Steps whose size adapts to earlier steps; the learning rate scales them.
func ExampleAdadelta() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdadelta([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.990 -1.990]
}

// Uses little memory: for a matrix, only means of rows and columns.
func ExampleAdafactor() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdafactor([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.599 -1.582]
}

// A parameter with large gradients takes smaller steps.
func ExampleAdagrad() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdagrad([]*torch.Tensor{w}, optim.LR(0.5))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.156 -0.984]
}

// Steps from running means of the gradients and of their squares.
func ExampleAdam() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdam([]*torch.Tensor{w}, optim.LR(0.1), optim.Betas(0.9, 0.99))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.701 -1.701]
}

// Adam whose weight decay does not affect the gradients.
func ExampleAdamW() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1), optim.WeightDecay(0.01))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.699 -1.695]
}

// Adam with the largest gradient instead of the mean square.
func ExampleAdamax() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdamax([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.715 -1.708]
}

// Adam with Nesterov's momentum.
func ExampleNAdam() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewNAdam([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.753 -1.748]
}

// Adam with careful first steps, while its means cover few gradients.
func ExampleRAdam() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewRAdam([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.462 -0.925]
}

// The gradient divided by the root of its mean square.
func ExampleRMSprop() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewRMSprop([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.000 -0.310]
}

// Uses only the signs of the gradients; for full batches.
func ExampleRprop() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewRprop([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.636 -1.636]
}

// The plain step, with momentum.
func ExampleSGD() {
	w := torch.FromSliceWith([]float32{1, -2}, nil, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.1), optim.Momentum(0.9))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.3f\n", w.Float32s())
	// Output: [0.062 -0.124]
}
