package naive

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Losses keeps each loss with its graph.
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

// Hidden carries a state with the graph of all steps.
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

// Recurrent trains on a state that it carries with its graph: the second
// backward pass runs into the first one's, and panics.
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

// Early forgets a Close where it returns early.
func Early(n int) (sum float64) {
	for i := range n {
		sum += early(i, i%2 == 0)
	}
	return sum
}

func early(i int, even bool) float64 {
	x := torch.Full(torch.Shape{64}, float64(i)) // as many
	if even {
		return 0
	}
	first := x.Select(0, 0)
	defer first.Close()
	v := first.Item()
	x.Close()
	return v
}

// Escapes uses a tensor after its scope.
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

// Helper runs what leaves its tensors behind.
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
