package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// activations are the functions that config.json files name. Follows
// transformers.activations.ACT2FN.
var activations = map[string]func(*torch.Tensor) *torch.Tensor{
	"gelu":              func(x *torch.Tensor) *torch.Tensor { return F.GELU(x) },
	"gelu_new":          geluNew,
	"gelu_fast":         geluFast,
	"gelu_pytorch_tanh": func(x *torch.Tensor) *torch.Tensor { return F.GELU(x, F.Approximate("tanh")) },
	"quick_gelu":        quickGELU,
	"relu":              F.ReLU,
	"sigmoid":           func(x *torch.Tensor) *torch.Tensor { return x.Sigmoid() },
	"silu":              F.SiLU,
	"swish":             F.SiLU,
	"tanh":              func(x *torch.Tensor) *torch.Tensor { return x.Tanh() },
}

// Activation returns the function that a config.json names, such as "silu" or "gelu_new".
// The function returns a new tensor of the shape and dtype of its argument. The error lists
// the known names. Follows transformers.activations.ACT2FN.
func Activation(name string) (func(*torch.Tensor) *torch.Tensor, error) {
	if f, ok := activations[name]; ok {
		return f, nil
	}
	return nil, fmt.Errorf("the activation %q is unknown; known are %s", name,
		strings.Join(slices.Sorted(maps.Keys(activations)), ", "))
}

// geluNew is 0.5x(1 + tanh(sqrt(2/pi)(x + 0.044715x³))) in the order of transformers.
func geluNew(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		inner := x.PowScalar(3).MulScalar(0.044715).Add(x).MulScalar(0.7978845608028654)
		return x.MulScalar(0.5).Mul(inner.Tanh().AddScalar(1))
	})
}

func geluFast(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		inner := x.Mul(x).MulScalar(0.044715).AddScalar(1)
		return x.MulScalar(0.5).Mul(x.MulScalar(0.7978845608).Mul(inner).Tanh().AddScalar(1))
	})
}

func quickGELU(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return x.Mul(x.MulScalar(1.702).Sigmoid()) })
}
