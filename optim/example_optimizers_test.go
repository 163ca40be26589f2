package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Takes SGD steps and averages the parameters; the average is used at the end.
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

// The step sizes adapt to earlier steps; the learning rate scales them.
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

// Adafactor uses little memory: for a matrix it stores only the means of rows and columns.
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

// Adagrad divides by the gradients so far, so parameters with large and with small gradients take
// similar steps.
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

// The steps are computed from running means of the gradients and of their squares.
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

// AdamW is Adam whose weight decay does not affect the gradients.
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

// Adamax is Adam with the largest gradient instead of the mean square.
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

// NAdam is Adam with Nesterov momentum.
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

// RAdam is Adam with smaller first steps, while its running means cover few gradients.
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

// RMSprop divides the gradient by the square root of the running mean of its squares.
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

// Rprop uses only the signs of the gradients. It is meant for full batches.
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

// Steps with SGD and momentum.
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
