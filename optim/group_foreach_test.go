package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// If a program adds a group that does not belong to the optimizer, the next function that reads the
// groups fails. The optimizer can still be closed.
func TestForeignGroups(t *testing.T) {
	torch.Scope(func() {
		build := func() *optim.SGD {
			return optim.NewSGD([]*torch.Tensor{torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1))
		}
		other := build()
		defer other.Close()
		for kind, g := range map[error]*optim.ParamGroup{torch.ErrNil: nil, torch.ErrValue: other.ParamGroups()[0]} {
			o := build()
			o.ParamGroups()[0] = g
			assert.Contains(t, o.String(), "Parameter Group 0")
			assert.NotEmpty(t, g.String())
			for op, call := range map[string]func(){"SGD.Step": o.Step, "SGD.ZeroGrad": func() {
				o.ZeroGrad()
			}, "SGD.StateDict": func() { o.StateDict() }} {
				var e *torch.Error
				require.ErrorAs(t, torch.Try(call), &e)
				assert.Equal(t, op, e.Op)
				assert.Equal(t, kind, e.Kind)
			}
			require.NoError(t, o.Close())
		}
		other.Step() // still works
	})
}
