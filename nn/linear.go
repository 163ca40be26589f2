package nn

import (
	"fmt"
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	nninit "github.com/gotorch/gotorch/nn/init"
	"github.com/gotorch/gotorch/torch"
)

// Linear is y = x @ Weight.T + Bias.
type Linear struct {
	Base
	Weight *torch.Tensor // (out, in)
	Bias   *torch.Tensor // (out), or nil
}

// LinearOptions are the rarer arguments of [NewLinear].
type LinearOptions struct {
	NoBias bool
	Device torch.Device
	DType  torch.DType
}

// NewLinear makes a layer from in to out features. It panics with ErrValue
// for negative sizes. Follows torch.nn.Linear.
func NewLinear(in, out int64, opts ...LinearOptions) *Linear {
	const op = "NewLinear"
	o := option(op, opts)
	checkSizes(op, in, out)
	l := &Linear{Weight: parameter(torch.Shape{out, in}, o.DType, o.Device)}
	if !o.NoBias {
		l.Bias = parameter(torch.Shape{out}, o.DType, o.Device)
	}
	l.tidy = l
	l.RegisterParameter("weight", l.Weight).RegisterParameter("bias", l.Bias)
	l.SetExtraRepr(fmt.Sprintf("in_features=%d, out_features=%d, bias=%s", in, out, pyBool(!o.NoBias)))
	l.ResetParameters()
	return l
}

// ResetParameters draws Weight and Bias anew, as NewLinear does.
func (l *Linear) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// resetWeightAndBias is how PyTorch's linear and convolutional layers start.
func resetWeightAndBias(weight, bias *torch.Tensor) {
	nninit.KaimingUniform_(weight, nninit.KaimingOptions{A: math.Sqrt(5)})
	if bias == nil {
		return
	}
	if in, _ := nninit.Fans(weight); in > 0 {
		bound := 1 / math.Sqrt(float64(in))
		nninit.Uniform_(bias, -bound, bound)
	}
}

// Forward takes x of shape (*, in) and returns (*, out).
func (l *Linear) Forward(x *torch.Tensor) *torch.Tensor { return F.Linear(x, l.Weight, l.Bias) }

// parameter makes a tensor without values that is ready to be registered.
func parameter(shape torch.Shape, dtype torch.DType, dev torch.Device) *torch.Tensor {
	return torch.Disown(torch.Empty(shape, dtype, dev))
}

func option[T any](op string, opts []T) T {
	var none T
	switch len(opts) {
	case 0:
		return none
	case 1:
		return opts[0]
	}
	panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("expected at most one options struct, got %d", len(opts))))
}

// orDefault returns what an option points to.
func orDefault(v *float64, def float64) float64 {
	if v == nil {
		return def
	}
	return *v
}

func checkSizes(op string, sizes ...int64) {
	for _, n := range sizes {
		if n < 0 {
			panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected a number that is not negative, got %d", n)))
		}
	}
}

// Identity returns its input.
type Identity struct{ Base }

// NewIdentity makes an Identity. Follows torch.nn.Identity.
func NewIdentity() *Identity {
	l := new(Identity)
	l.tidy = l
	return l
}

// Forward returns x itself.
func (*Identity) Forward(x *torch.Tensor) *torch.Tensor { return x }

// Flatten joins dimensions to one.
type Flatten struct {
	Base
	start, end int64
}

// NewFlatten joins the dimensions from dims[0] to dims[1], both included, or
// all but the first if none are given. Follows torch.nn.Flatten.
func NewFlatten(dims ...int64) *Flatten {
	l := &Flatten{start: 1, end: -1}
	switch len(dims) {
	case 0:
	case 2:
		l.start, l.end = dims[0], dims[1]
	default:
		panic(torch.NewError("NewFlatten", torch.ErrValue, "dims", fmt.Sprintf("expected a first and a last dimension or none, got %v", dims)))
	}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("start_dim=%d, end_dim=%d", l.start, l.end))
	return l
}

// Forward returns x flattened: a view where that is possible.
func (l *Flatten) Forward(x *torch.Tensor) *torch.Tensor { return x.Flatten(l.start, l.end) }
