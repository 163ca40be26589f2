package soak

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func leaf() *torch.Tensor { return torch.Rand(torch.Shape{16, 16}, torch.RequiresGrad(true)) }

// graphs builds autograd graphs and runs their backward pass once, twice, or not at all.
func graphs(w *Worker) error {
	for range 20 {
		w.maybeInScope(func() {
			x := leaf()
			y := x.MatMul(x).Sigmoid().Sum()
			switch w.Rand.IntN(4) {
			case 0:
				y.Backward()
			case 1:
				y.Backward(torch.RetainGraph(true))
				y.Backward()
			case 2: // With CreateGraph, the gradient has a graph too.
				g := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.CreateGraph(true))[0]
				g.Square().Sum().Backward()
			default: // No backward pass: the graph is dropped with its saved tensors.
			}
		})
	}
	return nil
}

// maybeInScope runs fn in a scope, or runs it without one and leaves its tensors to the
// collector.
func (w *Worker) maybeInScope(fn func()) {
	if w.Rand.IntN(2) == 0 {
		torch.Scope(fn)
		return
	}
	fn()
}

var errHook = errors.New("a hook's own panic")

// hooks registers hooks that count gradients, replace them or panic. Some hooks are
// removed, and others are freed with their tensor.
func hooks(w *Worker) error {
	for range 10 {
		x := leaf()
		seen := 0
		counting := x.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
			seen++
			return g.MulScalar(2)
		})
		y := x.MulScalar(3)
		y.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return torch.Keep(g.AddScalar(1)) })
		y.Sum().Backward()
		if got := x.Grad().Index(0, 0).Item(); seen != 1 || got != 12 {
			return fmt.Errorf("after %d calls of a hook the gradient is %v, not 12", seen, got)
		}
		counting.Remove()
		refusing := x.RegisterHook(func(*torch.Tensor) *torch.Tensor { panic(errHook) })
		err := torch.Try(func() { x.Exp().Sum().Backward() })
		refusing.Remove()
		if !errors.Is(err, errHook) {
			return fmt.Errorf("a panic in a hook returned as %w", err)
		}
		if w.Rand.IntN(2) == 0 {
			_ = x.Close()
		}
	}
	return nil
}

// cube is x^3 with a gradient written in Go.
var cube = torch.Function{
	Name: "SoakCube",
	Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		ctx.Save(in[0])
		return []*torch.Tensor{in[0].PowScalar(3)}
	},
	Backward: func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
		x := ctx.Saved()[0]
		return []*torch.Tensor{grad[0].Mul(x.Mul(x).MulScalar(3))}
	},
}

// customFunctions applies custom functions. It runs the backward pass of some and drops
// the graphs of the others.
func customFunctions(w *Worker) error {
	var wrong error
	for range 10 {
		w.maybeInScope(func() {
			x := torch.FromSliceWith([]float64{2}, nil, torch.RequiresGrad(true))
			y := cube.Apply(cube.Apply(x)[0])[0] // x^9
			if w.Rand.IntN(4) == 0 {
				return // The backward pass never runs.
			}
			y.Sum().Backward()
			if got := x.Grad().Item(); got != 9*256 {
				wrong = fmt.Errorf("the slope of x^9 at 2 is %v, not %d", got, 9*256)
			}
		})
	}
	return wrong
}
