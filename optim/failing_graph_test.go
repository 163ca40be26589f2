package optim_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A step that runs out of memory can be repeated, with one exception: if only the memory for the
// returned loss is missing, the optimizer has already stepped, because the loss is copied
// afterwards.
func TestGraphedStepOutOfMemory(t *testing.T) {
	for name, before := range map[string]int{
		"eager": 0, "first recording": 1, "second recording": 2, "audit": 3, "replay": 4,
	} {
		faults := failing.Sweep(func() failing.Case {
			torch.ManualSeed(1)
			model := nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewLinear(3, 1))
			o := optim.NewAdam(model.Parameters(), optim.Fused(true))
			step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
				return model.Forward(batch[0]).Square().Sum()
			}, o)
			x := torch.Rand(torch.Shape{4, 2})
			for range before {
				step.Call(x)
			}
			return failing.Case{
				Close: []io.Closer{step, o, model},
				Call:  failing.Do(func() { step.Call(x) }),
				State: func() (all []*torch.Tensor) {
					for _, p := range model.Parameters() {
						state := o.State(p)
						all = append(all, p, state["step"], state["exp_avg"], state["exp_avg_sq"])
					}
					return all
				},
			}
		})
		assert.Positive(t, faults.Failed, name)
		assert.Empty(t, faults.Other, name)
		for _, fault := range []string{faults.Changed, faults.Retried} {
			if fault != "" {
				if name == "second recording" { // the graph is made after the loss is copied
					assert.Equal(t, faults.Changed, faults.Retried)
					continue
				}
				var n, total int
				_, err := fmt.Sscanf(fault, "allocation %d of %d", &n, &total)
				assert.NoError(t, err)
				assert.Equal(t, total-1, n, "%s: %s", name, fault)
			}
		}
	}
}

// If memory runs out while a step is recorded or audited, operators may be called again,
// and the recording is not used. Later calls still run as graphs, with the same results
// as steps without graphs.
func TestRetriedOperatorsDoNotEndGraphs(t *testing.T) {
	type training struct {
		model *nn.Sequential
		opt   *optim.Adam
	}
	made := func() training {
		torch.ManualSeed(1)
		model := nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewLinear(3, 1))
		return training{model, optim.NewAdam(model.Parameters(), optim.Fused(true))}
	}
	loss := func(r training, x *torch.Tensor) *torch.Tensor { return r.model.Forward(x).Square().Sum() }
	for before := range 4 {
		for at := int64(0); at < 120; at += 3 {
			torch.Scope(func() {
				a, b := made(), made()
				for _, r := range []training{a, b} {
					defer r.model.Close()
					defer r.opt.Close()
				}
				step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor { return loss(b, batch[0]) }, b.opt)
				defer step.Close()
				x := torch.Rand(torch.Shape{4, 2})
				equal := true
				for i := range 12 {
					call := func() { step.Call(x) }
					if i == before {
						call = func() { failing.At(at, func() { step.Call(x) }) }
					}
					if torch.Try(call) != nil {
						return // the other test checks calls that fail
					}
					a.opt.ZeroGrad()
					loss(a, x).Backward()
					a.opt.Step()
					for k, p := range a.model.Parameters() {
						equal = equal && p.Equal(b.model.Parameters()[k])
					}
				}
				assert.True(t, equal, "allocation %d of call %d", at, before)
				assert.Empty(t, step.Refused(), "allocation %d of call %d", at, before)
				assert.Equal(t, 1, step.Len(), "allocation %d of call %d", at, before)
			})
		}
	}
}

// Capture reports that memory ran out during a recording, even if the operator then succeeded.
func TestCaptureOutOfMemory(t *testing.T) {
	faults := failing.Sweep(func() failing.Case {
		torch.ManualSeed(1)
		model := nn.NewSequential(nn.NewLinear(2, 3), nn.NewReLU(), nn.NewLinear(3, 1))
		o := optim.NewAdam(model.Parameters(), optim.Fused(true))
		x := torch.Rand(torch.Shape{4, 2})
		return failing.Case{
			Close: []io.Closer{o, model},
			Call: failing.Do(func() {
				_ = torch.Capture(func() []*torch.Tensor {
					o.ZeroGrad()
					loss := model.Forward(x).Square().Sum()
					loss.Backward()
					o.Step()
					return []*torch.Tensor{loss}
				}).Close()
			}),
			State: func() []*torch.Tensor { return nil },
		}
	})
	assert.Positive(t, faults.Failed)
	assert.Empty(t, faults.Other)
}

// A call that fails after its backward pass may have added its gradients. The next call
// then begins a new round, with and without a graph.
func TestFailedCallsEndTheRound(t *testing.T) {
	for _, graphed := range []bool{false, true} {
		torch.Scope(func() {
			w := torch.Ones(torch.Shape{2}).RequiresGrad_()
			o := optim.NewSGD(list(w), optim.LR(0.5))
			defer o.Close()
			fail := false
			step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
				return w.Mul(batch[0]).Sum()
			}, o, optim.Accumulate(2), optim.BeforeStep(func() {
				if fail {
					panic(torch.NewError("BeforeStep", torch.ErrValue, "fail", "it fails"))
				}
			}))
			defer step.Close()
			ones := torch.Ones(torch.Shape{2})
			calls := 2 // a round
			if graphed {
				calls = 12
			}
			for range calls {
				step.Call(ones)
			}
			before := w.Float32s()
			fail = !graphed
			if !graphed {
				step.Call(ones)
				assert.Error(t, torch.Try(func() { step.Call(ones) }))
				fail = false
			} else {
				step.Call(ones)
				assert.Error(t, torch.Try(func() { step.Call(torch.Ones(torch.Shape{3})) }), "it does not broadcast")
			}
			step.Call(ones.MulScalar(3))
			assert.Equal(t, before, w.Float32s(), "the first call of a round")
			step.Call(ones.MulScalar(5))
			assert.Equal(t, []float32{before[0] - 2, before[1] - 2}, w.Float32s(), "half of the mean of 3 and 5")
		})
	}
}
