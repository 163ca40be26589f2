package amp

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// Unscale_ divides the gradients of the optimizer's parameters by the scale, in place,
// and checks them for infinities. Call it if you clip gradients before Step; otherwise
// Step does the same. It does not wait for the device. A disabled scaler does nothing.
//
// It panics with ErrNil for a nil optimizer; with ErrRuntime if Scale has not been called
// before, or if Unscale_ or Step was already called for the optimizer since the last
// Update; with ErrDType for float16 gradients, which cannot be divided without loss, so
// parameters must be float32; and with ErrClosed for a closed parameter. Follows
// GradScaler.unscale_.
func (s *GradScaler) Unscale_(opt optim.Optimizer) {
	const op = "amp.GradScaler.Unscale_"
	s.checkOptimizer(op, opt)
	if !s.enabled {
		return
	}
	s.begun(op)
	s.watch()
	st := s.state(opt)
	switch st.stage {
	case unscaled:
		panic(torch.NewError(op, torch.ErrRuntime, "opt", "Unscale_ was already called since the last Update"))
	case stepped:
		panic(torch.NewError(op, torch.ErrRuntime, "opt", "Unscale_ was called after Step"))
	}
	s.unscale(op, opt, st)
}

func (s *GradScaler) unscale(op string, opt optim.Optimizer, st *optimizerState) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			// Compute the inverse in float64, because a float32 division may be less precise.
			inverse := s.scale.To(torch.Float64).Reciprocal().To(torch.Float32)
			s.divide(op, opt, st, inverse, false)
		})
	})
	st.stage = unscaled
}

// kind is the device and dtype of gradients. One kernel divides all gradients of the
// same kind.
type kind struct {
	dev   torch.Device
	dtype torch.DType
}

// divide multiplies gradients by inverse, in the caller's scope. It records for each
// device whether there was an infinity.
func (s *GradScaler) divide(op string, opt optim.Optimizer, st *optimizerState, inverse *torch.Tensor, half bool) {
	var kinds []kind // in the order in which the parameters have them
	grads := map[kind][]*torch.Tensor{}
	for _, g := range opt.ParamGroups() {
		for _, p := range g.Params {
			grad := gradient(op, p, half)
			if grad == nil {
				continue
			}
			k := kind{grad.Device(), grad.DType()}
			if grads[k] == nil {
				kinds = append(kinds, k)
			}
			grads[k] = append(grads[k], grad)
		}
	}
	torch.NoGrad(func() {
		found := map[torch.Device]*torch.Tensor{}
		inverses := map[torch.Device]*torch.Tensor{}
		for _, k := range kinds {
			if found[k.dev] == nil {
				found[k.dev] = torch.Full(nil, 0.0, torch.Float32, k.dev)
				inverses[k.dev] = inverse.To(k.dev, torch.NonBlocking(true))
			}
			aten.UnderAmpForeachNonFiniteCheckAndUnscale_(grads[k], found[k.dev], inverses[k.dev])
		}
		st.close()
		for dev, t := range found {
			st.inf[dev] = torch.Disown(t)
		}
	})
}

// gradient returns the gradient of a parameter if it must be divided, or nil.
func gradient(op string, p *torch.Tensor, half bool) *torch.Tensor {
	if p == nil {
		panic(torch.NewError(op, torch.ErrNil, "opt", "a nil parameter"))
	}
	grad := p.Grad()
	if grad == nil {
		return nil
	}
	if !half && grad.DType() == torch.Float16 {
		panic(torch.NewError(op, torch.ErrDType, "opt", fmt.Sprintf("the gradient of a parameter of size %v is "+
			"float16, which cannot be divided; keep parameters in float32", p.Shape())))
	}
	if !grad.IsSparse() {
		return grad
	}
	if grad.DType() == torch.Float16 {
		// Add up values with the same index before they are checked.
		grad = grad.Coalesce()
		p.SetGrad(grad)
	}
	return aten.UnderValues(grad)
}
