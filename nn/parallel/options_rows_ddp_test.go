package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// ddpRows returns the functions of DistributedDataParallel that take options.
func ddpRows(t *testing.T) map[string]optiontest.Row {
	return map[string]optiontest.Row{
		"NewDistributedDataParallel": optiontest.For(func(opts ...parallel.Option) optiontest.Outcome {
			out := optiontest.Outcome{}
			onTwo(t, func(g *distributed.ProcessGroup, meet func()) error { return ddpDoes(g, meet, out, opts) })
			onTwo(t, func(g *distributed.ProcessGroup, _ func()) error { return skips(g, out, opts) })
			return together(out)
		},
			optiontest.Values(parallel.BroadcastBuffers(true), parallel.BroadcastBuffers(false)),
			optiontest.Values(parallel.InitSync(true), parallel.InitSync(false)),
			optiontest.Values(parallel.BucketCapMB(1e-5), parallel.BucketCapMB(1)),
			optiontest.Values(parallel.BucketCapMBList{1e-5}, parallel.BucketCapMBList{1}),
			optiontest.Values(parallel.FindUnusedParameters(true), parallel.FindUnusedParameters(false)),
			optiontest.Values(parallel.GradientAsBucketView(true), parallel.GradientAsBucketView(false)),
			optiontest.Values(parallel.StaticGraph(true), parallel.StaticGraph(false)),
			optiontest.Values(parallel.SkipAllReduceUnusedParams(true), parallel.SkipAllReduceUnusedParams(false)),
			optiontest.Values(parallel.Ignore{"a.weight"}, parallel.Ignore{}),
		),
		"DistributedDataParallel.Join": optiontest.For(func(opts ...join.Option) optiontest.Outcome {
			out := optiontest.Outcome{}
			onTwo(t, func(g *distributed.ProcessGroup, _ func()) error { return joinDoes(g, out, opts) })
			return together(out)
		},
			optiontest.Values(join.Enable(true), join.Enable(false)),
			optiontest.Values(join.ThrowOnEarlyTermination(true), join.ThrowOnEarlyTermination(false)),
			optiontest.Values(join.DivideByInitialWorldSize(true), join.DivideByInitialWorldSize(false)),
		),
	}
}

// onTwo runs fn on two ranks, and panics with rank 1's *torch.Error. meet waits until both ranks
// have called it.
func onTwo(t *testing.T, fn func(g *distributed.ProcessGroup, meet func()) error) {
	there := make(chan bool)
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		return fn(g, func() {
			if g.Rank() == 0 {
				there <- true
			} else {
				<-there
			}
		})
	})
	var e *torch.Error
	if errors.As(errs[1], &e) {
		panic(e)
	}
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

// together combines all parts of an outcome into one, because each option changes only some of
// them.
func together(out optiontest.Outcome) optiontest.Outcome {
	return optiontest.Outcome{"done": fmt.Sprint(map[string]string(out))}
}

// twoBranches is a module with a buffer and two branches. Each pass uses one of the
// branches.
type twoBranches struct {
	*branches
	buffer *torch.Tensor
}

func newTwoBranches() *twoBranches {
	m := &twoBranches{branches: newBranches()}
	m.buffer = m.RegisterBuffer("buffer", torch.Zeros(nil))
	return m
}

// ddpDoes runs a module with the options, and records on rank 1 what the options change.
func ddpDoes(g *distributed.ProcessGroup, meet func(), all optiontest.Outcome, opts []parallel.Option) error {
	out := all
	if g.Rank() == 0 {
		out = optiontest.Outcome{}
	}
	model := newTwoBranches()
	defer model.Close()
	torch.NoGrad(func() {
		for _, p := range model.Parameters() {
			p.Fill_(0.1)
		}
		model.a.Bias.Fill_(float64(g.Rank()))
	})
	if slices.ContainsFunc(opts, func(o parallel.Option) bool {
		_, is := o.(parallel.SkipAllReduceUnusedParams)
		return is
	}) {
		// SkipAllReduceUnusedParams needs this option.
		opts = append([]parallel.Option{parallel.FindUnusedParameters(true)}, opts...)
	}
	net, err := parallel.NewDistributedDataParallel(background, model.branches, g, opts...)
	if err != nil {
		return err
	}
	defer net.Release()
	out["values"] = fmt.Sprint(model.a.Bias.Detach().Narrow(0, 0, 1).Item())
	model.buffer.Fill_(float64(5 + g.Rank()))
	pass := func(sign float64) {
		if err == nil {
			err = torch.Try(func() {
				net.Forward(torch.Full(torch.Shape{2, 6}, sign*float64(1+g.Rank()))).Sum().Backward()
			})
		}
	}
	pass(1)
	if err != nil {
		return err
	}
	meet() // wait for the other rank, because an error in the next pass ends both ranks
	out["buffer"] = fmt.Sprint(model.buffer.Item())
	bias := model.a.Bias.Grad()
	out["average"] = fmt.Sprint(model.a.Weight.Grad().Norm().Item(), bias.Norm().Item())
	out["view"] = fmt.Sprint(bias.StorageBytes() > bias.NBytes())
	bytes, _ := net.BucketBytes()
	out["passes"] = "one"
	pass(1)
	if err == nil {
		out["passes"] = "two with the same branch"
		again, _ := net.BucketBytes()
		bytes = append(bytes, again...)
	}
	pass(-1)
	if err == nil {
		out["passes"] = "all"
	}
	out["buckets"] = fmt.Sprint(bytes)
	return nil
}

// skips counts the buckets that are sent for a module if half of its parameters are unused.
func skips(g *distributed.ProcessGroup, all optiontest.Outcome, opts []parallel.Option) error {
	out := all
	if g.Rank() == 0 {
		out = optiontest.Outcome{}
	}
	model := newBranches()
	defer model.Close()
	first := []parallel.Option{parallel.FindUnusedParameters(true), parallel.BucketCapMB(1e-6)}
	net, err := parallel.NewDistributedDataParallel(background, model, g, append(first, opts...)...)
	if err != nil {
		return err
	}
	defer net.Release()
	n := 0
	if err := net.RegisterCommHook(func(ctx context.Context,
		b *distributed.GradBucket,
	) (func(context.Context) (*torch.Tensor, error), error) {
		n++
		return parallel.AllReduceHook(ctx, b)
	}); err != nil {
		return err
	}
	_ = torch.Try(func() { net.Forward(torch.Ones(torch.Shape{2, 6})).Sum().Backward() })
	out["sent"] = fmt.Sprint(n)
	return nil
}

// joinDoes runs a Join in which rank 0 has one input fewer than rank 1.
func joinDoes(g *distributed.ProcessGroup, all optiontest.Outcome, opts []join.Option) error {
	out := all
	if g.Rank() == 0 {
		out = optiontest.Outcome{}
	}
	model := nn.NewLinear(2, 1, nn.Bias(false))
	defer model.Close()
	net, err := wrap(g, model)
	if err != nil {
		return err
	}
	defer net.Release()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	net.SetContext(ctx)
	steps := 0
	err = net.Join(background, func() error {
		for range 1 + g.Rank() {
			model.ZeroGrad()
			net.Forward(torch.Ones(torch.Shape{1, 2})).Sum().Backward()
			steps++
		}
		return nil
	}, opts...)
	var e *torch.Error
	switch {
	case errors.Is(err, join.ErrExhausted):
		out["error"] = "exhausted"
	case errors.As(err, &e) && !errors.Is(err, distributed.ErrMismatch) && !errors.Is(err, distributed.ErrPeer) &&
		!errors.Is(err, distributed.ErrClosed):
		return err
	case err != nil:
		out["error"] = "the other one was not there"
	}
	if err == nil {
		out["gradient"] = fmt.Sprint(model.Weight.Grad().Float32s())
	}
	out["steps"] = fmt.Sprint(steps)
	return nil
}
