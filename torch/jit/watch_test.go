package jit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// After the script has changed, a captured step refuses to replay. This holds even for a
// change in a submodule that package nn does not call.
func TestGraphsSeeChangesOfScripts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		model  string
		input  torch.Shape
		change func(m *jit.Module)
		says   string
	}{
		"mode": {"mlp_training", torch.Shape{2, 4}, func(m *jit.Module) {
			m.SetTraining(!m.Training())
		}, "when the step was captured"},
		"mode within": {"mlp_training", torch.Shape{2, 4}, func(m *jit.Module) {
			d := m.Submodule("drop")
			d.SetTraining(!d.Training())
		}, `the script "Dropout"`},
		"mode by SetAttr": {"mlp_training", torch.Shape{2, 4}, func(m *jit.Module) {
			d := m.Submodule("drop")
			d.SetAttr("training", !d.Training())
		}, `the script "Dropout"`},
		"tensor within": {"mlp_training", torch.Shape{2, 4}, func(m *jit.Module) {
			m.Submodule("fc1").RegisterParameter("weight", torch.Ones(torch.Shape{8, 4}))
		}, `the script "Linear" has a different "weight"`},
		"attribute": {
			"values",
			torch.Shape{2},
			func(m *jit.Module) { m.SetAttr("scale", 20) },
			"has a different attribute, set by SetAttr,",
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				m := load(t, c.model)
				x := torch.Ones(c.input)
				step := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{m.Forward(in[0])} }
				torch.NoGrad(func() {
					g := torch.Capture(func() []*torch.Tensor { return step([]*torch.Tensor{x}) }, torch.Inputs{x})
					defer g.Close()
					s := torch.CaptureByShape(step)
					defer s.Close()
					g.Replay()
					for range 5 {
						s.Call(x)
					}
					require.Empty(t, s.Refused())
					c.change(m)
					err := torch.Try(func() { g.Replay() })
					require.ErrorIs(t, err, torch.ErrValue)
					require.ErrorContains(t, err, c.says)
					for seed := range uint64(4) {
						torch.ManualSeed(seed)
						got := s.Call(x)[0]
						torch.ManualSeed(seed)
						assert.Equal(t, m.Forward(x).Float32s(), got.Float32s())
					}
				})
			})
		})
	}
}

// Eval, SetAttr and the module's attribute "training" always agree about the mode.
func TestTrainingIsAnAttribute(t *testing.T) {
	m := load(t, "mlp_training")
	m.Eval()
	drop := m.Submodule("drop")
	for _, on := range []bool{true, false} {
		drop.SetAttr("training", on)
		assert.Equal(t, on, drop.Training())
		assert.Equal(t, on, drop.Attr("training"))
		assert.False(t, m.Training())
	}
	m.SetAttr("training", true)
	assert.True(t, m.Training())
	assert.Equal(t, true, m.Attr("training"))
	assert.False(t, drop.Training(), "as in Python, those below stay in theirs")
	assert.ErrorIs(t, torch.Try(func() { m.Freeze() }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { m.SetAttr("training", 1) }), torch.ErrType)
}
