package schedule_test

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

var _ = own("NewPolynomialLR",
	course(func(o optim.Optimizer, opts ...schedule.PolynomialOption) scheduler {
		return schedule.NewPolynomialLR(o, opts...)
	},
		optiontest.Values(schedule.LastEpoch(2), schedule.LastEpoch(-1)),
		optiontest.Values(schedule.TotalIters(2), schedule.TotalIters(9)),
		optiontest.Values(schedule.Power(0), schedule.Power(2))),
	map[string]func(o optim.Optimizer) scheduler{
		"PolynomialLR": func(o optim.Optimizer) scheduler { return schedule.NewPolynomialLR(o) },
		"PolynomialLR/power": func(o optim.Optimizer) scheduler {
			return schedule.NewPolynomialLR(o, schedule.TotalIters(20), schedule.Power(0.9))
		},
	})

// Lowers the rate to 0 in 4 epochs, faster at first.
func ExamplePolynomialLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewPolynomialLR(opt, schedule.TotalIters(4), schedule.Power(2))
	for range 6 {
		fmt.Printf("%.3g ", sched.LastLR()[0])
		opt.Step()
		sched.Step()
	}
	// Output: 1 0.562 0.25 0.0625 0 0
}
