package scoped

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func Losses(n int) (sum float64) {
	w := torch.Ones(torch.Shape{64}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.01))
	defer opt.Close()
	var losses []*torch.Tensor
	for range n {
		torch.Scope(func() {
			opt.ZeroGrad()
			loss := w.Mul(w).Sum()
			loss.Backward()
			opt.Step()
			losses = append(losses, torch.Keep(loss.Detach()))
		})
	}
	for _, l := range losses {
		sum += l.Item()
		l.Close()
	}
	return sum
}

func Hidden(n int) float64 {
	w := torch.Full(torch.Shape{8, 8}, 0.1, torch.RequiresGrad(true))
	defer w.Close()
	h := torch.Ones(torch.Shape{8, 8})
	for range n {
		next := torch.Tidy(func() *torch.Tensor { return h.MatMul(w).Tanh().Detach() })
		h.Close()
		h = next
	}
	defer h.Close()
	total := h.Sum()
	defer total.Close()
	return total.Item()
}

func Recurrent(n int) float64 {
	w := torch.Full(torch.Shape{8, 8}, 0.1, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.01))
	defer opt.Close()
	h := torch.Ones(torch.Shape{8, 8})
	for range n {
		next := torch.Tidy(func() *torch.Tensor {
			opt.ZeroGrad()
			out := h.MatMul(w).Tanh()
			loss := out.Sum()
			loss.Backward()
			opt.Step()
			return out.Detach()
		})
		h.Close()
		h = next
	}
	defer h.Close()
	total := h.Sum()
	defer total.Close()
	return total.Item()
}

func Early(n int) (sum float64) {
	for i := range n {
		torch.Scope(func() {
			x := torch.Full(torch.Shape{64}, float64(i))
			if i%2 == 1 {
				sum += x.Select(0, 0).Item()
			}
		})
	}
	return sum
}

func Escapes(n int) (sum float64) {
	for i := range n {
		torch.Scope(func() {
			x := torch.Tidy(func() *torch.Tensor { return torch.Full(torch.Shape{64}, float64(i)).Sqrt() })
			sum += x.Sum().Item()
		})
	}
	return sum
}

func Helper(n int) (sum float64) {
	for i := range n {
		torch.Scope(func() { sum += torch.Full(torch.Shape{64}, float64(i)).Sum().Item() })
	}
	return sum
}
