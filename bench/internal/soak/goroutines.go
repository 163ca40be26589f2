package soak

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

// handOver sends tensors to other workers, and closes tensors that other workers have
// sent.
func handOver(w *Worker) error {
	for range 50 {
		t := torch.Rand(torch.Shape{64, 64})
		select {
		case w.shared.exchange <- t:
		default:
			_ = t.Close()
		}
		select {
		case t := <-w.shared.exchange:
			if n := t.Numel(); n != 64*64 {
				return fmt.Errorf("a tensor that was handed over has %d elements", n)
			}
			_ = t.Close()
		default:
		}
	}
	return nil
}

// failingGoroutines starts goroutines that end while scopes and modes are open: through a
// failed operator, a panic of their own, runtime.Goexit, or a return.
func failingGoroutines(w *Worker) error {
	var (
		all sync.WaitGroup
		got [4]error
	)
	inside := func(end func(x *torch.Tensor)) {
		torch.Scope(func() {
			torch.NoGrad(func() { end(torch.Rand(torch.Shape{32, 32}).Exp()) })
		})
	}
	start := func(fn func()) {
		all.Add(1)
		go func() {
			defer all.Done()
			fn()
		}()
	}
	for range 5 {
		start(func() {
			got[0] = torch.Try(func() { inside(func(x *torch.Tensor) { x.View(7) }) })
		})
		start(func() {
			defer func() {
				if recover() != "mine" {
					got[1] = errors.New("the program's panic value was changed")
				}
			}()
			_ = torch.Try(func() { inside(func(*torch.Tensor) { panic("mine") }) })
		})
		start(func() { inside(func(*torch.Tensor) { runtime.Goexit() }) })
		start(func() { inside(func(x *torch.Tensor) { got[3] = finite("exp", x.Mean().Item()) }) })
		all.Wait()
		if got[0] == nil {
			return errors.New("a view of the wrong size caused no error")
		}
		for _, err := range got[1:] {
			if err != nil {
				return err
			}
		}
	}
	return nil
}
