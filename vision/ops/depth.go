package ops

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Mode selects which elements [StochasticDepth] drops together.
type Mode string

// The modes of [StochasticDepth].
const (
	ModeRow   Mode = "row"   // drops each example of a batch independently
	ModeBatch Mode = "batch" // drops the whole batch or nothing
)

// StochasticDepth drops examples in training: it sets randomly chosen examples to zero
// and scales up the others. A residual block that ends with it therefore returns its
// input unchanged for a dropped example. Follows torchvision.ops.StochasticDepth.
type StochasticDepth struct {
	nn.Base
	P    float64
	Mode Mode
}

// NewStochasticDepth returns a StochasticDepth that drops examples with probability p. It
// panics with ErrValue if p is not from 0 to 1 or if mode is unknown, and with ErrNil for a
// nil option.
func NewStochasticDepth(p float64, mode Mode, opts ...nn.InitOption) *StochasticDepth {
	l := &StochasticDepth{P: p, Mode: mode}
	l.check("ops.NewStochasticDepth")
	l.Init(l, opts...)
	return l
}

func (l *StochasticDepth) check(op string) {
	if !(l.P >= 0 && l.P <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "p", fmt.Sprintf("expected a probability from 0 to 1, got %v", l.P)))
	}
	if l.Mode != ModeRow && l.Mode != ModeBatch {
		panic(torch.NewError(op, torch.ErrValue, "mode",
			fmt.Sprintf(`expected "row" or "batch", got %q`, string(l.Mode))))
	}
}

// String returns the layer with its settings, formatted as in Python.
func (l *StochasticDepth) String() string {
	return fmt.Sprintf("%s(p=%s, mode=%s)", l.TypeName(), tensorfmt.PyFloat(l.P), string(l.Mode))
}

// Forward takes x of any shape (N, ...) and of a floating-point dtype. In training it draws
// random numbers from the default generator of x's device and returns a new tensor. In
// evaluation, and if P is 0, it returns x itself. It panics with ErrValue if P or Mode was
// set to an invalid value.
func (l *StochasticDepth) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		const op = "ops.StochasticDepth.Forward"
		l.check(op)
		x.HandleFor(op, 0)
		if !l.Training() || l.P == 0 {
			return x
		}
		size := make(torch.Shape, x.Dim())
		for i := range size {
			size[i] = 1
		}
		if l.Mode == ModeRow && len(size) > 0 {
			size[0] = x.Size(0)
		}
		noise := torch.Empty(size, x.DType(), x.Device())
		survival := 1 - l.P
		noise.Bernoulli_(survival)
		if survival > 0 {
			noise.DivScalar_(survival)
		}
		return x.Mul(noise)
	})
}
