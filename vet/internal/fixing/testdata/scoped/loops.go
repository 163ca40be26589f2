// Package scoped contains the programs of package naive, written with scopes.
package scoped

import "github.com/gotorch/gotorch/torch"

func Named(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		torch.Scope(func() {
			x := w.MulScalar(float64(i))
			y := x.Sum()
			sum += y.Item()
		})
	}
	return sum
}

func Unnamed(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		torch.Scope(func() { sum += w.MulScalar(float64(i)).Sum().Item() })
	}
	return sum
}

func Skips(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := 0; i < 2*n; i++ {
		var total float64
		torch.Scope(func() { total = w.MulScalar(float64(i)).Sum().Item() })
		if i%3 == 0 {
			continue
		}
		if total > float64(64*n) {
			break
		}
		sum += total
	}
	return sum
}

func Last(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	var last *torch.Tensor
	for i := range n {
		next := torch.Tidy(func() *torch.Tensor { return w.AddScalar(float64(i)).Sqrt() })
		last.Close()
		last = next
	}
	defer last.Close()
	total := last.Sum()
	defer total.Close()
	return total.Item()
}

func List(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	var rows []*torch.Tensor
	for i := range n {
		rows = append(rows, torch.Tidy(func() *torch.Tensor { return w.AddScalar(float64(i)).Sqrt() }))
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

func Deferred(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range n {
		torch.Scope(func() {
			x := w.MulScalar(float64(i))
			sum += x.Sum().Item()
		})
	}
	return sum
}

func Returns(n int) float64 {
	w := torch.Ones(torch.Shape{64})
	defer w.Close()
	for i := range 2 * n {
		var first float64
		torch.Scope(func() { first = w.MulScalar(float64(i)).Select(0, 0).Item() })
		if int(first) == n {
			return first
		}
	}
	return 0
}
