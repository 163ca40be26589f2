package nninit

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Nonlinearity is the activation that follows a weight.
type Nonlinearity string

// The activations that CalculateGain knows; the zero value is LeakyReLU.
const (
	Linear    Nonlinearity = "linear"
	Sigmoid   Nonlinearity = "sigmoid"
	Tanh      Nonlinearity = "tanh"
	ReLU      Nonlinearity = "relu"
	LeakyReLU Nonlinearity = "leaky_relu"
	SELU      Nonlinearity = "selu"
)

// CalculateGain returns the factor by which weights before an activation are
// larger; slope is that of LeakyReLU, for which PyTorch's default is 0.01. It
// panics with ErrValue for an unknown activation. Follows
// torch.nn.init.calculate_gain.
func CalculateGain(n Nonlinearity, slope float64) float64 {
	switch n {
	case Linear, Sigmoid:
		return 1
	case Tanh:
		return 5.0 / 3
	case ReLU:
		return math.Sqrt(2)
	case LeakyReLU, "":
		// The conversion keeps the product from being fused with the sum, which
		// would round differently from Python.
		return math.Sqrt(2 / (1 + float64(slope*slope)))
	case SELU:
		return 3.0 / 4
	}
	panic(torch.NewError("CalculateGain", torch.ErrValue, "nonlinearity", fmt.Sprintf("unknown activation %q", n)))
}

// KaimingOptions are the arguments of the Kaiming initializations.
type KaimingOptions struct {
	A            float64          // the slope, if the activation is LeakyReLU
	FanOut       bool             // preserve the backward pass's magnitude, mode="fan_out"
	Nonlinearity Nonlinearity     // "": LeakyReLU, as in PyTorch
	Generator    *torch.Generator // nil: the device's default one
}

func (o KaimingOptions) std(t *torch.Tensor) float64 {
	fan, out := Fans(t)
	if o.FanOut {
		fan = out
	}
	return CalculateGain(o.Nonlinearity, o.A) / math.Sqrt(float64(fan))
}

// KaimingUniform_ draws from [-bound, bound) with bound = gain * sqrt(3/fan).
// A tensor without elements stays as it is. Follows
// torch.nn.init.kaiming_uniform_.
func KaimingUniform_(t *torch.Tensor, o KaimingOptions) *torch.Tensor {
	if shapeOf("KaimingUniform_(tensor)", t, 0).Numel() == 0 {
		return t
	}
	bound := math.Sqrt(3) * o.std(t)
	return Uniform_(t, -bound, bound, o.Generator)
}

// KaimingNormal_ draws from a normal distribution of standard deviation gain /
// sqrt(fan). Follows torch.nn.init.kaiming_normal_.
func KaimingNormal_(t *torch.Tensor, o KaimingOptions) *torch.Tensor {
	if shapeOf("KaimingNormal_(tensor)", t, 0).Numel() == 0 {
		return t
	}
	return Normal_(t, 0, o.std(t), o.Generator)
}

// XavierUniform_ draws from [-bound, bound) with bound = gain * sqrt(6 / (in +
// out)); PyTorch's default gain is 1. Follows torch.nn.init.xavier_uniform_.
func XavierUniform_(t *torch.Tensor, gain float64, g ...*torch.Generator) *torch.Tensor {
	bound := math.Sqrt(3) * xavierStd(t, gain)
	return Uniform_(t, -bound, bound, g...)
}

// XavierNormal_ draws from a normal distribution of standard deviation gain *
// sqrt(2 / (in + out)). Follows torch.nn.init.xavier_normal_.
func XavierNormal_(t *torch.Tensor, gain float64, g ...*torch.Generator) *torch.Tensor {
	return Normal_(t, 0, xavierStd(t, gain), g...)
}

func xavierStd(t *torch.Tensor, gain float64) float64 {
	in, out := Fans(t)
	return gain * math.Sqrt(2/float64(in+out))
}

// Orthogonal_ fills a matrix, or a tensor of more dimensions seen as (size(0),
// rest), with gain times orthonormal rows or columns. Follows
// torch.nn.init.orthogonal_.
func Orthogonal_(t *torch.Tensor, gain float64, g ...*torch.Generator) *torch.Tensor {
	const op = "Orthogonal_(tensor)"
	s := shapeOf(op, t, 2)
	if s.Numel() == 0 {
		return t
	}
	rows, cols := s[0], s.Numel()/s[0]
	torch.NoGrad(func() {
		torch.Scope(func() {
			draw := Normal_(torch.Empty(torch.Shape{rows, cols}, t.DType(), t.Device()), 0, 1, g...)
			if rows < cols {
				draw = transpose(op, draw)
			}
			h := draw.HandleFor(op, 0)
			r := torch.BeginRaw(op)
			qr, st := aten.LinalgQr(r.Ctx, h, "reduced")
			r.Status(st, draw)
			q, upper := r.Wrap(qr[0]), r.Wrap(qr[1])
			// A unique decomposition has a positive diagonal.
			sign := apply(op, apply(op, upper, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diag(cx, h, 0) }), aten.Sign)
			signs := sign.HandleFor(op, 0)
			inPlace(op, q, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Mul_Tensor(cx, h, signs) })
			if rows < cols {
				q = transpose(op, q)
			}
			q = apply(op, q, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Reshape(cx, h, s) })
			from := q.HandleFor(op, 0)
			inPlace(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Copy_(cx, h, from, false) })
			inPlace(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Mul_Scalar(cx, h, float(gain)) })
		})
	})
	return t
}

func apply(op string, t *torch.Tensor, f func(cx abi.Ctx, h abi.Tensor) abi.Ret) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(f(r.Ctx, h), t)
}

// transpose returns a contiguous transposed copy, on which QR works as fast as
// on any matrix.
func transpose(op string, t *torch.Tensor) *torch.Tensor {
	return apply(op, t, aten.T)
}
