package parallel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torchtest"
)

// near compares tensors, with a tolerance for the rounding of sums of up to a hundred
// terms.
func near(what string, got, want *torch.Tensor, eps float64) error {
	if !got.To(torch.Float64).AllClose(want.To(torch.Float64), torch.RTol(100*eps), torch.ATol(100*eps)) {
		return fmt.Errorf("%s: %v, not %v", what, got, want)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ownNorm embeds a batch normalization.
type ownNorm struct{ *nn.BatchNorm2d }

func newOwnNorm() nn.Layer {
	n := &ownNorm{nn.NewBatchNorm2d(3)}
	n.Init(n)
	return n
}

// Each rank has some rows of a batch. Outputs, gradients and running statistics equal those of one
// BatchNorm over all rows. The ranks have different numbers of rows, and one rank has none.
func TestSyncBatchNorm(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, row := range map[string]struct {
		make  func() nn.Layer
		shape torch.Shape
		dtype torch.DType
		eps   float64
	}{
		"1d":        {func() nn.Layer { return nn.NewBatchNorm1d(3) }, torch.Shape{6, 3}, torch.Float32, 0x1p-23},
		"sequences": {func() nn.Layer { return nn.NewBatchNorm1d(3) }, torch.Shape{6, 3, 5}, torch.Float32, 0x1p-23},
		"2d": {
			func() nn.Layer { return nn.NewBatchNorm2d(3) },
			torch.Shape{6, 3, 2, 4},
			torch.Float32,
			0x1p-23,
		},
		"3d": {
			func() nn.Layer { return nn.NewBatchNorm3d(3, nn.DType(torch.Float64)) },
			torch.Shape{6, 3, 2, 2, 2},
			torch.Float64, 0x1p-52,
		},
		"no affine": {
			func() nn.Layer { return nn.NewBatchNorm2d(3, nn.Affine(false)) },
			torch.Shape{6, 3, 2, 2},
			torch.Float32, 0x1p-23,
		},
		"cumulative": {
			func() nn.Layer { return nn.NewBatchNorm2d(3, nn.MomentumNone) },
			torch.Shape{6, 3, 2, 2},
			torch.Float32, 0x1p-23,
		},
		"no stats": {
			func() nn.Layer { return nn.NewBatchNorm2d(3, nn.TrackRunningStats(false)) },
			torch.Shape{6, 3, 2, 2},
			torch.Float32, 0x1p-23,
		},
		"bfloat16": {func() nn.Layer { return nn.NewBatchNorm2d(3) }, torch.Shape{6, 3, 2, 2}, torch.BFloat16, 0x1p-8},
		"own":      {newOwnNorm, torch.Shape{6, 3, 2, 2}, torch.Float32, 0x1p-23},
	} {
		for _, rows := range [][]int64{{6}, {2, 4}, {3, 0, 3}, {1, 2, 3}} {
			t.Run(fmt.Sprint(name, rows), func(t *testing.T) {
				ranks.AllWell(t, len(rows), func(g *distributed.ProcessGroup) error {
					whole := row.make()
					defer whole.Close()
					mine := nn.DeepCopy(whole).(nn.Layer)
					parallel.ConvertSyncBatchNorm(mine, g)
					defer mine.Close()
					from := int64(0)
					for _, n := range rows[:g.Rank()] {
						from += n
					}
					n := rows[g.Rank()]
					for step := range 3 {
						gen := torch.NewGenerator(torch.CPU)
						gen.ManualSeed(uint64(step))
						// The means are far from zero. There, a variance that is computed from sums
						// of squares would lose all digits.
						x := torch.Randn(row.shape, gen).AddScalar(float64(10 * step)).To(row.dtype).RequiresGrad_()
						w := torch.Randn(row.shape, gen).To(row.dtype)
						part := x.Detach().Narrow(0, from, n).Clone().RequiresGrad_()
						want, got := whole.Forward(x), mine.Forward(part)
						want.Mul(w).Sum().Backward()
						got.Mul(w.Narrow(0, from, n)).Sum().Backward()
						if err := first(
							near("output", got, want.Narrow(0, from, n), row.eps),
							near("gradient", part.Grad(), x.Grad().Narrow(0, from, n), 4*row.eps),
						); err != nil {
							return err
						}
						for i, p := range mine.Parameters() {
							sum := p.Grad().Clone()
							if err := g.AllReduce(background, sum); err != nil {
								return err
							}
							if err := near("gradient of a parameter", sum, whole.Parameters()[i].Grad(),
								16*row.eps); err != nil {
								return err
							}
						}
						whole.ZeroGrad()
						mine.ZeroGrad()
					}
					for _, b := range whole.StateDict() {
						if err := near(b.Name, mine.StateDict().Get(b.Name), b.Tensor, 4*row.eps); err != nil {
							return err
						}
					}
					whole.Eval()
					mine.Eval()
					x := torch.Ones(row.shape, row.dtype)
					return near("evaluation", mine.Forward(x), whole.Forward(x), 8*row.eps)
				})
			})
		}
	}
}

// With DistributedDataParallel, the gradients equal those of one process with the whole batch.
func TestSyncBatchNormInDDP(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewSequential(nn.NewConv2d(1, 2, 3, nn.DType(torch.Float64)),
			nn.NewBatchNorm2d(2, nn.DType(torch.Float64)), nn.NewReLU())
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		whole := nn.DeepCopy(model).(*nn.Sequential)
		defer whole.Close()
		parallel.ConvertSyncBatchNorm(net, g)
		gen := torch.NewGenerator(torch.CPU)
		gen.ManualSeed(1)
		x := torch.Randn(torch.Shape{4, 1, 5, 5}, torch.Float64, gen)
		whole.Forward(x).Square().Mean().Backward()
		net.Forward(x.Narrow(0, int64(2*g.Rank()), 2)).Square().Mean().Backward()
		for i, p := range model.Parameters() {
			if err := near("gradient", p.Grad(), whole.Parameters()[i].Grad(), 0x1p-48); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestSyncBatchNormMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	bn := nn.NewBatchNorm2d(3)
	defer bn.Close()
	require.ErrorIs(t, torch.Try(func() { parallel.ConvertSyncBatchNorm(bn, nil) }), torch.ErrNil)
	for r, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		assert.ErrorIs(t, torch.Try(func() { parallel.ConvertSyncBatchNorm(nil, g) }), torch.ErrNil)
		l := nn.NewBatchNorm2d(3)
		parallel.ConvertSyncBatchNorm(l, g)
		defer l.Close()
		assert.ErrorIs(t, torch.Try(func() { l.Forward(torch.Ones(torch.Shape{2, 4, 2, 2})) }), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() { l.Forward(torch.Ones(torch.Shape{0, 3, 2, 2})) }), torch.ErrValue)
		x := torch.Randn(torch.Shape{2, 3, 2, 2}).RequiresGrad_()
		y := l.Forward(x)
		if g.Rank() == 1 {
			return g.Close()
		}
		err := torch.Try(func() { y.Sum().Backward() })
		var e *distributed.Error
		assert.ErrorAs(t, err, &e)
		return err
	}) {
		if r == 0 {
			require.ErrorIs(t, err, distributed.ErrPeer)
		} else {
			require.NoError(t, err)
		}
	}
}

// Second derivatives fail, because they would ignore the exchange between ranks.
func TestSyncBatchNormSecondDerivative(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		l := nn.NewBatchNorm1d(2)
		defer l.Close()
		parallel.ConvertSyncBatchNorm(l, g)
		x := torch.Randn(torch.Shape{3, 2}).RequiresGrad_()
		y := l.Forward(x).Square().Sum()
		err := torch.Try(func() { torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.CreateGraph(true)) })
		require.ErrorIs(t, err, torch.ErrNotImplemented)
		require.ErrorContains(t, err, "second derivatives")
		return nil
	})
}

// Join rejects a module with converted layers unless all ranks end together. A rank
// without inputs sends no statistics, so the layers of the other ranks would wait for it,
// or mistake other data for its statistics.
func TestJoinWithSyncBatchNorm(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, throw := range []join.ThrowOnEarlyTermination{false, true} {
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			model := nn.NewSequential(nn.NewLinear(4, 4), nn.NewBatchNorm1d(4))
			defer model.Close()
			parallel.ConvertSyncBatchNorm(model, g)
			net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
			if err != nil {
				return err
			}
			defer net.Release()
			return net.Join(ranks.Soon(t), func() error {
				for range 2 + g.Rank() {
					if err := torch.Try(func() {
						net.Forward(torch.Randn(torch.Shape{3, 4})).Sum().Backward()
					}); err != nil {
						return err
					}
				}
				return nil
			}, throw)
		})
		for r, err := range errs {
			if throw {
				require.ErrorIs(t, err, join.ErrExhausted, "rank %d", r)
			} else {
				require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
				require.ErrorContains(t, err, "ThrowOnEarlyTermination(true)")
			}
		}
	}
}
