package soak

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

var errBackward = errors.New("a function's own panic")

// refusing is the identity function with a backward pass that panics.
var refusing = torch.Function{
	Name:     "SoakRefusing",
	Forward:  func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Clone()} },
	Backward: func(*torch.Context, ...*torch.Tensor) []*torch.Tensor { panic(errBackward) },
}

// failedBackward makes backward passes fail halfway, in a scope and outside. At that time
// the nodes that are not yet reached hold large saved activations.
func failedBackward(w *Worker) error {
	var wrong error
	for range 5 {
		w.maybeInScope(func() {
			x := torch.Rand(torch.Shape{256, 256}, torch.RequiresGrad(true))
			h := x.MatMul(x).Sigmoid()
			y := refusing.Apply(h)[0]
			want := errBackward
			if w.Rand.IntN(2) == 0 {
				y, want = h.Exp(), errHook
				y.RegisterHook(func(*torch.Tensor) *torch.Tensor { panic(errHook) })
			}
			err := torch.Try(func() { y.Exp().Sum().Backward() })
			if !errors.Is(err, want) {
				wrong = fmt.Errorf("expected %w from a backward pass, got %w", want, err)
			}
		})
	}
	return wrong
}

// selfHooks registers hooks that refer to their own tensor. Each creates a reference
// cycle through libtorch, which Go's collector cannot see. A scope, Close or Hook.Remove
// must break it.
func selfHooks(w *Worker) error {
	hooked := func() (x *torch.Tensor, h *torch.Hook) {
		x = leaf()
		h = x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) })
		x.Sum().Backward()
		return x, h
	}
	for range 10 {
		switch w.Rand.IntN(3) {
		case 0:
			torch.Scope(func() { hooked() })
		case 1:
			x, _ := hooked()
			_ = x.Close()
		default:
			_, h := hooked()
			h.Remove()
		}
	}
	return nil
}
