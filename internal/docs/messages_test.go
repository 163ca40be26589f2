package docs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/linalg"
)

// of returns a mistake whose error is the panic of fn.
func of(kind string, is error, fn func()) mistake {
	return mistake{kind, is, func(*testing.T) error { return torch.Try(fn) }}
}

// asked returns a batcher's error for one request.
func asked(b *batching.Batcher) error {
	return second(b.DoFloat32s(context.Background(), []float32{1, 2}))
}

var tensorMistakes = []mistake{
	of("torch.ErrShape", torch.ErrShape, func() {
		torch.Ones(torch.Shape{2, 3}).MatMul(torch.Ones(torch.Shape{2, 3}))
	}),
	of("torch.ErrShape", torch.ErrShape, func() {
		torch.Ones(torch.Shape{2, 3}).T().View(6)
	}),
	of("torch.ErrShape", torch.ErrShape, func() {
		model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(4, 2))
		defer func() { _ = model.Close() }()
		model.Forward(torch.Ones(torch.Shape{1, 4}))
	}),
	of("torch.ErrDType", torch.ErrDType, func() {
		F.CrossEntropy(torch.Ones(torch.Shape{1, 2}), torch.FromSlice([]int32{1}))
	}),
	of("torch.ErrDevice", torch.ErrDevice, func() {
		torch.Ones(torch.Shape{2}, torch.CUDA.At(99))
	}),
	of("torch.ErrIndex", torch.ErrIndex, func() {
		torch.Ones(torch.Shape{3}).Index(5)
	}),
	of("torch.ErrValue", torch.ErrValue, func() {
		F.CrossEntropy(torch.Ones(torch.Shape{1, 2}), torch.FromSlice([]int64{1}), F.Reduction("average"))
	}),
	of("torch.ErrNil", torch.ErrNil, func() {
		var y *torch.Tensor
		torch.Ones(torch.Shape{3}).Add(y)
	}),
	of("torch.ErrClosed", torch.ErrClosed, func() {
		x := torch.Ones(torch.Shape{3})
		_ = x.Close()
		x.Exp()
	}),
	of("torch.ErrClosed", torch.ErrClosed, func() {
		var loss *torch.Tensor
		torch.Scope(func() { loss = torch.Ones(torch.Shape{3}).Sum() })
		loss.Item()
	}),
	{"torch.ErrOutOfMemory", torch.ErrOutOfMemory, func(t *testing.T) error {
		require.NoError(t, memory.SetLimit(torch.CPU, 64<<20))
		defer func() { require.NoError(t, memory.SetLimit(torch.CPU, 0)) }()
		return torch.Try(func() { torch.Zeros(torch.Shape{1 << 30}) })
	}},
	of("torch.ErrNotImplemented", torch.ErrNotImplemented, func() {
		torch.Ones(torch.Shape{2, 2}).ToSparse().Exp()
	}),
	of("torch.ErrLinAlg", torch.ErrLinAlg, func() {
		linalg.Inv(torch.Zeros(torch.Shape{2, 2}))
	}),
	of("torch.ErrAutograd", torch.ErrAutograd, func() {
		torch.Ones(torch.Shape{2}).Sum().Backward()
	}),
	of("torch.ErrAutograd", torch.ErrAutograd, func() {
		y := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)).Square().Sum()
		y.Backward()
		y.Backward()
	}),
	of("torch.ErrAutograd", torch.ErrAutograd, func() {
		torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)).AddScalar_(1)
	}),
	of("torch.ErrType", torch.ErrType, func() {
		optim.NewAdafactor([]*torch.Tensor{torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))},
			optim.EpsPair("small", 1e-3))
	}),
	of("torch.ErrRuntime", torch.ErrRuntime, func() {
		x := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		x.RegisterHook(func(*torch.Tensor) *torch.Tensor { panic("no such key") })
		x.Sum().Backward()
	}),
	of("torch.ErrRuntime", torch.ErrRuntime, func() {
		x, rate := torch.Ones(torch.Shape{3}), 1.0
		torch.Capture(func() []*torch.Tensor {
			rate *= 0.5
			return []*torch.Tensor{x.MulScalar(rate)}
		}, torch.NumWarmupIters(0))
	}),
	{"batching.ErrClosed", batching.ErrClosed, func(*testing.T) error {
		b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x.Exp() }, batching.InputShape{2})
		_ = b.Close()
		return asked(b)
	}},
	{"batching.ErrQueueFull", batching.ErrQueueFull, func(t *testing.T) error {
		var err error
		synctest.Test(t, func(*testing.T) {
			release := make(chan struct{})
			b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { <-release; return x.Exp() },
				batching.InputShape{2}, batching.MaxBatch(1), batching.MaxQueue(1), batching.RefuseWhenFull(true))
			// The first request is being computed, the second is waiting as the next
			// batch, and the third fills the queue.
			for range 3 {
				go func() { _ = asked(b) }()
				synctest.Wait()
			}
			err = asked(b)
			close(release)
			_ = b.Close()
		})
		return err
	}},
	{"batching.PanicError", nil, func(t *testing.T) error {
		b := batching.NewBatcher(func(*torch.Tensor) *torch.Tensor { panic("no such key") }, batching.InputShape{2})
		defer func() { _ = b.Close() }()
		err := asked(b)
		require.ErrorAs(t, err, new(*batching.PanicError))
		return err
	}},
	{"data.ExampleError", nil, func(t *testing.T) error {
		set := data.NewFuncDataset(3, func(int) (data.Example, error) {
			return data.Example{}, errors.New("no such picture")
		})
		err := torch.Try(func() {
			data.NewLoader(set).Each(func(data.Batch) bool { return true })
		})
		require.ErrorAs(t, err, new(*data.ExampleError))
		return err
	}},
	{"data.PanicError", nil, func(t *testing.T) error {
		set := data.NewFuncDataset(3, func(int) (data.Example, error) { panic("no such key") })
		err := torch.Try(func() {
			data.NewLoader(set, data.NumWorkers(1)).Each(func(data.Batch) bool { return true })
		})
		require.ErrorAs(t, err, new(*data.PanicError))
		return err
	}},
	{"data.TimeoutError", nil, func(t *testing.T) error {
		var err error
		synctest.Test(t, func(*testing.T) {
			release := make(chan struct{})
			set := data.NewFuncDataset(1, func(int) (data.Example, error) {
				<-release
				return data.Example{Input: torch.Ones(torch.Shape{1})}, nil
			})
			err = torch.Try(func() {
				data.NewLoader(set, data.NumWorkers(1), data.Timeout(2*time.Second)).Each(func(data.Batch) bool {
					return true
				})
			})
			close(release)
		})
		require.ErrorAs(t, err, new(*data.TimeoutError))
		return err
	}},
}
