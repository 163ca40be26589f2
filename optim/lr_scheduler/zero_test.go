package lr_scheduler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

// A scheduler that no constructor made, and a nil one among others, is an error
// of the library.
func TestUnmadeSchedulers(t *testing.T) {
	for _, s := range []lr_scheduler.Scheduler{
		new(lr_scheduler.StepLR), new(lr_scheduler.LambdaLR), new(lr_scheduler.OneCycleLR),
		new(lr_scheduler.SequentialLR), new(lr_scheduler.ReduceLROnPlateau),
	} {
		assert.ErrorIs(t, torch.Try(func() { s.Step() }), torch.ErrNil, "%T", s)
	}
	w := torch.Ones(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	err := torch.Try(func() {
		lr_scheduler.NewSequentialLR(opt, []lr_scheduler.Scheduler{(*lr_scheduler.StepLR)(nil)}, nil)
	})
	assert.ErrorIs(t, err, torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { new(optim.Adam).SetState(w, "step", w) }), torch.ErrNil)
}
