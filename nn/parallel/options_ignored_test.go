package parallel_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// tied has a weight and a buffer that each have two names.
type tied struct {
	nn.Base
	a, b *nn.Linear
}

func newTied() *tied {
	m := new(tied)
	m.Init(m)
	m.a, m.b = nn.NewLinear(2, 2, m.As("a")), nn.NewLinear(2, 2, nn.Bias(false), m.As("b"))
	_ = m.b.Weight.Close()
	m.b.RegisterParameter("weight", m.a.Weight)
	m.b.RegisterBuffer("last", m.a.RegisterBuffer("first", torch.Zeros(nil)))
	return m
}

// If an ignored name matches nothing, all ranks get an error that lists the existing names.
func TestIgnoreWithoutEffect(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	large := func() nn.Module {
		var layers []nn.Layer
		for range 15 {
			layers = append(layers, nn.NewLinear(1, 1))
		}
		return nn.NewSequential(layers...)
	}
	for _, row := range []struct {
		make   func() nn.Module
		ignore parallel.Ignore
		want   string
	}{
		{
			func() nn.Module { return nn.NewBatchNorm1d(2) },
			parallel.Ignore{"wieght"},
			`no parameter or buffer "wieght"; it has weight, bias, running_mean, running_var, num_batches_tracked`,
		},
		{
			func() nn.Module { return nn.NewBatchNorm1d(2) },
			parallel.Ignore{"running_var", "module.bias"},
			`"module.bias"; it has weight, bias`,
		},
		{large, parallel.Ignore{""}, "9.weight, 9.bias and 10 more"},
		{
			func() nn.Module { return newTied() },
			parallel.Ignore{"b.weight"},
			"b.weight is the same tensor as a.weight; name both",
		},
		{
			func() nn.Module { return newTied() },
			parallel.Ignore{"a.weight"},
			"a.weight is the same tensor as b.weight; name both",
		},
		{
			func() nn.Module { return newTied() },
			parallel.Ignore{"b.last"},
			"b.last is the same tensor as a.first; name both",
		},
	} {
		for _, n := range []int{1, 2} {
			for r, err := range ranks.Run(t, n, func(g *distributed.ProcessGroup) error {
				model := row.make()
				defer model.Close()
				return fails(g, model, row.ignore)
			}) {
				require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
				require.ErrorContains(t, err, "Ignore")
				require.ErrorContains(t, err, row.want)
			}
		}
	}
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := newTied()
		defer model.Close()
		torch.NoGrad(func() { model.a.Weight.Fill_(float64(g.Rank())) })
		model.b.GetBuffer("last").Fill_(float64(g.Rank()))
		net, err := wrap(g, model, parallel.Ignore{"a.weight", "b.weight", "a.first", "b.last"})
		if err != nil {
			return err
		}
		defer net.Release()
		x := torch.Full(torch.Shape{1, 2}, float64(1+g.Rank()))
		for range 2 {
			model.ZeroGrad()
			net.ForwardFunc(func() []*torch.Tensor { return []*torch.Tensor{model.a.Forward(x)} })[0].Sum().Backward()
		}
		own := float64(g.Rank())
		assert.InDelta(t, own, model.a.Weight.Select(0, 0).Select(0, 0).Item(), 0, "not sent")
		assert.InDelta(t, own, model.a.GetBuffer("first").Item(), 0)
		assert.InDelta(t, 1+own, model.a.Weight.Grad().Select(0, 0).Select(0, 0).Item(), 0, "not averaged")
		return nil
	})
}

// If unused parameters are not searched for, they are still sent.
func TestSkipAllReduceUnusedParams(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	skip := parallel.SkipAllReduceUnusedParams(true)
	for _, opts := range [][]parallel.Option{
		{skip},
		{parallel.FindUnusedParameters(true), skip, parallel.FindUnusedParameters(false)},
	} {
		for _, n := range []int{1, 2} {
			for r, err := range ranks.Run(t, n, func(g *distributed.ProcessGroup) error {
				model := newBranches()
				defer model.Close()
				return fails(g, model, opts...)
			}) {
				require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
				require.ErrorContains(t, err, "SkipAllReduceUnusedParams: needs the search for unused parameters; "+
					"set FindUnusedParameters(true) or StaticGraph(true) too")
			}
		}
	}
	for _, looks := range []parallel.Option{parallel.FindUnusedParameters(true), parallel.StaticGraph(true)} {
		for _, row := range []struct {
			skip parallel.SkipAllReduceUnusedParams
			sent int
		}{{false, 6}, {true, 4}} {
			t.Run(fmt.Sprintf("%T/%v", looks, row.skip), func(t *testing.T) {
				ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
					model := newBranches()
					defer model.Close()
					net, err := wrap(g, model, looks, row.skip, parallel.BucketCapMB(1e-6))
					if err != nil {
						return err
					}
					defer net.Release()
					sent := 0
					if err := net.RegisterCommHook(func(ctx context.Context,
						b *distributed.GradBucket,
					) (func(context.Context) (*torch.Tensor, error), error) {
						sent++
						return parallel.AllReduceHook(ctx, b)
					}); err != nil {
						return err
					}
					for range 3 {
						sent = 0
						net.Forward(torch.Ones(torch.Shape{2, 6})).Sum().Backward()
					}
					assert.Equal(t, row.sent, sent, "of the last pass")
					return nil
				})
			})
		}
	}
}

// An empty list, like None in Python, cancels an earlier list, so BucketCapMB applies.
func TestEmptyBucketCapMBList(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	buckets := func(opts ...parallel.Option) (bytes []int64) {
		ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
			net, err := wrap(g, mlp(), opts...)
			if err != nil {
				return err
			}
			defer net.Close()
			for range 2 {
				if err := pass(net); err != nil {
					return err
				}
			}
			all, err := net.BucketBytes()
			if g.Rank() == 0 {
				bytes = all
			}
			return err
		})
		return bytes
	}
	small := parallel.BucketCapMB(1e-5)
	none := parallel.BucketCapMBList{}
	require.NotEqual(t, buckets(), buckets(small))
	require.Equal(t, buckets(), buckets(none))
	require.Equal(t, buckets(), buckets(parallel.BucketCapMBList{1e-5}, none))
	require.Equal(t, buckets(small), buckets(small, none))
	require.Equal(t, buckets(), buckets(small, parallel.BucketCapMBList{1}))
}
