package schedule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// Methods of a scheduler that was not made by a constructor, and a nil scheduler in a list, cause a
// *torch.Error.
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
