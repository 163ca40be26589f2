package parallel_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func wrap(g *distributed.ProcessGroup, model nn.Module,
	opts ...parallel.Option,
) (*parallel.DistributedDataParallel, error) {
	return parallel.NewDistributedDataParallel(background, model, g, opts...)
}

// pass runs a forward and a backward pass.
func pass(net *parallel.DistributedDataParallel) error {
	return torch.Try(func() { net.Forward(torch.Ones(torch.Shape{2, 4})).Sum().Backward() })
}

// If ranks differ, each rank fails with an error that names the differences.
func TestRanksThatDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, make := range map[string]func(rank int) (nn.Module, []parallel.Option){
		"shapes": func(r int) (nn.Module, []parallel.Option) { return nn.NewLinear(4, 3+int64(r/2)), nil },
		"dtypes": func(r int) (nn.Module, []parallel.Option) {
			return nn.NewLinear(4, 3, nn.DType([]torch.DType{torch.Float32, torch.Float64}[r/2])), nil
		},
		"numbers": func(r int) (nn.Module, []parallel.Option) { return nn.NewLinear(4, 3, nn.Bias(r != 2)), nil },
		"options": func(r int) (nn.Module, []parallel.Option) {
			return nn.NewLinear(4, 3), []parallel.Option{parallel.StaticGraph(r == 2)}
		},
		"caps": func(r int) (nn.Module, []parallel.Option) {
			return nn.NewLinear(4, 3), []parallel.Option{parallel.BucketCapMB(1 + r/2)}
		},
		"buffers": func(r int) (nn.Module, []parallel.Option) {
			return nn.NewSequential(nn.NewLinear(4, 3), nn.NewBatchNorm1d(3, nn.TrackRunningStats(r != 2))), nil
		},
		"a bad option": func(r int) (nn.Module, []parallel.Option) {
			return nn.NewLinear(4, 3), []parallel.Option{parallel.BucketCapMB(2 - r)}
		},
		"refused": func(r int) (nn.Module, []parallel.Option) {
			if r == 2 {
				return nn.NewReLU(), nil
			}
			return nn.NewLinear(4, 3), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			for r, err := range ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
				model, opts := make(g.Rank())
				defer model.Close()
				_, err := wrap(g, model, opts...)
				return err
			}) {
				var e *distributed.Error
				require.ErrorAs(t, err, &e, "rank %d", r)
				require.ErrorIs(t, err, distributed.ErrMismatch)
				require.Equal(t, []int{2}, e.Ranks, "%v", err)
			}
		})
	}
}

// If a rank has unused parameters, the error of its next Forward names them. The other
// ranks, which are waiting in Backward, fail too.
func TestUnusedParameters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		model := newBranches()
		net, err := wrap(g, model)
		if err != nil {
			return err
		}
		defer net.Close()
		all := func() error {
			return torch.Try(func() {
				x := torch.Ones(torch.Shape{2, 6})
				net.ForwardFunc(func() []*torch.Tensor {
					y := model.Forward(x)
					if g.Rank() == 0 {
						y = y.Add(model.Forward(x.Neg())) // uses both branches
					}
					return []*torch.Tensor{y}
				})[0].Sum().Backward()
			})
		}
		return errors.Join(all(), all())
	})
	var e *torch.Error
	require.ErrorAs(t, errs[1], &e)
	require.ErrorIs(t, e, torch.ErrAutograd)
	require.Contains(t, e.Error(), "b.weight, b.bias got no gradient in the last backward pass")
	require.Contains(t, e.Error(), "FindUnusedParameters(true)")
	require.ErrorIs(t, errs[0], distributed.ErrPeer)
	require.Contains(t, errs[0].Error(), "b.weight, b.bias")
}

// If ranks call different functions at the same time, they fail, and nothing is sent.
func TestRanksThatDoSomethingElse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for r, err := range ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
		net, err := wrap(g, mlp())
		if err != nil {
			return err
		}
		defer net.Close()
		if err := pass(net); err != nil {
			return err
		}
		if g.Rank() == 1 {
			return g.AllReduce(background, torch.Ones(torch.Shape{7}))
		}
		return pass(net)
	}) {
		var e *distributed.Error
		require.ErrorAs(t, err, &e, "rank %d", r)
		require.ErrorIs(t, err, distributed.ErrMismatch)
		require.Equal(t, []int{1}, e.Ranks, "%v", err)
	}
}

// If a rank leaves, the backward passes of the other ranks fail with an error that names
// it. A context ends a pass that is waiting for a missing rank.
func TestRanksThatLeave(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		for r, err := range ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
			net, err := wrap(g, mlp())
			if err != nil {
				return err
			}
			defer net.Close()
			if err := pass(net); err != nil {
				return err
			}
			if g.Rank() == 1 {
				return g.Close()
			}
			return pass(net)
		}, check) {
			if r == 1 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, distributed.ErrPeer, "rank %d", r)
		}
		stop := make(chan struct{})
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			net, err := wrap(g, mlp())
			if err != nil {
				return err
			}
			defer net.Close()
			if g.Rank() == 1 {
				<-stop
				return pass(net)
			}
			defer close(stop)
			ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
			defer cancel()
			net.SetContext(ctx)
			err = pass(net)
			again := pass(net)
			if !errors.Is(again, distributed.ErrClosed) {
				return again
			}
			return err
		}, check)
		require.ErrorIs(t, errs[0], distributed.ErrTimeout)
		require.ErrorIs(t, errs[0], context.DeadlineExceeded)
		require.Error(t, errs[1])
	}
}

func TestBadArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	model := mlp()
	defer model.Close()
	_, err := parallel.NewDistributedDataParallel(background, model, nil)
	require.ErrorIs(t, err, torch.ErrNil)
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		for what, kind := range map[error]error{
			fails(g, nil):                                      torch.ErrNil,
			fails(g, nn.NewReLU()):                             torch.ErrValue,
			fails(g, model, parallel.BucketCapMB(0)):           torch.ErrValue,
			fails(g, model, parallel.BucketCapMB(-1)):          torch.ErrValue,
			fails(g, model, parallel.BucketCapMBList{1, 0}):    torch.ErrValue,
			fails(g, model, nil):                               torch.ErrNil,
			fails(g, model, parallel.BucketCapMBList{1, 1e15}): torch.ErrValue,
		} {
			assert.ErrorIs(t, what, kind)
		}
		net, err := wrap(g, nn.NewMSELoss())
		assert.Nil(t, net)
		assert.ErrorIs(t, err, torch.ErrValue)
		bi := nn.NewBilinear(2, 2, 1)
		net, err = wrap(g, bi)
		if err != nil {
			return err
		}
		x := torch.Ones(torch.Shape{1, 2})
		assert.ErrorIs(t, torch.Try(func() { net.Forward(x) }), torch.ErrType)
		assert.ErrorIs(t, torch.Try(func() { net.ForwardFunc(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { net.NoSync(nil) }), torch.ErrNil)
		assert.ErrorIs(t, net.RegisterCommHook(nil), torch.ErrNil)
		assert.ErrorIs(t, net.Join(background, nil), torch.ErrNil)
		net.ForwardFunc(func() []*torch.Tensor { return []*torch.Tensor{bi.Forward(x, x)} })[0].Sum().Backward()
		assert.NoError(t, net.Close())
		assert.NoError(t, net.Close())
		assert.ErrorIs(t, torch.Try(func() { net.ForwardFunc(func() []*torch.Tensor { return nil }) }), torch.ErrClosed)
		return nil
	})
}

func fails(g *distributed.ProcessGroup, m nn.Module, opts ...parallel.Option) error {
	_, err := wrap(g, m, opts...)
	return err
}

// If a hook fails, the pass fails, and the hook's memory is freed.
func TestHooksThatFail(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type pending = func(context.Context) (*torch.Tensor, error)
	oops := errors.New("oops")
	for name, row := range map[string]struct {
		hook distributed.CommHook
		kind error
	}{
		"begins with an error": {func(context.Context, *distributed.GradBucket) (pending, error) {
			return nil, oops
		}, oops},
		"ends with an error": {func(context.Context, *distributed.GradBucket) (pending, error) {
			return func(context.Context) (*torch.Tensor, error) { return nil, oops }, nil
		}, oops},
		"no function": {
			func(context.Context, *distributed.GradBucket) (pending, error) { return nil, nil },
			torch.ErrNil,
		},
		"no tensor": {func(context.Context, *distributed.GradBucket) (pending, error) {
			return func(context.Context) (*torch.Tensor, error) { return nil, nil }, nil
		}, torch.ErrNil},
		"another shape": {func(_ context.Context, b *distributed.GradBucket) (pending, error) {
			return func(context.Context) (*torch.Tensor, error) { return b.Buffer().Narrow(0, 0, 1), nil }, nil
		}, torch.ErrShape},
		"panics": {func(_ context.Context, b *distributed.GradBucket) (pending, error) {
			b.Buffer().View(-7)
			return nil, nil
		}, torch.ErrRuntime},
	} {
		t.Run(name, func(t *testing.T) {
			ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
				net, err := wrap(g, mlp())
				if err != nil {
					return err
				}
				defer net.Close()
				if err := net.RegisterCommHook(row.hook); err != nil {
					return err
				}
				assert.ErrorIs(t, net.RegisterCommHook(row.hook), torch.ErrValue, "a second one")
				var e *torch.Error
				err = pass(net)
				assert.ErrorAs(t, err, &e)
				assert.True(t, errors.Is(err, row.kind) || name == "panics" && err != nil, "%v", err)
				return nil
			})
		})
	}
}

// If parameters are converted or replaced after the module was wrapped, Forward fails, because
// their gradients would not be averaged.
func TestChangedParameters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, change := range map[string]func(l *nn.Linear){
		"converted": func(l *nn.Linear) { l.To(torch.Float64) },
		"frozen":    func(l *nn.Linear) { l.Weight.SetRequiresGrad(false) },
		"replaced": func(l *nn.Linear) {
			_ = l.Weight.Close()
			l.RegisterParameter("weight", torch.Ones(torch.Shape{2, 3}))
		},
		"removed": func(l *nn.Linear) {
			_ = l.Bias.Close()
			l.RegisterParameter("bias", nil)
		},
		"added": func(l *nn.Linear) { l.RegisterParameter("more", torch.Ones(torch.Shape{1})) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, opts := range [][]parallel.Option{nil, {parallel.Ignore{"bias"}}} {
				if opts != nil && name == "removed" {
					continue // removing an ignored parameter is allowed
				}
				ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
					l := nn.NewLinear(3, 2)
					net, err := wrap(g, l, opts...)
					if err != nil {
						return err
					}
					defer net.Close()
					forward := func() error {
						return torch.Try(func() { net.Forward(torch.Ones(torch.Shape{1, 3})).Sum().Backward() })
					}
					if err := errors.Join(forward(), g.Barrier(background)); err != nil {
						return err
					}
					change(l)
					assert.ErrorIs(t, forward(), torch.ErrValue)
					return nil
				})
			}
		})
	}
}

// If goroutines use one module at the same time, or one of them closes it, they get errors, and the
// process does not crash.
func TestManyGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 10 {
		ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			net, err := wrap(g, mlp(), parallel.BucketCapMB(0.0001))
			if err != nil {
				return err
			}
			defer net.Close()
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { _ = pass(net) })
			}
			all.Wait()
			return nil
		}, distributed.Timeout(10*time.Second))
		for _, end := range []func(g *distributed.ProcessGroup, net *parallel.DistributedDataParallel) error{
			func(g *distributed.ProcessGroup, _ *parallel.DistributedDataParallel) error { return g.Close() },
			func(_ *distributed.ProcessGroup, net *parallel.DistributedDataParallel) error {
				net.Release()
				return nil
			},
		} {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				net, err := wrap(g, mlp())
				if err != nil {
					return err
				}
				defer net.Close()
				loss := net.Forward(torch.Ones(torch.Shape{2, 4})).Sum()
				var other sync.WaitGroup
				other.Go(func() { assert.NoError(t, end(g, net)) })
				_ = torch.Try(func() { loss.Backward() })
				other.Wait()
				return nil
			}, distributed.Timeout(10*time.Second))
		}
	}
}
