package export_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torchtest"
)

// After the program's modes or tensors have changed, a captured step refuses to replay, and
// one by shape is captured again.
func TestGraphsSeeChanges(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		change func(m *export.Module)
		says   string
	}{
		"mode": {
			func(m *export.Module) { m.Train() },
			"is in training mode, but was in the mode of the export",
		},
		"mode within": {
			func(m *export.Module) { m.Get("body.3").Train() },
			`the "Dropout" of an exported program is in training mode`,
		},
		"tensor within": {
			func(m *export.Module) {
				old := m.GetParameter("head.bias")
				m.Get("head").ModuleBase().RegisterParameter("bias", nn.NewParameter(torch.Ones(torch.Shape{2})))
				require.NoError(t, old.Close())
			},
			`the "Linear" of an exported program has a different "bias"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				m := load(t, "conv_eval")
				x := torch.Ones(torch.Shape{2, 1, 8, 8})
				step := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{m.Forward(in[0])} }
				torch.NoGrad(func() {
					g := torch.Capture(func() []*torch.Tensor { return step([]*torch.Tensor{x}) }, torch.Inputs{x})
					s := torch.CaptureByShape(step)
					defer func() {
						require.NoError(t, s.Close())
						require.NoError(t, g.Close())
						require.NoError(t, m.Close())
					}()
					g.Replay()
					for range 5 {
						s.Call(x)
					}
					require.Empty(t, s.Refused())
					c.change(m)
					require.ErrorContains(t, torch.Try(func() { g.Replay() }), c.says)
					torch.ManualSeed(1)
					want := m.Forward(x)
					torch.ManualSeed(1)
					assert.True(t, want.Equal(s.Call(x)[0]))
				})
			})
		})
	}
}
