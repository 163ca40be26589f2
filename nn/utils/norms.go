package utils

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/utils/parametrizations"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// baseOf returns the Base of a module that has a parameter.
func baseOf(op string, m nn.Module, name string) *nn.Base {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	b := m.ModuleBase()
	if b.GetParameter(name) == nil {
		panic(torch.NewError(op, torch.ErrValue, "Name", fmt.Sprintf("the %s has no parameter %q", b.TypeName(), name)))
	}
	return b
}

// restored makes a computed tensor a parameter again, and removes those that it was
// computed from.
func restored(op string, m nn.Module, name string, value func(b *nn.Base) *torch.Tensor, from ...string) {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	b := m.ModuleBase()
	parts := make([]*torch.Tensor, len(from))
	for i, n := range from {
		if parts[i] = b.GetParameter(name + n); parts[i] == nil {
			parts[i] = b.GetBuffer(name + n)
		}
		if parts[i] == nil || !b.IsDerived(name) {
			panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("the %s has no %q to be removed from", b.TypeName(), name)))
		}
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			t := torch.Disown(value(b))
			b.Derive(name, nil)
			for i, n := range from {
				b.Unregister(name + n)
				_ = parts[i].Close()
			}
			b.RegisterParameter(name, t)
		})
	})
}

// WeightNorm computes a weight from the parameters "weight_g", its norms, and "weight_v",
// its direction. parametrizations.WeightNorm is newer and has other names; the options are
// its. It panics with ErrNil for a nil module or option, with ErrValue if m has no such
// parameter, and with ErrIndex for a [parametrizations.Dim] that it does not have. Then
// nothing has changed.
// Follows torch.nn.utils.weight_norm.
func WeightNorm(m nn.Module, opts ...parametrizations.WeightNormOption) {
	const op = "WeightNorm"
	name, dim := "weight", int64(0)
	for _, o := range opts {
		switch o := o.(type) {
		case parametrizations.Name:
			name = string(o)
		case parametrizations.Dim:
			dim = int64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	b := baseOf(op, m, name)
	torch.NoGrad(func() {
		torch.Scope(func() {
			v := b.GetParameter(name)
			if n := v.Dim(); dim < -1 || dim >= max(n, 1) {
				panic(torch.NewError(op, torch.ErrIndex, "Dim", fmt.Sprintf("%d is not a dimension of a tensor with %d, nor -1", dim, n)))
			}
			g := aten.NormExceptDim(v, 2, dim)
			b.Derive(name, func(m nn.Module) *torch.Tensor {
				b := m.ModuleBase()
				return aten.UnderWeightNorm(b.GetParameter(name+"_v"), b.GetParameter(name+"_g"), dim)
			})
			b.RegisterParameter(name+"_g", g)
			b.RegisterParameter(name+"_v", v)
		})
	})
}

// RemoveWeightNorm makes a weight that [WeightNorm] was called for a parameter again,
// which is a new tensor. It panics with ErrNil for a nil module, and with ErrValue if that
// was not so. Follows torch.nn.utils.remove_weight_norm.
func RemoveWeightNorm(m nn.Module, name string) {
	restored("RemoveWeightNorm", m, name, func(b *nn.Base) *torch.Tensor { return b.Derived(name) }, "_g", "_v")
}

// SpectralNorm divides a weight by its largest singular value. The weight is the parameter
// "weight_orig"; the singular vectors are the buffers "weight_u" and "weight_v", which each
// forward pass of training mode improves. parametrizations.SpectralNorm is newer, and
// starts with better vectors; the options are its. It panics with ErrNil for a nil module
// or option, with ErrValue if m has no such parameter or NPowerIterations is not positive,
// and with ErrShape for a parameter of less than two dimensions.
// Follows torch.nn.utils.spectral_norm.
func SpectralNorm(m nn.Module, opts ...parametrizations.SpectralNormOption) {
	const op = "SpectralNorm"
	s := parametrizations.ReadSpectral(op, m, opts)
	b := baseOf(op, m, s.Name)
	if w := b.GetParameter(s.Name); w.Dim() < 2 || s.Dim < 0 || s.Dim >= w.Dim() {
		panic(torch.NewError(op, torch.ErrShape, "Dim", fmt.Sprintf("expected a tensor of two dimensions or more with dimension %d, got size %v", s.Dim, w.Shape())))
	}
	weight := b.Derive(s.Name, func(m nn.Module) *torch.Tensor {
		b := m.ModuleBase()
		return spectral(b, &s, b.IsTraining())
	})
	grad := weight.RequiresGrad()
	b.RegisterParameter(s.Name+"_orig", weight)
	weight.SetRequiresGrad(grad)
	torch.NoGrad(func() {
		torch.Scope(func() {
			mat := asMatrix(weight, s.Dim)
			for i, name := range []string{"_u", "_v"} {
				v := weight.NewEmpty(torch.Shape{mat.Size(int64(i))}).Normal_(0, 1)
				b.RegisterBuffer(s.Name+name, normalized(v, &s))
			}
		})
	})
}

// RemoveSpectralNorm makes a weight that [SpectralNorm] was called for a parameter again,
// which is a new tensor. It panics with ErrNil for a nil module, and with ErrValue if that
// was not so. Follows torch.nn.utils.remove_spectral_norm.
func RemoveSpectralNorm(m nn.Module, name string) {
	restored("RemoveSpectralNorm", m, name, func(b *nn.Base) *torch.Tensor {
		training := b.IsTraining()
		defer b.SetTraining(training)
		b.SetTraining(false) // no step of the power method
		return b.Derived(name)
	}, "_orig", "_u", "_v")
}

func asMatrix(w *torch.Tensor, dim int64) *torch.Tensor {
	if dim != 0 {
		order := []int64{dim}
		for d := range w.Dim() {
			if d != dim {
				order = append(order, d)
			}
		}
		w = w.Permute(order...)
	}
	return w.Reshape(w.Size(0), -1)
}

func normalized(x *torch.Tensor, s *parametrizations.Spectral) *torch.Tensor {
	return F.Normalize(x, F.Dim(0), F.Eps(s.Eps))
}

// spectral computes the weight.
func spectral(b *nn.Base, s *parametrizations.Spectral, step bool) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		w, u, v := b.GetParameter(s.Name+"_orig"), b.GetBuffer(s.Name+"_u"), b.GetBuffer(s.Name+"_v")
		mat := asMatrix(w, s.Dim)
		if step {
			torch.NoGrad(func() {
				for range s.N {
					v.Copy_(normalized(mat.T().Mv(u), s))
					u.Copy_(normalized(mat.Mv(v), s))
				}
				u, v = u.Clone(), v.Clone() // which the graph keeps; the next step changes the buffers
			})
		}
		return w.Div(u.Dot(mat.Mv(v)))
	})
}
