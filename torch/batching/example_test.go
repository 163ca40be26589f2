package batching_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

// Handlers call DoFloat32s from their own goroutines, and need no tensors.
func Example() {
	model := nn.NewSequential(nn.NewLinear(3, 2))
	defer model.Close()
	for _, p := range model.Parameters() {
		nninit.Constant_(p, 1)
	}
	b := batching.NewBatcher(model.Forward,
		batching.MaxBatch(64), batching.MaxDelay(2*time.Millisecond), batching.InputShape{3})
	defer b.Close()

	answers := make([][]float32, 4)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			y, err := b.DoFloat32s(ctx, []float32{float32(i), 0, 0})
			if err != nil {
				fmt.Println(err)
			}
			answers[i] = y
		})
	}
	wait.Wait()
	fmt.Println(answers)
	// Output: [[1 1] [2 2] [3 3] [4 4]]
}

func ExampleNewBatcherAll() {
	b := batching.NewBatcherAll(func(xs []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{xs[0].Add(xs[1]), xs[0].Mul(xs[1])}
	}, batching.InputShapes{{2}, {2}})
	defer b.Close()
	torch.Scope(func() {
		ys, err := b.DoAll(context.Background(), torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3, 4}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ys[0].Float32s(), ys[1].Float32s())
	})
	// Output: [4 6] [3 8]
}

// A valid request is answered even if another one is invalid.
func ExampleBatcher_Do() {
	b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x.Sum(torch.Dim(1)) }, batching.InputShape{2})
	defer b.Close()
	torch.Scope(func() {
		_, err := b.Do(context.Background(), torch.Ones(torch.Shape{3}))
		fmt.Println(errors.Is(err, torch.ErrShape), err)
		y, err := b.Do(context.Background(), torch.Ones(torch.Shape{2}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(y.Item())
	})
	// Output:
	// true torch: batching.Batcher.Do: argument x: expected one example of shape (2,), got (3,)
	// 2
}

func ExampleBatcher_Shutdown() {
	b := batching.NewBatcher(func(x *torch.Tensor) *torch.Tensor { return x })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println(b.Shutdown(ctx))
	_, err := b.DoFloat32s(ctx, []float32{1})
	fmt.Println(errors.Is(err, batching.ErrClosed))
	// Output:
	// <nil>
	// true
}
