package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// A scheduler that has a rate for each group fails if a group is added later.
func TestGroupsAddedLater(t *testing.T) {
	one := func(int) float64 { return 1 }
	for name, fresh := range map[string]func(o optim.Optimizer) schedule.Scheduler{
		"OneCycleLR": func(o optim.Optimizer) schedule.Scheduler {
			return schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10))
		},
		"CyclicLR": func(o optim.Optimizer) schedule.Scheduler { return schedule.NewCyclicLR(o, 0.1, 1) },
		"SWALR":    func(o optim.Optimizer) schedule.Scheduler { return schedule.NewSWALR(o, 1) },
		"LambdaLR": func(o optim.Optimizer) schedule.Scheduler {
			return schedule.NewLambdaLRList(o, []func(int) float64{one})
		},
	} {
		torch.Scope(func() {
			w, v := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true)),
				torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
			opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1), optim.Momentum(0.9))
			defer opt.Close()
			s := fresh(opt)
			opt.Step()
			opt.AddParamGroup([]*torch.Tensor{v})
			before := opt.ParamGroups()[0].LR()
			err := torch.Try(func() { s.Step() })
			assert.ErrorIs(t, err, torch.ErrValue, name)
			assert.ErrorContains(t, err, name+".Step: argument ")
			assert.ErrorContains(t, err, "for group 1, which was added after the scheduler was made", name)
			assert.Equal(t, before, opt.ParamGroups()[0].LR(), "%s has changed nothing", name)
		})
	}
}
