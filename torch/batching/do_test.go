package batching_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

// A result belongs to the caller's scope, and the rest of the batch is freed.
func TestWhoOwnsAResult(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var kept *torch.Tensor
	w := torch.Ones(torch.Shape{3})
	defer func() { _ = w.Close() }()
	w.SetRequiresGrad(true)
	b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor {
		assert.False(t, torch.IsGradEnabled())
		y := x.Mul(w)
		x.Zero_() // owned by the batcher
		return y
	})
	torch.Scope(func() {
		x := torch.Arange(0, 3, 1, torch.Float32)
		before := torch.NumLiveTensors()
		y, err := b.Do(context.Background(), x)
		require.NoError(t, err)
		assert.Equal(t, []float32{0, 1, 2}, y.Float32s())
		assert.Equal(t, []float32{0, 1, 2}, x.Float32s(), "the caller's")
		assert.False(t, y.RequiresGrad())
		assert.Equal(t, before+1, torch.NumLiveTensors())
		kept = y
	})
	assert.True(t, kept.IsClosed())

	// The batcher does not close tensors that the function keeps.
	constant := batching.NewBatcher(func(*torch.Tensor) *torch.Tensor { return w.Unsqueeze(0) })
	same := batching.NewBatcher(func(*torch.Tensor) *torch.Tensor { return w })
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1})
		y, err := constant.Do(context.Background(), x)
		require.NoError(t, err)
		y.Zero_()
		_, err = same.Do(context.Background(), x)
		require.ErrorIs(t, err, torch.ErrShape)
	})
	assert.Equal(t, []float32{1, 1, 1}, w.Float32s())
	require.NoError(t, b.Close())
	require.NoError(t, constant.Close())
	require.NoError(t, same.Close())
}

// Values are converted to float32, whatever dtype the forward pass computes.
func TestValuesAreConverted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x.ArgMax(torch.Dim(1)) })
	y, err := b.DoFloat32s(context.Background(), []float32{1, 5, 2})
	require.NoError(t, err)
	assert.Equal(t, []float32{1}, y)
	require.NoError(t, b.Close())
}

func TestSeveralInputsAndOutputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b := batching.NewBatcherAll(func(xs []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{xs[0].Add(xs[1]), xs[0].Sum(torch.Dim(1))}
	}, batching.InputShapes{{2}, nil})
	ctx := context.Background()
	torch.Scope(func() {
		x, scale := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{10})
		ys, err := b.DoAll(ctx, x, scale)
		require.NoError(t, err)
		require.Len(t, ys, 2)
		assert.Equal(t, []float32{11, 12}, ys[0].Float32s())
		assert.Equal(t, 3.0, ys[1].Item())

		_, err = b.DoAll(ctx, x)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "expected 2 tensors, got 1")
		_, err = b.DoAll(ctx, scale, scale)
		require.ErrorIs(t, err, torch.ErrShape)
		require.ErrorContains(t, err, "argument xs[0]: expected one example of shape (2,), got (1,)")
		_, err = b.DoFloat32s(ctx, []float32{1})
		require.ErrorIs(t, err, torch.ErrValue)
		_, err = b.DoAll(ctx)
		require.ErrorIs(t, err, torch.ErrValue)
	})

	two := batching.NewBatcherAll(func(xs []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{xs[0], xs[0]} })
	none := batching.NewBatcherAll(func([]*torch.Tensor) []*torch.Tensor { return nil })
	torch.Scope(func() {
		for _, b := range []*batching.Batcher{two, none} {
			_, err := b.Do(ctx, torch.Ones(torch.Shape{1}))
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err, "expected a function that returns one tensor")
			_, err = b.DoFloat32s(ctx, []float32{1})
			require.ErrorIs(t, err, torch.ErrValue)
		}
		ys, err := none.DoAll(ctx, torch.Ones(torch.Shape{1}))
		require.NoError(t, err)
		assert.Empty(t, ys)
		_, err = none.DoAll(ctx)
		require.ErrorIs(t, err, torch.ErrValue)
	})
	for _, b := range []*batching.Batcher{b, two, none} {
		require.NoError(t, b.Close())
	}
}

// Every mistake gives a typed error that says what was expected. Nothing leaks.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx := context.Background()
	double := func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2) }
	b := batching.NewBatcher(double, batching.InputShape{2, 3})
	open := batching.NewBatcher(double, batching.InputShape{-1, 3})
	unknown := batching.NewBatcher(double, batching.InputShape{-1, -1})
	empty := batching.NewBatcher(double, batching.InputShape{0, -1})
	long := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return torch.Cat([]*torch.Tensor{x, x}) })
	null := batching.NewBatcher(func(*torch.Tensor) *torch.Tensor { return nil })
	shut := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor {
		_ = x.Close()
		return x
	})
	number := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x.Sum() })
	closed := batching.NewBatcher(double)
	require.NoError(t, closed.Close())
	x, gone := torch.Ones(torch.Shape{2, 3}), torch.Ones(torch.Shape{2, 3})
	defer func() { _ = x.Close() }()
	require.NoError(t, gone.Close())
	do := func(b *batching.Batcher, x *torch.Tensor) error {
		_, err := b.Do(ctx, x)
		return err
	}
	floats := func(b *batching.Batcher, n int) error {
		_, err := b.DoFloat32s(ctx, make([]float32, n))
		return err
	}
	var nilContext context.Context
	_, noContext := b.Do(nilContext, x)
	for _, c := range []struct {
		err  error
		kind error
		text string
	}{
		{do(b, nil), torch.ErrNil, "argument x: a nil tensor"},
		{do(b, gone), torch.ErrClosed, "argument x: tensor used after Close"},
		{do(b, x.T()), torch.ErrShape, "argument x: expected one example of shape (2, 3), got (3, 2)"},
		{do(open, x.Flatten()), torch.ErrShape, "expected one example of shape (-1, 3), got (6,)"},
		{floats(b, 5), torch.ErrShape, "expected the 6 values of one example of shape (2, 3), got 5"},
		{floats(open, 5), torch.ErrShape, "a multiple of 3, got 5"},
		{floats(empty, 5), torch.ErrShape, "a multiple of 0, got 5"},
		{floats(unknown, 4), torch.ErrShape, "use Do with a tensor"},
		{
			do(long, x), torch.ErrShape,
			"argument forward: result 0: expected a row for each of 1 requests, got (2, 2, 3)",
		},
		{do(number, x), torch.ErrShape, "got ()"},
		{do(null, x), torch.ErrNil, "returned a nil tensor"},
		{floats(null, 2), torch.ErrNil, "returned a nil tensor"},
		{do(shut, x), torch.ErrClosed, "batching.NewBatcher: argument forward: result 0 is a closed tensor"},
		{do(closed, x), batching.ErrClosed, "the batcher is closed"},
		{do(nil, x), torch.ErrNil, "not made by NewBatcher"},
		{do(&batching.Batcher{}, x), torch.ErrNil, "not made by NewBatcher"},
		{noContext, torch.ErrNil, "argument ctx: a nil Context"},
		{(&batching.Batcher{}).Shutdown(ctx), torch.ErrNil, "not made by NewBatcher"},
		{b.Shutdown(nilContext), torch.ErrNil, "argument ctx: a nil Context"},
	} {
		require.ErrorIs(t, c.err, c.kind)
		assert.ErrorContains(t, c.err, c.text)
		var e *torch.Error
		if assert.ErrorAs(t, c.err, &e) {
			assert.NotEmpty(t, e.Op)
		}
	}
	require.NoError(t, floats(open, 9))
	require.NoError(t, do(b, x), "a Shutdown that was refused closes nothing")
	for _, b := range []*batching.Batcher{b, open, unknown, empty, long, null, shut, number, closed, nil, {}} {
		require.NoError(t, b.Close())
	}
	assert.Equal(t, batching.Stats{}, (*batching.Batcher)(nil).Stats())
	assert.Equal(t, "Batcher(nil)", (*batching.Batcher)(nil).String())
}

// Closing a tensor too early is an error only for its own caller.
func TestATensorClosedWhileItWaits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward)
		errs, xs := make([]error, 5), make([]*torch.Tensor, 5)
		var wait sync.WaitGroup
		for i := range errs {
			xs[i] = torch.Full(torch.Shape{2}, float32(i))
			wait.Go(func() {
				torch.Scope(func() {
					var y *torch.Tensor
					if y, errs[i] = b.Do(context.Background(), xs[i]); errs[i] == nil {
						assert.Equal(t, []float32{float32(2 * i), float32(2 * i)}, y.Float32s())
					}
				})
			})
			synctest.Wait()
		}
		require.NoError(t, xs[3].Close())
		close(m.start)
		wait.Wait()
		for i, err := range errs {
			if i == 3 {
				require.ErrorIs(t, err, torch.ErrClosed)
				require.NotErrorIs(t, err, batching.ErrClosed)
			} else {
				require.NoError(t, err)
			}
			_ = xs[i].Close()
		}
		require.NoError(t, b.Close())
	})
}

// If a caller leaves during a pass that fails, its request is not repeated, and its
// tensor may be closed.
func TestAPassIsRepeatedWithoutThoseWhoLeft(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	synctest.Test(t, func(t *testing.T) {
		m := &model{start: make(chan struct{})}
		b := batching.NewBatcher(m.forward)
		first := ask(context.Background(), b, 0)
		ctx, cancel := context.WithCancel(context.Background())
		x := torch.Full(torch.Shape{2}, float32(1))
		left := make(chan error)
		go func() {
			_, err := b.Do(ctx, x)
			left <- err
		}()
		synctest.Wait()
		others := make(chan float64, 2)
		for _, v := range []float32{-1, 3} {
			go torch.Scope(func() {
				y, err := b.Do(context.Background(), torch.Full(torch.Shape{2}, v))
				if v < 0 {
					assert.ErrorIs(t, err, torch.ErrShape)
					others <- 0
				} else if assert.NoError(t, err) {
					others <- y.Index(0).Item()
				}
			})
			synctest.Wait()
		}
		m.start <- struct{}{}
		first.wants(t, 0)
		synctest.Wait()
		assert.Equal(t, []int{1, 3}, m.sizes())
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		require.NoError(t, x.Close())
		close(m.start)
		assert.Equal(t, 6.0, <-others+<-others)
		require.NoError(t, b.Close())
		assert.Equal(t, [][]float32{{0}, {1, -1, 3}, {-1, 3}, {-1}, {3}}, m.batches)
		s := b.Stats()
		assert.EqualValues(t, 3, s.Repeated)
		assert.EqualValues(t, 5, s.Passes)
		assert.EqualValues(t, 1, s.Left)
	})
}
