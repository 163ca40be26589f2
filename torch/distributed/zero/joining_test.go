package zero_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torch/distributed/zero"
	"github.com/gotorch/gotorch/torchtest"
)

// branches has a layer that is used by none, one that is used by all and one that is used in
// the steps of an odd number.
type branches struct {
	nn.Base
	always, sometimes, never *nn.Linear
	conv                     *nn.Conv2d
	odd                      bool
}

func newBranches() *branches {
	b := &branches{}
	b.Init(b)
	b.always, b.sometimes, b.never = nn.NewLinear(4, 3, b.As("always")), nn.NewLinear(4, 3, b.As("sometimes")), nn.NewLinear(4, 3, b.As("never"))
	b.conv = nn.NewConv2d(2, 3, 2, b.As("conv"))
	torch.NoGrad(func() {
		for _, p := range b.Parameters() { // the same in each model
			torch.Scope(func() { p.Copy_(torch.Linspace(-1, 1, p.Numel()).View(p.Shape()...)) })
		}
	})
	b.conv.To(torch.ChannelsLast) // whose gradients lie otherwise than in the order of their dimensions
	return b
}

func (b *branches) Forward(x *torch.Tensor) *torch.Tensor {
	y := b.always.Forward(x).Sum().Add(b.conv.Weight.Mul(x.Mean()).Square().Sum())
	if b.odd {
		y = y.Add(b.sometimes.Forward(x).Square().Sum())
	}
	return y
}

// A rank that has no more inputs steps its part with the averages of the others: parameters are
// those of ranks that each step all of them, to the bit.
func TestJoin(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	inputs := []int{0, 5, 2}
	for name, row := range map[string]struct {
		opts []parallel.Option
		hook bool
		odd  bool
	}{
		"plain":       {opts: []parallel.Option{parallel.FindUnusedParameters(true)}},
		"odd":         {opts: []parallel.Option{parallel.FindUnusedParameters(true)}, odd: true},
		"bucket view": {opts: []parallel.Option{parallel.FindUnusedParameters(true), parallel.GradientAsBucketView(true)}, odd: true},
		"static":      {opts: []parallel.Option{parallel.StaticGraph(true)}},
		"hook":        {opts: []parallel.Option{parallel.FindUnusedParameters(true)}, hook: true},
	} {
		t.Run(name, func(t *testing.T) {
			ranks.AllWell(t, len(inputs), func(g *distributed.ProcessGroup) error {
				var final [2][]*torch.Tensor
				for divided := range final {
					model := newBranches()
					defer model.Close()
					net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, row.opts...)
					if err != nil {
						return err
					}
					defer net.Release()
					if row.hook {
						if err := net.RegisterCommHook(parallel.BF16CompressHook); err != nil {
							return err
						}
					}
					adam := optim.NewAdamW(net.Parameters(), optim.LR(0.1), optim.WeightDecay(0.5))
					defer adam.Close()
					var opt optim.Optimizer = adam
					joinables := []join.Joinable{net}
					if divided == 1 {
						z, err := zero.NewZeroRedundancyOptimizer(g, adam)
						if err != nil {
							return err
						}
						opt, joinables = z, append(joinables, z)
					}
					err = join.Join(ranks.Soon(t), joinables, func() error {
						for i := range inputs[g.Rank()] {
							torch.Scope(func() {
								model.odd = row.odd && i%2 == 1
								opt.ZeroGrad()
								net.Forward(torch.Full(torch.Shape{6, 4}, float64(g.Rank()+i)/8)).Backward()
								opt.Step()
							})
						}
						return nil
					})
					if err != nil {
						return err
					}
					final[divided] = net.Parameters()
				}
				for i, p := range final[0] {
					if !final[1][i].Equal(p) {
						return fmt.Errorf("parameter %d: %v, not %v", i, final[1][i], p)
					}
				}
				return nil
			})
		})
	}
}

func TestJoinMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var none *zero.ZeroRedundancyOptimizer
	require.Nil(t, none.JoinGroup())
	_, err := none.BeginJoin(nil)
	require.ErrorIs(t, err, torch.ErrNil)
	require.ErrorIs(t, torch.Try(none.EndJoin), torch.ErrNil)
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewSGD(parameters(3), optim.LR(1)))
		if err != nil {
			return err
		}
		_, err = z.BeginJoin(nil)
		assert.ErrorIs(t, err, torch.ErrNil)
		in := func(fn func() error) error { return join.Join(background, []join.Joinable{z}, fn) }
		assert.ErrorIs(t, in(func() error { return in(func() error { return nil }) }), torch.ErrValue, "twice")
		err = in(z.Close)
		assert.ErrorIs(t, in(func() error { return nil }), torch.ErrClosed)
		return err
	})
}
