// Package naive contains programs that do not manage their tensors.
package naive

import "github.com/gotorch/gotorch/torch"

// Named creates two tensors in each iteration and closes neither.
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

// Unnamed does the same without variables for the tensors.
func Unnamed(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		sum += w.MulScalar(float64(i)).Sum().Item()
	}
	return sum
}

// Skips has a continue and a break in the loop.
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
			break // ends the switch, not the loop
		}
		if total > float64(64*n) { // true once i is greater than n
			break
		}
		sum += total
	}
	return sum
}

// Last uses the last tensor of the loop after the loop.
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

// List appends some of the tensors to a list.
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

// Deferred closes tensors only when the function returns.
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

// Returns returns a result from inside the loop. The body of a scope cannot do this.
func Returns(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range 2 * n {
		x := w.MulScalar(float64(i))
		row := x.Select(0, 0)
		first := row.Item()
		// In iteration n, first is n.
		if int(first) == n {
			return first
		}
	}
	return 0
}
