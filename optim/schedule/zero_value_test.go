package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// A scheduler that no constructor created, and a nil one in a list, cause an error of the library.
func TestUnmadeSchedulers(t *testing.T) {
	for _, s := range []schedule.Scheduler{
		new(schedule.StepLR), new(schedule.LambdaLR), new(schedule.OneCycleLR),
		new(schedule.SequentialLR), new(schedule.ReduceLROnPlateau),
	} {
		assert.ErrorIs(t, torch.Try(func() { s.Step() }), torch.ErrNil, "%T", s)
	}
	w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	err := torch.Try(func() {
		schedule.NewSequentialLR(opt, []schedule.Scheduler{(*schedule.StepLR)(nil)}, nil)
	})
	assert.ErrorIs(t, err, torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { new(optim.Adam).SetState(w, "step", w) }), torch.ErrNil)
}
