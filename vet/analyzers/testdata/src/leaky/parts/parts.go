package parts

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Square returns a new tensor.
func Square(w *torch.Tensor) *torch.Tensor { return w.Mul(w) }

// Read only looks at x.
func Read(x *torch.Tensor) float64 { return x.Item() }

// Measure leaves a tensor behind.
func Measure(w *torch.Tensor) float64 {
	x := w.Mul(w)
	return x.Item()
}

// History keeps what it gets.
type History struct{ kept []*torch.Tensor }

// Put adds x.
func (h *History) Put(x *torch.Tensor) { h.kept = append(h.kept, x) }

// Train is one step.
func Train(model nn.Layer, opt optim.Optimizer, x *torch.Tensor) {
	opt.ZeroGrad()
	model.Forward(x).Sum().Backward()
	opt.Step()
}
