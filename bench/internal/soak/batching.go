package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

// errOwn is the error with which doubled panics for some requests.
var errOwn = errors.New("the model's own")

// batched sends requests to a batcher from many goroutines. Some requests are canceled
// before they are answered. Some make the model panic, and some have an invalid shape.
func batched(w *Worker) error {
	b := batching.NewBatcher(doubled,
		batching.MaxBatch(1+w.Rand.IntN(16)), batching.MaxDelay(time.Duration(w.Rand.IntN(200))*time.Microsecond),
		batching.Workers(1+w.Rand.IntN(3)), batching.RefuseWhenFull(w.Rand.IntN(2) == 0), batching.InputShape{8})
	clients := make([]error, 1+w.Rand.IntN(32))
	var asking sync.WaitGroup
	for id := range clients {
		random := rand.New(rand.NewPCG(w.Rand.Uint64(), 0))
		asking.Go(func() {
			for range 20 {
				if clients[id] = oneRequest(b, random); clients[id] != nil {
					return
				}
			}
		})
	}
	asking.Wait()
	if s := b.Stats(); s.Queued+s.Blocked > 0 {
		return fmt.Errorf("requests without a waiting caller: %v", s)
	}
	return errors.Join(errors.Join(clients...), b.Close())
}

// doubled is the model: it returns twice its input. If a row begins with -1, doubled
// panics with errOwn, and if a row begins with -2, with a *torch.Error.
func doubled(x *torch.Tensor) *torch.Tensor {
	switch x.Narrow(1, 0, 1).Amin().Item() {
	case -1:
		panic(errOwn)
	case -2:
		return x.View(3, 5, 7)
	}
	return x.MulScalar(2)
}

// oneRequest sends one request and checks the answer.
func oneRequest(b *batching.Batcher, random *rand.Rand) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch random.IntN(10) {
	case 0:
		cancel()
	case 1:
		go cancel()
	}
	value, size := float64(random.IntN(1000)), int64(8)
	var wants error
	switch random.IntN(20) {
	case 0:
		value, wants = -1, errOwn
	case 1:
		value, wants = -2, torch.ErrShape
	case 2:
		size, wants = 7, torch.ErrShape
	}
	var got float64
	var err error
	if random.IntN(2) == 0 {
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(value)
		}
		var ys []float32
		if ys, err = b.DoFloat32s(ctx, values); err == nil {
			got = float64(ys[size-1])
		}
	} else {
		torch.Scope(func() {
			var y *torch.Tensor
			if y, err = b.Do(ctx, torch.Full(torch.Shape{size}, float32(value))); err == nil {
				got = y.Index(-1).Item()
			}
		})
	}
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil, errors.Is(err, batching.ErrQueueFull):
		return nil
	case err != nil && (wants == nil || !errors.Is(err, wants)):
		return fmt.Errorf("a request of %v: %w", value, err)
	case err == nil && wants != nil:
		return fmt.Errorf("a request of %v was answered", value)
	case err == nil && got != 2*value:
		return fmt.Errorf("a request of %v got %v", value, got)
	}
	return nil
}
