package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Linear is y = x @ Weight.T + Bias. Follows torch.nn.Linear.
type Linear struct {
	Base
	Weight                  *torch.Tensor // shape (out, in)
	Bias                    *torch.Tensor // shape (out), or nil
	InFeatures, OutFeatures int64
}

// NewLinear makes a linear layer; in and out are its numbers of input and output
// features. It panics with ErrValue for sizes that are negative or too large, and with
// ErrDevice for a [Device] that does not exist. Follows torch.nn.Linear.
func NewLinear(in, out int64, opts ...LinearOption) *Linear {
	const op = "NewLinear"
	var maker paramMaker
	bias := opt.ReadOr(op, opts, maker.read, Bias(true))
	return newLinear(op, in, out, bool(bias), maker)
}

func newLinear(op string, in, out int64, bias bool, maker paramMaker) *Linear {
	maker.setSizes(op, size{"in", in}, size{"out", out})
	l := &Linear{InFeatures: in, OutFeatures: out}
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.empty(out, in))
	l.parameter("bias", &l.Bias, maker.emptyIf(bias, out))
	l.ResetParameters()
	maker.as.register(l)
	returned = true
	return l
}

func (l *Linear) describe() string {
	return fmt.Sprintf("in_features=%d, out_features=%d, bias=%s", l.InFeatures, l.OutFeatures,
		tensorfmt.PyBool(l.hasBias()))
}

// ResetParameters draws new values for Weight and Bias, as NewLinear does.
func (l *Linear) ResetParameters() {
	mustBeMade("Linear.ResetParameters", l)
	resetWeightAndBias(l.Weight, l.Bias)
}

// resetWeightAndBias draws initial values as PyTorch's linear and convolutional
// layers do.
func resetWeightAndBias(weight, bias *torch.Tensor) {
	nninit.KaimingUniform_(weight, nninit.A(math.Sqrt(5)))
	if bias == nil {
		return
	}
	if in, _ := nninit.Fans(weight); in > 0 {
		bound := 1 / math.Sqrt(float64(in))
		nninit.Uniform_(bias, -bound, bound)
	}
}

// Forward takes x of shape (*, in) and returns (*, out). It panics with ErrShape or
// ErrDType if x has the wrong shape or dtype.
func (l *Linear) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Linear(x, l.Weight, l.Bias) })
}
