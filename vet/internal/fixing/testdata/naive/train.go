package naive

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Losses keeps each loss together with its graph.
func Losses(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.01))
	defer opt.Close()
	var losses []*torch.Tensor
	for range n {
		opt.ZeroGrad()
		loss := w.Mul(w).Sum()
		loss.Backward()
		opt.Step()
		losses = append(losses, loss)
	}
	for _, l := range losses {
		sum += l.Item()
		l.Close()
	}
	return sum
}

// Hidden carries a state from step to step, together with the graphs of all steps.
func Hidden(n int) float64 {
	w := torch.Full(torch.Shape{8, 8}, 0.1, torch.RequiresGrad(true))
	defer w.Close()
	h := torch.Ones(torch.Shape{8, 8})
	for range n {
		h = h.MatMul(w).Tanh()
	}
	defer h.Close()
	total := h.Sum()
	defer total.Close()
	return total.Item()
}

// Recurrent carries a state with its graph and runs a backward pass in each step. The
// second pass panics, because the first pass has freed the graph.
func Recurrent(n int) float64 {
	w := torch.Full(torch.Shape{8, 8}, 0.1, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.01))
	defer opt.Close()
	h := torch.Ones(torch.Shape{8, 8})
	for range n {
		opt.ZeroGrad()
		h = h.MatMul(w).Tanh()
		loss := h.Sum()
		loss.Backward()
		opt.Step()
	}
	defer h.Close()
	total := h.Sum()
	defer total.Close()
	return total.Item()
}

// Early calls a function that sometimes returns without closing its tensor.
func Early(n int) (sum float64) {
	for i := range n {
		sum += early(i, i%2 == 0)
	}
	return sum
}

func early(i int, even bool) float64 {
	x := torch.Full(torch.Shape{64}, float64(i)) // 64 elements, as in the other programs
	if even {
		return 0
	}
	first := x.Select(0, 0)
	defer first.Close()
	v := first.Item()
	x.Close()
	return v
}

// Escapes uses a tensor after the scope that frees it.
func Escapes(n int) (sum float64) {
	for i := range n {
		var x *torch.Tensor
		torch.Scope(func() {
			x = torch.Full(torch.Shape{64}, float64(i)).Sqrt()
		})
		y := x.Sum()
		sum += y.Item()
		y.Close()
		x.Close()
	}
	return sum
}

// Helper calls a function that leaves its tensors open.
func Helper(n int) (sum float64) {
	for i := range n {
		sum += total(i)
	}
	return sum
}

func total(i int) float64 {
	x := torch.Full(torch.Shape{64}, float64(i))
	y := x.Sum()
	return y.Item()
}
