package optim

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// search is the state of a running step.
type search struct {
	optimizer *LBFGS
	group     *ParamGroup
	calc
	history
	closure func() *torch.Tensor
	toClose []*torch.Tensor // tensors of the optimizer's state, which commit closes when it replaces the state
}

// commit stores the search's state in the optimizer after each iteration. The search and the
// optimizer share the other vectors, so only vectors that the running iteration has changed exist
// twice.
func (s *search) commit() {
	s.optimizer.history = s.history
	for _, t := range s.tensors() {
		torch.Disown(t)
	}
	closeAll(s.toClose)
	s.toClose = nil
}

// drop closes tensors that the search no longer needs. Tensors of the optimizer's state are closed
// later, by commit.
func (s *search) drop(ts ...*torch.Tensor) {
	state := s.optimizer.history.tensors()
	for _, t := range ts {
		switch {
		case t == nil:
		case slices.Contains(state, t):
			s.toClose = append(s.toClose, t)
		default:
			_ = t.Close()
		}
	}
}

func (s *search) flatGrad() *torch.Tensor {
	s.optimizer.mustBeOpen("StepClosure") // the closure may have closed the optimizer
	params := slices.Clone(s.group.native.Params)
	r := torch.BeginRaw("LBFGS.StepClosure", s.group.Params...)
	return r.Tensor(native.FlatGrad(r.Ctx, params))
}

func (s *search) moveParams(d *torch.Tensor, by num) {
	h := d.Handle()
	r := torch.BeginRaw("LBFGS.StepClosure", append(slices.Clone(s.group.Params), d)...)
	r.Status(native.AddFlat(r.Ctx, s.group.native.Params, h, by.v))
}

func (s *search) newDirection() *torch.Tensor {
	changes, steps := rawHandles(s.gradChanges), rawHandles(s.paramSteps)
	h := s.grad.Handle()
	r := torch.BeginRaw("LBFGS.StepClosure", slices.Concat([]*torch.Tensor{s.grad}, s.gradChanges, s.paramSteps)...)
	return r.Tensor(native.Direction(r.Ctx, h, changes, steps, s.rho, s.diagonal.v))
}

func rawHandles(ts []*torch.Tensor) []abi.Tensor {
	hs := make([]abi.Tensor, len(ts))
	for i, t := range ts {
		hs[i] = t.Handle()
	}
	return hs
}

// dot and largest compute in the dtype of the parameters.
func (s *search) dot(a, b *torch.Tensor) num {
	return num{item(func() *torch.Tensor { return a.Dot(b) }), true}
}

func largest(t *torch.Tensor) float64 {
	return item(func() *torch.Tensor { return t.Abs().Max() })
}

func item(fn func() *torch.Tensor) (v float64) {
	torch.Scope(func() { v = fn().Item() })
	return v
}

func (s *search) step(loss float64) {
	lr, most, evals := s.group.LR(), s.group.integer("max_iter"), int64(1)
	maxEval := s.group.integer("max_eval")
	tolGrad, tolChange := s.group.Float("tolerance_grad"), s.group.Float("tolerance_change")
	s.evals++
	grad := s.flatGrad()
	s.isFloat64 = grad.DType() == torch.Float64
	small := func() bool { return s.atMost(num{largest(grad), true}, float(tolGrad)) }
	if small() {
		return
	}
	for n := int64(1); n <= most; n++ {
		s.iters++
		s.setDirection(grad)
		before := loss
		s.loss = loss
		s.stepSize = s.firstStepSize(grad, lr)
		slope := s.dot(grad, s.direction)
		if s.less(float(-tolChange), slope) {
			return
		}
		calls, done := int64(0), false
		switch {
		case s.group.settings.find("line_search_fn").v != nil:
			var end point
			end, calls = s.lineSearch(point{loss: loss, grad: grad, slope: slope}, tolChange, maxEval-evals)
			s.stepSize, loss, grad = end.step, end.loss, end.grad
			s.moveParams(s.direction, s.stepSize)
			s.commit()
			done = small()
		case n != most: // the last iteration needs no further evaluation
			s.moveParams(s.direction, s.stepSize)
			s.commit() // commit frees old tensors, whose memory the closure may need
			loss = s.optimizer.evaluate(s.closure, nil)
			grad = s.flatGrad()
			calls, done = 1, small()
		default:
			s.moveParams(s.direction, s.stepSize)
		}
		evals += calls
		s.evals += calls
		moved := func() float64 {
			return item(func() *torch.Tensor { return s.direction.MulScalar(s.stepSize.v).Abs().Max() })
		}
		if n == most || evals >= maxEval || done || s.atMost(num{moved(), true}, float(tolChange)) ||
			math.Abs(loss-before) < tolChange {
			return
		}
	}
}

// setDirection computes the direction of an iteration from the new gradient.
func (s *search) setDirection(grad *torch.Tensor) {
	last := s.grad
	if s.iters == 1 {
		s.drop(s.tensors()...) // a loaded state dict may have set these tensors
		s.direction, s.diagonal, s.gradChanges, s.paramSteps, s.rho = grad.Neg(), float(1), nil, nil, nil
	}
	s.grad = grad
	if s.iters > 1 {
		s.updateHistory(last)
		s.drop(last, s.direction)
		s.direction = s.newDirection()
	}
}

// firstStepSize returns the initial step size of an iteration.
func (s *search) firstStepSize(grad *torch.Tensor, lr float64) num {
	if s.iters > 1 {
		return float(lr)
	}
	sum := item(func() *torch.Tensor { return grad.Abs().Sum() })
	return s.mul(s.min(float(1), s.div(float(1), num{sum, true})), float(lr))
}

// updateHistory adds the last step and the change of the gradient to the history, unless the
// curvature is too small.
func (s *search) updateHistory(last *torch.Tensor) {
	change, step := s.grad.Sub(last), s.direction.MulScalar(s.stepSize.v)
	ys := s.dot(change, step)
	if !s.less(float(1e-10), ys) {
		s.drop(change, step)
		return
	}
	if int64(len(s.gradChanges)) >= s.group.integer("history_size") {
		s.drop(s.gradChanges[0], s.paramSteps[0])
		s.gradChanges, s.paramSteps, s.rho = s.gradChanges[1:], s.paramSteps[1:], s.rho[1:]
	}
	s.gradChanges, s.paramSteps = append(s.gradChanges, change), append(s.paramSteps, step)
	s.rho = append(s.rho, s.div(float(1), ys).v)
	s.diagonal = s.div(ys, s.dot(change, change))
}

// lineSearch searches along the direction. Afterwards it restores the parameters to their values
// before the search, even if the closure panics.
func (s *search) lineSearch(start point, tolerance float64, most int64) (point, int64) {
	params, saved := slices.Clone(s.group.native.Params), make([]abi.Tensor, len(s.group.Params))
	r := torch.BeginRaw("LBFGS.StepClosure", s.group.Params...)
	st := native.SaveParams(r.Ctx, params, saved)
	copies := make([]*torch.Tensor, 0, len(saved))
	r.Status(st)
	for _, h := range saved {
		copies = append(copies, r.Wrap(h))
	}
	restore := func() {
		r := torch.BeginRaw("LBFGS.StepClosure", append(slices.Clone(s.group.Params), copies...)...)
		r.Status(native.RestoreParams(r.Ctx, params, saved))
	}
	return s.strongWolfe(start, s.stepSize, largest(s.direction), tolerance, most, func(t num) point {
		defer restore()
		s.moveParams(s.direction, t)
		f := s.optimizer.evaluate(s.closure, nil)
		grad := s.flatGrad()
		return point{t, f, grad, s.dot(grad, s.direction)}
	})
}
