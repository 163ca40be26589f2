package nn_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// chain returns random layers that keep the shape (4, 6, 8) or restore it.
func chain(draw *rand.Rand) []nn.Layer {
	layers := []func() nn.Layer{
		func() nn.Layer { return nn.NewLinear(8, 8, nn.Bias(draw.IntN(2) == 0)) },
		func() nn.Layer { return nn.NewConv1d(6, 6, 3, nn.Padding(1)) },
		func() nn.Layer { return nn.NewBatchNorm1d(6) },
		func() nn.Layer { return nn.NewLayerNorm([]int64{8}) },
		func() nn.Layer { return nn.NewGroupNorm(2, 6) },
		func() nn.Layer { return nn.NewInstanceNorm1d(6) },
		func() nn.Layer { return nn.NewDropout(0.3) },
		func() nn.Layer { return nn.NewAlphaDropout(0.2) },
		func() nn.Layer { return nn.NewReLU(nn.Inplace(draw.IntN(2) == 0)) },
		func() nn.Layer { return nn.NewGELU() },
		func() nn.Layer { return nn.NewSiLU() },
		func() nn.Layer { return nn.NewTanh() },
		func() nn.Layer { return nn.NewSigmoid() },
		func() nn.Layer { return nn.NewELU() },
		func() nn.Layer { return nn.NewLeakyReLU(0.01) },
		func() nn.Layer { return nn.NewPReLU() },
		func() nn.Layer { return nn.NewSoftplus() },
		func() nn.Layer { return nn.NewHardswish() },
		func() nn.Layer { return nn.NewMish() },
		func() nn.Layer { return nn.NewSoftmax(-1) },
		func() nn.Layer { return nn.NewLogSoftmax(-1) },
		func() nn.Layer { return nn.NewMaxPool1d(3, nn.Stride(1), nn.Padding(1)) },
		func() nn.Layer { return nn.NewAvgPool1d(3, nn.Stride(1), nn.Padding(1)) },
	}
	all := make([]nn.Layer, 1+draw.IntN(6))
	for i := range all {
		all[i] = layers[draw.IntN(len(layers))]()
	}
	return all
}

// drawn is a random training program: its inputs, layers and optimizer.
type drawn struct {
	module nn.Module
	in     []*torch.Tensor
	fresh  func(x *torch.Tensor) // fills an input with new random numbers
	loss   func(in []*torch.Tensor) (loss *torch.Tensor, results []*torch.Tensor)
	opt    optim.Optimizer // nil if there is nothing to train
}

func (d *drawn) step() []*torch.Tensor {
	d.module.ModuleBase().ZeroGrad()
	loss, outs := d.loss(d.in)
	if loss != nil && loss.RequiresGrad() {
		loss.Backward()
		if d.opt != nil {
			d.opt.Step()
		}
	}
	for i, o := range outs {
		outs[i] = o.Detach()
	}
	return outs
}

func (d *drawn) Close() {
	if d.opt != nil {
		_ = d.opt.Close()
	}
	_ = d.module.(interface{ Close() error }).Close() //nolint:forcetypeassert // both kinds have one
}

// optimized adds a random optimizer for all trainable tensors.
func (d *drawn) optimized(draw *rand.Rand) *drawn {
	if ps := d.module.Parameters(); len(ps) > 0 {
		d.opt = []func() optim.Optimizer{
			func() optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.01), optim.Momentum(0.9)) },
			func() optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.01), optim.Fused(true)) },
			func() optim.Optimizer { return optim.NewRMSprop(ps, optim.LR(0.01)) },
			func() optim.Optimizer { return optim.NewNAdam(ps, optim.LR(0.01)) },
		}[draw.IntN(4)]()
	}
	return d
}

// weighed returns a loss in which each element of outs has a different weight, so that
// the elements get different gradients.
func weighed(outs []*torch.Tensor) (loss *torch.Tensor, results []*torch.Tensor) {
	for _, o := range outs {
		if o == nil {
			continue
		}
		results = append(results, o)
		if !o.IsFloatingPoint() {
			continue
		}
		if part := o.Mul(o.Detach().Cos()).Sum(); loss == nil {
			loss = part
		} else {
			loss = loss.Add(part)
		}
	}
	return loss, results
}

// drawChain returns a training program for a chain of random layers.
func drawChain(draw *rand.Rand) (*drawn, nn.Module) {
	m := nn.NewSequential(append([]nn.Layer{nn.NewLinear(8, 8)}, chain(draw)...)...)
	d := &drawn{module: m, in: []*torch.Tensor{torch.Randn(torch.Shape{4, 6, 8})}, fresh: func(x *torch.Tensor) {
		x.Normal_(0, 1)
	}}
	d.loss = func(in []*torch.Tensor) (*torch.Tensor, []*torch.Tensor) {
		return weighed([]*torch.Tensor{m.Forward(in[0])})
	}
	return d.optimized(draw), m
}

// drawMembers returns a training program for one to three random members, each with its
// own inputs.
func drawMembers(draw *rand.Rand) (*drawn, nn.Module) {
	var can []member
	for _, m := range members {
		refused := slices.ContainsFunc(slices.Collect(maps.Keys(notCaptured)), func(name string) bool {
			return m.name == name || strings.HasPrefix(m.name, name+"/")
		})
		if m.in != nil && !refused {
			can = append(can, m)
		}
	}
	p := new(holder)
	p.Init(p)
	d := &drawn{module: p, fresh: func(x *torch.Tensor) {
		if x.IsFloatingPoint() && x.Layout() == torch.Strided {
			x.Copy_(torch.RandLike(x)) // numbers from 0 to 1, because some layers accept no others
		}
	}}
	type part struct {
		m        nn.Module
		from, to int
	}
	var parts []part
	for i := range 1 + draw.IntN(3) {
		// Each member gets its own holder, because all members register under the same
		// name.
		m, h := can[draw.IntN(len(can))], new(holder)
		h.Init(h)
		p.Register(fmt.Sprint("part", i), h)
		made, in := m.make(h), m.in()
		parts = append(parts, part{made, len(d.in), len(d.in) + len(in)})
		d.in = append(d.in, in...)
	}
	d.loss = func(in []*torch.Tensor) (*torch.Tensor, []*torch.Tensor) {
		var outs []*torch.Tensor
		for _, part := range parts {
			outs = append(outs, runModule(part.m, in[part.from:part.to])...)
		}
		return weighed(outs)
	}
	return d.optimized(draw), p
}

// Over 50 steps, random programs give bit-identical results, parameters, buffers and
// gradients with and without a graph. The programs are chains of layers, or members, with
// optimizers.
func TestCapturePrograms(t *testing.T) {
	programs := sanitized.Or(thorough.Or(1000, 150), 100)
	ran := 0
	for i := range programs {
		scoped(t, func() {
			build := func() (*drawn, nn.Module) {
				draw := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // a test's
				torch.ManualSeed(uint64(i))
				if i%2 == 0 {
					return drawChain(draw)
				}
				return drawMembers(draw)
			}
			eager, em := build()
			graphed, gm := build()
			defer eager.Close()
			defer graphed.Close()
			torch.ManualSeed(1)
			wrong := torch.Try(func() {
				for range 3 {
					torch.Scope(func() { eager.step() })
				}
			})
			torch.ManualSeed(1)
			var g *torch.Graph
			err := torch.Try(func() { g = torch.Capture(graphed.step) })
			// If the program fails without a graph, for example because an in-place layer
			// changes a tensor that the backward pass needs, Capture must fail too.
			if wrong != nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err, "program %d:\n%s", i, em)
			ran++
			defer g.Close()
			a, b := &program{module: em}, &program{module: gm}
			for k := range 50 {
				torch.Scope(func() {
					torch.ManualSeed(uint64(k))
					torch.NoGrad(func() {
						for j, x := range eager.in {
							eager.fresh(x)
							graphed.in[j].Copy_(x)
						}
					})
					torch.ManualSeed(uint64(k))
					want := eager.step()
					torch.ManualSeed(uint64(k))
					got := g.Replay()
					if k%10 == 9 || k == 0 {
						require.Empty(t, same(a, b, want, got), "program %d, step %d:\n%s", i, k, em)
					} else if len(want) > 0 {
						last := len(want) - 1
						require.True(t,
							want[last].AllClose(got[last], torch.RTol(0), torch.ATol(0), torch.EqualNaN(true)),
							"program %d, step %d:\n%s", i, k, em)
					}
				})
			}
		})
	}
	t.Logf("%d of %d programs can be run", ran, programs)
	assert.Greater(t, ran, programs*9/10)
}
