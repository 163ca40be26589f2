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

// Bilinear is y = x1 @ Weight @ x2 + Bias. Follows torch.nn.Bilinear.
type Bilinear struct {
	Base
	Weight                                *torch.Tensor // shape (out, in1, in2)
	Bias                                  *torch.Tensor // shape (out), or nil
	In1Features, In2Features, OutFeatures int64
}

// NewBilinear makes a bilinear layer; in1, in2 and out are the sizes of its two inputs
// and of its output. It panics with ErrValue if in1 is not positive or a size is negative
// or too large. Follows torch.nn.Bilinear.
func NewBilinear(in1, in2, out int64, opts ...LinearOption) *Bilinear {
	const op = "NewBilinear"
	var maker paramMaker
	bias := bool(opt.ReadOr(op, opts, maker.read, Bias(true)))
	maker.setSizes(op, size{"in1", in1}, size{"in2", in2}, size{"out", out})
	if in1 == 0 {
		panic(torch.NewError(op, torch.ErrValue, "in1", "expected a positive number, got 0"))
	}
	l := &Bilinear{In1Features: in1, In2Features: in2, OutFeatures: out}
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.empty(out, in1, in2))
	l.parameter("bias", &l.Bias, maker.emptyIf(bias, out))
	l.ResetParameters()
	maker.as.register(l)
	returned = true
	return l
}

func (l *Bilinear) describe() string {
	return fmt.Sprintf("in1_features=%d, in2_features=%d, out_features=%d, bias=%s", l.In1Features, l.In2Features,
		l.OutFeatures, tensorfmt.PyBool(l.hasBias()))
}

// ResetParameters draws new values for Weight and Bias, as NewBilinear does.
func (l *Bilinear) ResetParameters() {
	mustBeMade("Bilinear.ResetParameters", l)
	bound := 1 / math.Sqrt(float64(l.Weight.Size(1)))
	nninit.Uniform_(l.Weight, -bound, bound)
	if l.Bias != nil {
		nninit.Uniform_(l.Bias, -bound, bound)
	}
}

// Forward takes x1 of shape (*, in1) and x2 of shape (*, in2) and returns (*, out). It
// panics with ErrShape or ErrDType for inputs that do not match.
func (l *Bilinear) Forward(x1, x2 *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x1, x2, func(x1, x2 *torch.Tensor) *torch.Tensor {
		return F.Bilinear(x1, x2, l.Weight, l.Bias)
	})
}
