package zero_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torch/distributed/zero"
	"github.com/gotorch/gotorch/torchtest"
)

// branches has a layer that is never used, one that is always used, and one that is used in odd
// steps only.
type branches struct {
	nn.Base
	always, sometimes, never *nn.Linear
	conv                     *nn.Conv2d
	odd                      bool
}

func newBranches() *branches {
	b := &branches{}
	b.Init(b)
	b.always, b.sometimes, b.never = nn.NewLinear(4, 3, b.As("always")), nn.NewLinear(4, 3, b.As("sometimes")),
		nn.NewLinear(4, 3, b.As("never"))
	b.conv = nn.NewConv2d(2, 3, 2, b.As("conv"))
	torch.NoGrad(func() {
		for _, p := range b.Parameters() { // give each model the same values
			torch.Scope(func() { p.Copy_(torch.Linspace(-1, 1, p.Numel()).View(p.Shape()...)) })
		}
	})
	b.conv.To(torch.ChannelsLast) // then its gradients have another memory format, too
	return b
}

func (b *branches) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := b.always.Forward(x).Sum().Add(b.conv.Weight.Mul(x.Mean()).Square().Sum())
		if b.odd {
			y = y.Add(b.sometimes.Forward(x).Square().Sum())
		}
		return y
	})
}

// joined is a test case of training within Join.
type joined struct {
	inputs []int // number of inputs of each rank
	opts   []parallel.Option
	hook   bool
	used   func(i int) bool                              // whether step i uses the layer called sometimes
	zero   func(opt optim.Optimizer)                     // clears the gradients; nil means ZeroGrad
	ready  func(opt optim.Optimizer, ps []*torch.Tensor) // called before each step
	make   func(opt optim.Optimizer) schedule.Scheduler  // makes a scheduler; may be nil
}

// A rank without inputs steps its part like the other ranks. The parameters have the same
// bits as if each rank stepped all parameters.
func TestJoin(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	unused := parallel.FindUnusedParameters(true)
	odd := func(i int) bool { return i%2 == 1 }
	first := func(i int) bool { return i == 0 }
	for name, row := range map[string]joined{
		"plain":       {opts: []parallel.Option{unused}},
		"odd":         {opts: []parallel.Option{unused}, used: odd},
		"bucket view": {opts: []parallel.Option{unused, parallel.GradientAsBucketView(true)}, used: odd},
		"static":      {opts: []parallel.Option{parallel.StaticGraph(true)}},
		"hook":        {opts: []parallel.Option{unused}, hook: true},
		"zeros": {inputs: []int{5, 2}, opts: []parallel.Option{unused}, used: first, zero: func(o optim.Optimizer) {
			o.ZeroGrad(optim.SetToNone(false))
		}},
		"added up": {inputs: []int{5, 2}, opts: []parallel.Option{unused}, used: first, zero: func(optim.Optimizer) {}},
		"clipped": {
			inputs: []int{0, 5}, opts: []parallel.Option{unused},
			ready: func(_ optim.Optimizer, ps []*torch.Tensor) {
				nnutil.ClipGradNorm_(ps, 0.1)
			},
		},
		"unscaled": {
			inputs: []int{1, 5}, opts: []parallel.Option{unused},
			ready: func(_ optim.Optimizer, ps []*torch.Tensor) {
				for _, p := range ps {
					if g := p.Grad(); g != nil {
						g.Div_(torch.Full(torch.Shape{}, 64.0))
					}
				}
			},
		},
		"scheduled": {
			inputs: []int{0, 5}, opts: []parallel.Option{unused},
			make: func(o optim.Optimizer) schedule.Scheduler {
				return schedule.NewStepLR(o, 1)
			},
		},
		"settings": {
			inputs: []int{2, 0, 4}, opts: []parallel.Option{unused},
			ready: func(o optim.Optimizer, _ []*torch.Tensor) {
				g := o.ParamGroups()[0]
				beta, _ := g.Betas()
				g.Set(optim.Betas(beta*0.9, 0.99), optim.AMSGrad(true))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if row.inputs == nil {
				row.inputs = []int{0, 5, 2}
			}
			ranks.AllWell(t, len(row.inputs), func(g *distributed.ProcessGroup) error {
				whole, err := row.train(t, g, false)
				if err != nil {
					return err
				}
				divided, err := row.train(t, g, true)
				if err != nil {
					return err
				}
				for i, p := range whole {
					if !divided[i].Equal(p) {
						return fmt.Errorf("parameter %d: %v, not %v", i, divided[i], p)
					}
				}
				return nil
			})
		})
	}
}

// train trains one rank and returns its parameters.
func (row *joined) train(t *testing.T, g *distributed.ProcessGroup, divided bool) ([]*torch.Tensor, error) {
	model := newBranches()
	defer model.Close()
	net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, row.opts...)
	if err != nil {
		return nil, err
	}
	defer net.Release()
	if row.hook {
		if err := net.RegisterCommHook(parallel.BF16CompressHook); err != nil {
			return nil, err
		}
	}
	adam := optim.NewAdamW(net.Parameters(), optim.LR(0.1), optim.WeightDecay(0.5))
	defer adam.Close()
	var opt optim.Optimizer = adam
	joinables := []join.Joinable{net}
	if divided {
		z, err := zero.NewZeroRedundancyOptimizer(g, adam)
		if err != nil {
			return nil, err
		}
		opt, joinables = z, append(joinables, z)
	}
	var schedule schedule.Scheduler
	if row.make != nil {
		schedule = row.make(opt)
	}
	err = join.Join(ranks.Soon(t), joinables, func() error {
		for i := range row.inputs[g.Rank()] {
			torch.Scope(func() {
				model.odd = row.used != nil && row.used(i)
				if row.zero != nil {
					row.zero(opt)
				} else {
					opt.ZeroGrad()
				}
				net.Forward(torch.Full(torch.Shape{6, 4}, float64(g.Rank()+i)/8)).Backward()
				if row.ready != nil {
					row.ready(opt, net.Parameters())
				}
				opt.Step()
				if schedule != nil {
					schedule.Step()
				}
			})
		}
		return nil
	})
	var final []*torch.Tensor
	for _, p := range net.Parameters() {
		final = append(final, p.Detach().Clone())
	}
	return final, err
}

// A closed optimizer reports its error to the ranks that wait for its step, within Join and
// outside.
func TestClosedTellsTheOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, within := range []bool{false, true} {
		t.Run(fmt.Sprint(within), func(t *testing.T) {
			errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
				ps := parameters(3, 4)
				z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdam(ps))
				if err != nil {
					return err
				}
				defer z.Close()
				descend(ps, 1)
				if !within {
					if g.Rank() == 0 {
						_ = z.Close()
					}
					return z.StepContext(ranks.Soon(t))
				}
				return join.Join(ranks.Soon(t), []join.Joinable{z}, func() error {
					if g.Rank() == 0 {
						return z.Close()
					}
					return z.StepContext(ranks.Soon(t))
				})
			}, distributed.Timeout(time.Minute))
			require.ErrorIs(t, errs[0], torch.ErrClosed)
			require.ErrorIs(t, errs[1], distributed.ErrMismatch)
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

// loan has the fields of the message in which a rank with inputs sends its settings.
type loan struct {
	Settings []map[string]any
	Defined  []bool
	Failed   string
}

// A rank without inputs gets an error if a loan does not match its parameters.
func TestLoansOfOtherRanks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, what := range map[string]loan{
		"nothing":               {},
		"no settings":           {Defined: []bool{true, true}},
		"no gradients":          {Settings: make([]map[string]any, 1)},
		"few gradients":         {Settings: make([]map[string]any, 1), Defined: []bool{true}},
		"many groups":           {Settings: make([]map[string]any, 9), Defined: []bool{false, false}},
		"another setting":       {Settings: []map[string]any{{"lr": "high"}}, Defined: []bool{false, false}},
		"an error of two lines": {Failed: "first\nsecond\x1b[31m"},
	} {
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			ctx := ranks.Soon(t)
			if g.Rank() == 1 { // plays a rank with one more input
				active, with := torch.Ones(torch.Shape{1}), torch.FromSlice([]int64{0, 1})
				return errors.Join(g.AllReduce(ctx, active), g.AllReduce(ctx, with), g.SendObject(ctx, what, 0))
			}
			ps := parameters(4, 4, 4, 4)
			z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewSGD(ps, optim.LR(0.1)))
			if err != nil {
				return err
			}
			defer z.Close()
			return join.Join(ctx, []join.Joinable{z}, func() error { return nil })
		})
		require.NoError(t, errs[1], name)
		require.Error(t, errs[0], name)
		assert.NotContains(t, errs[0].Error(), "\n", name)
		assert.NotContains(t, errs[0].Error(), "\x1b", name)
	}
}
