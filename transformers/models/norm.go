package models

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// RMSNorm divides each token's features by the root of their mean square, computed in
// float32, and multiplies them by Weight. Follows transformers' LlamaRMSNorm, whose results
// for bfloat16 and float16 differ from those of nn.RMSNorm in the last bits.
type RMSNorm struct {
	nn.Base
	Weight *torch.Tensor
	Eps    float64
}

// NewRMSNorm returns a norm of dim features whose weights are 1.
func NewRMSNorm(dim int64, eps float64) *RMSNorm {
	l := &RMSNorm{Eps: eps}
	l.Init(l)
	l.Weight = l.RegisterParameter("weight", torch.Ones(torch.Shape{dim}))
	return l
}

// Forward takes x of shape (*, dim) and returns a new tensor of that shape.
func (l *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if x.DType() == torch.Float32 {
			return F.RMSNorm(x, torch.Shape{l.Weight.Size(0)}, l.Weight, F.Eps(l.Eps))
		}
		f := x.Float()
		f = f.Mul(f.PowScalar(2).Mean(torch.Dim(-1), torch.KeepDim(true)).AddScalar(l.Eps).Rsqrt())
		return l.Weight.Mul(f.To(x.DType()))
	})
}

// String describes the norm as Python prints it.
func (l *RMSNorm) String() string {
	return fmt.Sprintf("RMSNorm((%d,), eps=%g)", l.Weight.Size(0), l.Eps)
}
