package nnutil

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/internal/reparam"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// A WeightNormOption is [Name] or [Dim].
type WeightNormOption interface{ reparam.WeightNormFunc }

// A SpectralNormOption is [Name], [NPowerIterations], [Eps] or [Dim].
type SpectralNormOption interface{ reparam.SpectralNormFunc }

// Name is the name of the parameter. The default is "weight".
type Name = reparam.Name

// Dim is the output dimension of the weight. Each output has its own norm. The default is 0; for
// the spectral norm of a transposed convolution it is 1. For [WeightNorm], -1 means one norm of the
// whole tensor, as None does in Python.
type Dim = reparam.Dim

// NPowerIterations is the number of power iterations per forward pass in training
// mode. The default is 1.
type NPowerIterations = reparam.NPowerIterations

// Eps is the smallest norm to divide by. The default is 1e-12.
type Eps = reparam.Eps

// mustHaveParameter returns the Base of a module. It panics unless the module has the parameter,
// and does not yet have the parameters from which it will be computed.
func mustHaveParameter(op string, m nn.Module, name string, from ...string) *nn.Base {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	b := m.ModuleBase()
	if b.GetParameter(name) == nil {
		panic(torch.NewError(op, torch.ErrValue, "Name", fmt.Sprintf("the %s has no parameter %q", b.TypeName(), name)))
	}
	for _, n := range from {
		if n = name + n; b.Get(n) != nil || b.GetParameter(n) != nil || b.GetBuffer(n) != nil {
			panic(torch.NewError(op, torch.ErrValue, "Name", fmt.Sprintf("the %s already has a %q", b.TypeName(), n)))
		}
	}
	return b
}

// restoreParameter makes a computed tensor a parameter again, and removes the parameters from which
// it was computed.
func restoreParameter(op string, m nn.Module, name string, value func(b *nn.Base) *torch.Tensor, from ...string) {
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
			panic(torch.NewError(op, torch.ErrValue, "name",
				fmt.Sprintf("the %s has no norm of this kind on %q", b.TypeName(), name)))
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

// WeightNorm computes a weight from two parameters: "weight_g", its norms, and
// "weight_v", its direction. parametrizations.WeightNorm is newer and uses different
// names. It panics with ErrNil for a nil module or option, with ErrValue if m has no
// parameter with the name, and with ErrIndex for a [Dim] that the parameter does not
// have. If it panics, nothing has changed. Follows torch.nn.utils.weight_norm.
func WeightNorm(m nn.Module, opts ...WeightNormOption) {
	const op = "WeightNorm"
	name, dim := reparam.ReadWeightNorm(op, opts)
	b := mustHaveParameter(op, m, name, "_g", "_v")
	torch.NoGrad(func() {
		torch.Scope(func() {
			v := b.GetParameter(name)
			if n := v.Dim(); dim < -1 || dim >= max(n, 1) {
				panic(torch.NewError(op, torch.ErrIndex, "Dim",
					fmt.Sprintf("%d is neither -1 nor a dimension of a tensor with %d dimensions", dim, n)))
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

// RemoveWeightNorm undoes [WeightNorm]. The weight becomes a parameter again, which is a new
// tensor. It panics with ErrNil for a nil module, and with ErrValue if the weight has no weight
// norm. Follows torch.nn.utils.remove_weight_norm.
func RemoveWeightNorm(m nn.Module, name string) {
	restoreParameter("RemoveWeightNorm", m, name, func(b *nn.Base) *torch.Tensor { return b.Derived(name) }, "_g", "_v")
}

// SpectralNorm divides a weight by its largest singular value. The original weight becomes the
// parameter "weight_orig". The singular vectors are the buffers "weight_u" and "weight_v". Each
// forward pass in training mode improves them. parametrizations.SpectralNorm is newer and starts
// with better vectors.
//
// It panics with ErrNil for a nil module or option, with ErrValue if m has no parameter with the
// name or NPowerIterations is not positive, and with ErrShape for a parameter with fewer than two
// dimensions. If it panics, nothing has changed. Follows torch.nn.utils.spectral_norm.
func SpectralNorm(m nn.Module, opts ...SpectralNormOption) {
	const op = "SpectralNorm"
	s := reparam.ReadSpectral(op, m, opts)
	b := mustHaveParameter(op, m, s.Name, "_orig", "_u", "_v")
	if w := b.GetParameter(s.Name); w.Dim() < 2 || s.Dim < 0 || s.Dim >= w.Dim() {
		panic(torch.NewError(op, torch.ErrShape, "Dim",
			fmt.Sprintf("expected a tensor of two dimensions or more with dimension %d, got size %v", s.Dim,
				w.Shape())))
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			w := b.GetParameter(s.Name)
			mat := reparam.Matrix(w, s.Dim)
			var vectors [2]*torch.Tensor
			for i := range vectors {
				vectors[i] = s.Normalize(w.NewEmpty(torch.Shape{mat.Size(int64(i))}).Normal_(0, 1))
			}
			grad := w.RequiresGrad()
			b.Derive(s.Name, func(m nn.Module) *torch.Tensor {
				b := m.ModuleBase()
				return computeSpectral(b, &s, b.Training())
			})
			b.RegisterParameter(s.Name+"_orig", w)
			w.SetRequiresGrad(grad)
			b.RegisterBuffer(s.Name+"_u", vectors[0])
			b.RegisterBuffer(s.Name+"_v", vectors[1])
		})
	})
}

// RemoveSpectralNorm undoes [SpectralNorm]. The weight becomes a parameter again, which is a new
// tensor. It panics with ErrNil for a nil module, and with ErrValue if the weight has no spectral
// norm. Follows torch.nn.utils.remove_spectral_norm.
func RemoveSpectralNorm(m nn.Module, name string) {
	restoreParameter("RemoveSpectralNorm", m, name, func(b *nn.Base) *torch.Tensor {
		training := b.Training()
		defer b.SetTraining(training)
		b.SetTraining(false) // a power iteration runs only in training mode
		return b.Derived(name)
	}, "_orig", "_u", "_v")
}

func computeSpectral(b *nn.Base, s *reparam.Spectral, step bool) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		w, u, v := b.GetParameter(s.Name+"_orig"), b.GetBuffer(s.Name+"_u"), b.GetBuffer(s.Name+"_v")
		mat := reparam.Matrix(w, s.Dim)
		if step {
			torch.NoGrad(func() {
				for range s.N {
					v.Copy_(s.Normalize(mat.T().Mv(u)))
					u.Copy_(s.Normalize(mat.Mv(v)))
				}
				u, v = u.Clone(), v.Clone() // the graph keeps these, and the next step changes the buffers
			})
		}
		return w.Div(u.Dot(mat.Mv(v)))
	})
}
