package nn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// program is a training program with one layer. A step runs Forward, a loss over all
// results, Backward and an update.
type program struct {
	module nn.Module
	in     []*torch.Tensor
}

func (p *program) step() []*torch.Tensor {
	p.module.ModuleBase().ZeroGrad()
	outs := runModule(p.module, p.in)
	var loss *torch.Tensor
	for _, o := range outs {
		if o == nil || !o.IsFloatingPoint() && !o.IsComplex() {
			continue
		}
		// Each element gets a different weight in the loss, so that the elements get
		// different gradients.
		part := o.Mul(o.Detach().Cos()).Sum()
		if o.IsComplex() {
			part = part.Abs()
		}
		if loss == nil {
			loss = part
		} else {
			loss = loss.Add(part)
		}
	}
	if torch.IsGradEnabled() && loss != nil && loss.RequiresGrad() {
		loss.Backward()
		torch.NoGrad(func() {
			for _, w := range p.module.Parameters() {
				if g := w.Grad(); g != nil {
					w.Sub_(g.MulScalar(0.01))
				}
			}
		})
	}
	var found []*torch.Tensor
	for _, o := range outs {
		if o != nil {
			found = append(found, o.Detach())
		}
	}
	return found
}

// same returns the first difference between two programs and their results, or "". NaN
// equals NaN.
func same(a, b *program, ra, rb []*torch.Tensor) string {
	equal := func(x, y *torch.Tensor) bool {
		if x == nil || y == nil {
			return x == y
		}
		return x.AllClose(y, torch.RTol(0), torch.ATol(0), torch.EqualNaN(true))
	}
	for i := range ra {
		if !equal(ra[i], rb[i]) {
			return fmt.Sprintf("result %d", i)
		}
	}
	state := b.module.StateDict()
	for i, n := range a.module.StateDict() {
		if !equal(n.Tensor, state[i].Tensor) {
			return n.Name
		}
	}
	params := b.module.Parameters()
	for i, w := range a.module.Parameters() {
		ga, gb := w.Grad(), params[i].Grad()
		if ga != nil && ga.Layout() != torch.Strided {
			ga, gb = ga.ToDense(), gb.ToDense()
		}
		if !equal(ga, gb) {
			return fmt.Sprintf("gradient %d", i)
		}
	}
	return ""
}

// notCaptured holds the layers that cannot be captured, each with the message of the
// error.
var notCaptured = map[string]string{
	"AdaptiveLogSoftmaxWithLoss":  "whose shape depends on values",
	"BatchNorm2d/all":             "reads a number from a tensor",        // Momentum nil: reads NumBatchesTracked
	"CTCLoss":                     "a tensor's values are read",          // reads the lengths
	"Embedding/all":               "not supported with sparse gradients", // fails without a graph too
	"EmbeddingBag/all":            "not supported with sparse gradients",
	"EmbeddingFromPretrained/all": "not supported with sparse gradients",
	"GaussianNLLLoss":             "reads a number from a tensor", // reads whether variances are negative
}

// A replay of each layer gives the same bits as a call without a graph, or Capture
// rejects the layer with a reason. This holds in a training step, and also without
// gradients, where libtorch runs different code.
func TestCaptureLayers(t *testing.T) {
	for _, m := range members {
		if m.in == nil {
			continue
		}
		t.Run(m.name, func(t *testing.T) { captureLayer(t, m) })
		t.Run(m.name+"/no_grad", func(t *testing.T) { torch.NoGrad(func() { captureLayer(t, m) }) })
		t.Run(m.name+"/inference", func(t *testing.T) { torch.InferenceMode(func() { captureLayer(t, m) }) })
	}
}

func captureLayer(t *testing.T, m member) {
	scoped(t, func() {
		build := func() (*program, *holder) {
			torch.ManualSeed(11)
			p := new(holder)
			p.Init(p)
			return &program{m.make(p), m.in()}, p
		}
		eager, p := build()
		defer p.Close()
		graphed, q := build()
		defer q.Close()
		var g *torch.Graph
		torch.ManualSeed(1)
		err := torch.Try(func() { g = torch.Capture(graphed.step) })
		for name, reason := range notCaptured {
			if strings.Contains(reason, "sparse gradients") && !torch.IsGradEnabled() {
				continue
			}
			if m.name == name || strings.HasPrefix(m.name, name+"/") {
				require.ErrorContains(t, err, reason)
				return
			}
		}
		require.NoError(t, err)
		defer g.Close()
		torch.ManualSeed(1)
		for range 3 {
			torch.Scope(func() { eager.step() })
		}
		for i := range 8 {
			torch.Scope(func() {
				// Use new inputs, from 0 to 1 because some layers accept no others.
				torch.NoGrad(func() {
					for k, x := range eager.in {
						if x.IsFloatingPoint() && x.Layout() == torch.Strided {
							x.Copy_(torch.RandLike(x))
							graphed.in[k].Copy_(x)
						}
					}
				})
				torch.ManualSeed(uint64(i))
				want := eager.step()
				torch.ManualSeed(uint64(i))
				assert.Empty(t, same(eager, graphed, want, g.Replay()), "step %d", i)
			})
		}
	})
}

// A replay panics if the training mode of a layer has changed since the capture. A step
// made by CaptureByShape is captured again instead.
func TestCaptureTrainingMode(t *testing.T) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{4, 8})
		made := func() *nn.Sequential {
			torch.ManualSeed(1)
			return nn.NewSequential(nn.NewLinear(8, 8), nn.NewBatchNorm1d(8), nn.NewDropout(0.5))
		}
		model, eager := made(), made()
		defer model.Close()
		defer eager.Close()
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{model.Forward(x).Detach()} })
		defer g.Close()
		model.Eval()
		err := torch.Try(func() { g.Replay() })
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, `"1" is in evaluation mode, but was in training mode when the step was captured`)
		model.Train()
		g.Replay()

		require.NoError(t, model.LoadStateDict(eager.StateDict()))
		step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{model.Forward(in[0])}
		})
		defer step.Close()
		for i := range 16 {
			model.SetTraining(i%2 == 0)
			eager.SetTraining(i%2 == 0)
			torch.ManualSeed(uint64(i))
			want := eager.Forward(x)
			torch.ManualSeed(uint64(i))
			require.True(t, want.Equal(step.Call(x)[0]), "call %d", i)
		}
		require.Equal(t, 2, step.Len())
		require.Empty(t, step.Refused())
	})
}
