package parallel_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func mlp() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 3))
}

// The gradients equal the gradients of the mean loss over all ranks' inputs.
func TestGradientsAreTheMean(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, opts := range [][]parallel.Option{
		nil,
		{parallel.GradientAsBucketView(true)},
		{parallel.FindUnusedParameters(true)},
		{parallel.StaticGraph(true)},
		{parallel.BucketCapMB(1e-4)},
		{parallel.StaticGraph(true), parallel.BucketCapMB(1e-4), parallel.GradientAsBucketView(true)},
		{parallel.BucketCapMBList{1e-4, 2e-4}},
	} {
		for _, n := range []int{1, 2, 5} {
			ranks.AllWell(t, n, func(g *distributed.ProcessGroup) error {
				model := mlp() // the values are random, so each rank's model differs
				net, err := parallel.NewDistributedDataParallel(background, model, g, opts...)
				if err != nil {
					return err
				}
				defer net.Close()
				for step := range 4 {
					gen := torch.NewGenerator(torch.CPU)
					gen.ManualSeed(uint64(step))
					x := torch.Randn(torch.Shape{int64(2 * n), 4}, gen)
					net.Forward(x.Narrow(0, int64(2*g.Rank()), 2)).Square().Mean().Backward()
					want := torch.Grad([]*torch.Tensor{model.Forward(x).Square().Mean()}, model.Parameters())
					for i, p := range model.Parameters() {
						// The gradients are sums of at most 10 terms, added in a different order.
						if !p.Grad().AllClose(want[i], torch.RTol(1e-5), torch.ATol(1e-6)) {
							return fmt.Errorf("step %d, parameter %d: %v, not %v", step, i, p.Grad(), want[i])
						}
					}
					net.ZeroGrad()
				}
				return nil
			})
		}
	}
}

// The graph keeps alive what its backward pass needs, even if nothing else refers to it.
func TestGraphKeepsTheReducer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := mlp()
		var loss *torch.Tensor
		func() {
			net, err := wrap(g, model)
			if err != nil {
				panic(err)
			}
			loss = net.Forward(torch.Full(torch.Shape{2, 4}, float64(g.Rank()))).Sum()
			net.Release() // the garbage collector could release the buckets here, between Forward and Backward
		}()
		runtime.GC()
		runtime.GC()
		loss.Backward()
		grad := model.Parameters()[0].Grad()
		sum := grad.Clone()
		if err := g.AllReduce(background, sum, distributed.Avg); err != nil {
			return err
		}
		if !sum.Equal(grad) {
			return fmt.Errorf("the gradients were not averaged: %v, not %v", grad, sum)
		}
		return model.Close()
	})
}

// With a static graph, gradients accumulate within NoSync from the second iteration on. Before that
// it is an error, because the reducer would wait for gradients that never come.
func TestNoSyncOfAStaticGraph(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := mlp()
		net, err := wrap(g, model, parallel.StaticGraph(true))
		if err != nil {
			return err
		}
		defer net.Close()
		pass := func() { net.Forward(torch.Full(torch.Shape{2, 4}, float64(g.Rank()))).Square().Sum().Backward() }
		err = torch.Try(func() { net.NoSync(pass) })
		if !errors.Is(err, torch.ErrValue) {
			return fmt.Errorf("not ErrValue: %w", err)
		}
		assert.ErrorContains(t, err, "outside of NoSync")
		torch.NoGrad(func() { net.NoSync(func() { net.Forward(torch.Ones(torch.Shape{2, 4})) }) })
		pass()
		for range 3 {
			net.ZeroGrad()
			net.NoSync(pass)
			pass()
			grads := make([]nn.NamedTensor, 0, 4)
			for _, p := range model.NamedParameters() {
				grads = append(grads, nn.NamedTensor{Name: p.Name, Tensor: p.Tensor.Grad()})
			}
			if err := hasValuesOfRank0(g, grads); err != nil {
				return err
			}
		}
		return nil
	})
}
