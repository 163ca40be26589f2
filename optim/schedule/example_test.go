package schedule_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// The scheduler steps once per epoch, after the optimizer. The rate warms up in the first epochs
// and then decays.
func Example() {
	model := nn.NewLinear(4, 1)
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	warmup := schedule.NewLinearLR(opt, schedule.StartFactor(0.5), schedule.TotalIters(2))
	decay := schedule.NewCosineAnnealingLR(opt, 4)
	sched := schedule.NewSequentialLR(opt, []schedule.Scheduler{warmup, decay}, []int{2})
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

// Halves the rate every 2 epochs.
func ExampleStepLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewStepLR(opt, 2, schedule.Gamma(0.5))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 1 0.5 0.5 0.25 0.25
}

// Lowers the rate to a tenth at epochs 1 and 4.
func ExampleMultiStepLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewMultiStepLR(opt, []int{1, 4}, schedule.Gamma(0.1))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.1 0.1 0.1 0.01 0.01
}

// Uses half the rate for 3 epochs.
func ExampleConstantLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewConstantLR(opt, schedule.Factor(0.5), schedule.TotalIters(3))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.5 0.5 0.5 1 1 1
}

// Warms up for 4 epochs.
func ExampleLinearLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewLinearLR(opt, schedule.StartFactor(0.2), schedule.TotalIters(4))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.2 0.4 0.6 0.8 1 1
}

// Halves the rate after each epoch.
func ExampleExponentialLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewExponentialLR(opt, 0.5)
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.5 0.25 0.125 0.0625 0.0312
}

// Lowers the rate to 0.2 along half a cosine.
func ExampleCosineAnnealingLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewCosineAnnealingLR(opt, 4, schedule.EtaMin(0.2))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.883 0.6 0.317 0.2 0.317
}

// Lowers the rate along a cosine and restarts, each time with a period twice as long.
func ExampleCosineAnnealingWarmRestarts() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewCosineAnnealingWarmRestarts(opt, 2, schedule.TMult(2))
	for range 7 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.5 1 0.854 0.5 0.146 1
}

// Moves the rate up and down between two values.
func ExampleCyclicLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewCyclicLR(opt, 0.1, 0.5, schedule.StepSizeUp(2), schedule.CycleMomentum(false))
	for range 7 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.1 0.3 0.5 0.3 0.1 0.3 0.5
}

// Moves the rate up and then down once. Step is called after each batch.
func ExampleOneCycleLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.Momentum(0.9))
	defer opt.Close()
	sched := schedule.NewOneCycleLR(opt, 1, schedule.TotalSteps(6))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.04 0.994 0.812 0.463 0.133 4e-06
}
