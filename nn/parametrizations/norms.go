// Package parametrizations provides the parametrizations of
// torch.nn.utils.parametrizations: normalized and orthogonal weights. Each function
// calls parametrize.Register; see package parametrize for the effect on the module.
package parametrizations

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/internal/reparam"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// weightNorm computes a weight from its norms and its direction.
type weightNorm struct {
	nn.Base
	dim int64
}

func (p *weightNorm) Forward(originals ...*torch.Tensor) *torch.Tensor {
	return p.CallN(originals, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{aten.UnderWeightNorm(in[1], in[0], p.dim)}
	})[0]
}

func (p *weightNorm) RightInverse(w *torch.Tensor) []*torch.Tensor {
	return []*torch.Tensor{aten.NormExceptDim(w, 2, p.dim), w}
}

// WeightNorm computes a weight as g * v / |v|. The norms g, one for each output, and the direction
// v are the parameters "parametrizations.weight.original0" and "parametrizations.weight.original1".
// A state dict with the older names, "weight_g" and "weight_v", can also be loaded. It panics with
// ErrNil for a nil module or option, and otherwise as parametrize.Register does. Follows
// torch.nn.utils.parametrizations.weight_norm.
func WeightNorm(m nn.Module, opts ...WeightNormOption) {
	const op = "WeightNorm"
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	name, dim := reparam.ReadWeightNorm(op, opts)
	torch.Scope(func() {
		if w := mustFindWeight(op, m, name); w.Dim() > 0 {
			dimension(op, dim, w.Dim())
		}
	})
	p := &weightNorm{dim: dim}
	p.Init(p, nn.TypeName("_WeightNorm"))
	parametrize.Register(m, name, p, parametrize.Unsafe(true))
	m.ModuleBase().RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		g, v := prefix+name+"_g", prefix+name+"_v"
		if sd.Get(g) == nil || sd.Get(v) == nil {
			return
		}
		for i, n := range *sd {
			switch n.Name {
			case g:
				(*sd)[i].Name = prefix + "parametrizations." + name + ".original0"
			case v:
				(*sd)[i].Name = prefix + "parametrizations." + name + ".original1"
			}
		}
	})
}

// spectralNorm divides a weight by its largest singular value.
type spectralNorm struct {
	nn.Base
	u, v *torch.Tensor // the singular vectors; nil if the weight is a vector
	s    reparam.Spectral
}

// SpectralNorm divides a weight by its largest singular value; a vector is divided by its norm. In
// training mode, each forward pass estimates the singular value with one or more power iterations.
// The singular vectors are buffers of the parametrization. It panics with ErrNil for a nil module
// or option, with ErrValue if m has no tensor with the name or NPowerIterations is not positive,
// and with ErrIndex for a [Dim] that the tensor does not have. Follows
// torch.nn.utils.parametrizations.spectral_norm.
func SpectralNorm(m nn.Module, opts ...SpectralNormOption) {
	const op = "SpectralNorm"
	p := &spectralNorm{s: reparam.ReadSpectral(op, m, opts)}
	p.Init(p, nn.TypeName("_SpectralNorm"))
	done := false
	defer func() {
		if !done {
			_ = p.Close()
		}
	}()
	torch.NoGrad(func() {
		torch.Scope(func() {
			w := mustFindWeight(op, m, p.s.Name)
			p.s.Dim = dimension(op, p.s.Dim, w.Dim())
			if w.Dim() <= 1 {
				return
			}
			mat := reparam.Matrix(w, p.s.Dim)
			p.u = p.RegisterBuffer("_u", p.s.Normalize(w.NewEmpty(torch.Shape{mat.Size(0)}).Normal_(0, 1)))
			p.v = p.RegisterBuffer("_v", p.s.Normalize(w.NewEmpty(torch.Shape{mat.Size(1)}).Normal_(0, 1)))
			p.iterate(mat, 15)
		})
	})
	parametrize.Register(m, p.s.Name, p)
	done = true
}

func dimension(op string, dim, n int64) int64 {
	if dim < -n || dim >= n {
		panic(torch.NewError(op, torch.ErrIndex, "Dim",
			fmt.Sprintf("%d is not a dimension of a tensor with %d dimensions", dim, n)))
	}
	if dim < 0 {
		dim += n
	}
	return dim
}

func (p *spectralNorm) iterate(mat *torch.Tensor, n int64) {
	torch.NoGrad(func() {
		for range n {
			torch.Scope(func() {
				p.u.Copy_(p.s.Normalize(mat.Mv(p.v)))
				p.v.Copy_(p.s.Normalize(mat.MH().Mv(p.u)))
			})
		}
	})
}

func (p *spectralNorm) Forward(w *torch.Tensor) *torch.Tensor {
	return p.Call(w, func(w *torch.Tensor) *torch.Tensor {
		if p.u == nil {
			return p.s.Normalize(w)
		}
		mat := reparam.Matrix(w, p.s.Dim)
		if p.Training() {
			p.iterate(mat, p.s.N)
		}
		// Use clones: the graph keeps them, and the next step changes the buffers.
		u, v := p.u.Clone(), p.v.Clone()
		return w.Div(u.Vdot(mat.Mv(v)))
	})
}

func (p *spectralNorm) RightInverse(w *torch.Tensor) *torch.Tensor { return w }
