package lr_scheduler_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

// A schedule steps once an epoch, after the optimizer. The first epochs warm up, the rest
// decays.
func Example() {
	model := nn.NewLinear(4, 1)
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	warmup := lr_scheduler.NewLinearLR(opt, lr_scheduler.StartFactor(0.5), lr_scheduler.TotalIters(2))
	decay := lr_scheduler.NewCosineAnnealingLR(opt, 4)
	sched := lr_scheduler.NewSequentialLR(opt, []lr_scheduler.Scheduler{warmup, decay}, []int64{2})
	for epoch := range 6 {
		fmt.Printf("epoch %d: %.4f\n", epoch, sched.LastLR()[0])
		torch.Scope(func() {
			opt.ZeroGrad()
			model.Forward(torch.Ones(torch.Shape{8, 4})).Square().Mean().Backward()
			opt.Step()
		})
		sched.Step()
	}
	// Output:
	// epoch 0: 0.0500
	// epoch 1: 0.0750
	// epoch 2: 0.1000
	// epoch 3: 0.0854
	// epoch 4: 0.0500
	// epoch 5: 0.0146
}

// Half the rate every 2 epochs.
func ExampleStepLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewStepLR(opt, 2, lr_scheduler.Gamma(0.5))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 1 0.5 0.5 0.25 0.25
}

// A tenth of the rate at epochs 1 and 4.
func ExampleMultiStepLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewMultiStepLR(opt, []int64{1, 4}, lr_scheduler.Gamma(0.1))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.1 0.1 0.1 0.01 0.01
}

// Half the rate for 3 epochs.
func ExampleConstantLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewConstantLR(opt, lr_scheduler.Factor(0.5), lr_scheduler.TotalIters(3))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.5 0.5 0.5 1 1 1
}

// A warmup of 4 epochs.
func ExampleLinearLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewLinearLR(opt, lr_scheduler.StartFactor(0.2), lr_scheduler.TotalIters(4))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.2 0.4 0.6 0.8 1 1
}

// Half the rate after each epoch.
func ExampleExponentialLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewExponentialLR(opt, 0.5)
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.5 0.25 0.125 0.0625 0.0312
}

// Down to 0 in 4 epochs, faster at first.
func ExamplePolynomialLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewPolynomialLR(opt, lr_scheduler.TotalIters(4), lr_scheduler.Power(2))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.562 0.25 0.0625 0 0
}

// Half a cosine from the rate to 0.2.
func ExampleCosineAnnealingLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewCosineAnnealingLR(opt, 4, lr_scheduler.EtaMin(0.2))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.883 0.6 0.317 0.2 0.317
}

// A cosine that starts again, each time for twice as long.
func ExampleCosineAnnealingWarmRestarts() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewCosineAnnealingWarmRestarts(opt, 2, lr_scheduler.TMult(2))
	for range 7 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.5 1 0.854 0.5 0.146 1
}

// Up and down between two rates.
func ExampleCyclicLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewCyclicLR(opt, 0.1, 0.5, lr_scheduler.StepSizeUp(2), lr_scheduler.CycleMomentum(false))
	for range 7 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.1 0.3 0.5 0.3 0.1 0.3 0.5
}

// One way up and down, by the batch.
func ExampleOneCycleLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.Momentum(0.9))
	defer opt.Close()
	sched := lr_scheduler.NewOneCycleLR(opt, 1, lr_scheduler.TotalSteps(6))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.04 0.994 0.812 0.463 0.133 4e-06
}
