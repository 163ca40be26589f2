package schedule_test

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// The rate is the initial rate times a function of the epoch.
func ExampleLambdaLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewLambdaLR(opt, func(epoch int) float64 { return 1 / float64(1+epoch) })
	for range 4 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.5 0.333 0.25
}

// The rate is the previous rate times a function of the epoch.
func ExampleMultiplicativeLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewMultiplicativeLR(opt, func(int) float64 { return 0.9 })
	for range 4 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.9 0.81 0.729
}

// Runs one scheduler after the other: the second begins at epoch 2.
func ExampleSequentialLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	first := schedule.NewConstantLR(opt, schedule.Factor(0.1), schedule.TotalIters(2))
	second := schedule.NewExponentialLR(opt, 0.5)
	sched := schedule.NewSequentialLR(opt, []schedule.Scheduler{first, second}, []int{2})
	for range 5 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.1 0.1 1 0.5 0.25
}

// Runs two schedulers together: their factors are multiplied.
func ExampleChainedScheduler() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewChainedScheduler([]schedule.Scheduler{
		schedule.NewConstantLR(opt, schedule.Factor(0.1), schedule.TotalIters(2)),
		schedule.NewExponentialLR(opt, 0.5),
	})
	for range 4 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 0.1 0.05 0.25 0.125
}

// Lowers the rate to a tenth if the loss has not improved for more than one epoch.
func ExampleReduceLROnPlateau() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewReduceLROnPlateau(opt, schedule.Factor(0.1), schedule.Patience(1))
	for _, loss := range []float64{3, 2, 2, 2, 1} {
		opt.Step()
		sched.Step(loss)
		fmt.Printf("%.3g ", sched.LastLR()[0])
	}
	// Output: 1 1 1 0.1 0.1
}

// Anneals the rate to a constant within 4 epochs, for averaging weights.
func ExampleSWALR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewSWALR(opt, 0.2, schedule.AnnealEpochs(4))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.883 0.6 0.317 0.2 0.2
}
