// Package naive has programs as one writes them first.
package naive

import "github.com/gotorch/gotorch/torch"

// Named makes a tensor in each iteration.
func Named(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		x := w.MulScalar(float64(i))
		y := x.Sum()
		sum += y.Item()
	}
	return sum
}

// Unnamed makes two that have no name.
func Unnamed(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		sum += w.MulScalar(float64(i)).Sum().Item()
	}
	return sum
}

// Skips ends some iterations early, and the loop in the end.
func Skips(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := 0; i < 2*n; i++ {
		x := w.MulScalar(float64(i))
		total := x.Sum().Item()
		switch {
		case i%3 == 0:
			continue
		case i == n:
			break // the switch
		}
		if total > float64(64*n) { // far enough
			break
		}
		sum += total
	}
	return sum
}

// Last hands out a tensor of the loop.
func Last(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	var last *torch.Tensor
	for i := range n {
		x := w.AddScalar(float64(i))
		last = x.Sqrt()
	}
	defer last.Close()
	total := last.Sum()
	defer total.Close()
	return total.Item()
}

// List keeps some of what it makes.
func List(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	var rows []*torch.Tensor
	for i := range n {
		x := w.AddScalar(float64(i))
		rows = append(rows, x.Sqrt())
	}
	all := torch.Stack(rows, 0)
	defer all.Close()
	for _, r := range rows {
		r.Close()
	}
	total := all.Sum()
	defer total.Close()
	return total.Item()
}

// Deferred closes too late.
func Deferred(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		x := w.MulScalar(float64(i))
		defer x.Close()
		sum += torch.Tidy(func() *torch.Tensor { return x.Sum() }).Item()
	}
	return sum
}

// Returns leaves the loop with a result, so that no scope fits around its body.
func Returns(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range 2 * n {
		x := w.MulScalar(float64(i))
		row := x.Select(0, 0)
		first := row.Item()
		// As far as that.
		if int(first) == n {
			return first
		}
	}
	return 0
}
