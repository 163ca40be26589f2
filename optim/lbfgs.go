package optim

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// LBFGS is the limited-memory Broyden-Fletcher-Goldfarb-Shanno method. A step, made
// with StepClosure, evaluates the loss several times. LBFGS stores HistorySize
// changes of the parameters and the gradient. All parameters must be on one device
// and in one group.
type LBFGS struct {
	*Base
	s history
}

// history is the state. Python stores it as the state of the first parameter.
type history struct {
	evals, iters   int64
	d, grad        *torch.Tensor // the last direction and gradient
	t              num           // the length of the last step
	loss           float64
	changes, steps []*torch.Tensor // of the gradient and the parameters
	ro             []float64
	diagonal       num
}

func (h *history) tensors() []*torch.Tensor {
	return slices.DeleteFunc(slices.Concat([]*torch.Tensor{h.d, h.grad}, h.changes, h.steps),
		func(t *torch.Tensor) bool { return t == nil })
}

// NewLBFGS makes an LBFGS over params. Its options are [LR], 1 by default, [MaxIter],
// [MaxEval], [ToleranceGrad], [ToleranceChange], [HistorySize] and [LineSearchFn].
// Follows torch.optim.LBFGS.
func NewLBFGS(params []*torch.Tensor, opts ...LBFGSOption) *LBFGS {
	b := &Base{name: "LBFGS", states: []string{}, check: checkLBFGS, single: true}
	b.init(params, []Option{
		fixed{"lr", whole(1)},
		MaxIter(20), MaxEval(25), ToleranceGrad(1e-7), ToleranceChange(1e-9), HistorySize(100),
		fixed{"line_search_fn", nil},
	}, options(opts))
	l := &LBFGS{Base: b}
	b.whole, b.saved, b.loaded = l, l.save, l.load
	b.freed = func() { closeAll(l.s.tensors()) }
	if !slices.ContainsFunc(options(opts), func(o Option) bool { name, _ := o.Setting(); return name == "max_eval" }) {
		n := b.groups[0].integer("max_iter")
		most := MaxEval(n/4*5 + n%4*5/4)
		b.groups[0].Set(most)
		b.defaults.put("max_eval", int64(most))
	}
	return l
}

func checkLBFGS(s settings) (arg, problem string) {
	if n, _ := s.find("history_size").v.(int64); n < 1 {
		return "history_size", fmt.Sprintf("expected a positive number, got %d", n)
	}
	if v := s.find("line_search_fn").v; v != nil && v != string(LineSearchFnStrongWolfe) {
		return "line_search_fn", fmt.Sprintf("expected strong_wolfe or nil, got %v", v)
	}
	return "", ""
}

func (g *ParamGroup) integer(name string) int64 {
	n, _ := g.settings.find(name).v.(int64)
	return n
}

// Step panics with ErrNil: a step of LBFGS needs a closure. Use StepClosure.
func (l *LBFGS) Step() {
	l.made("Step")
	panic(torch.NewError("LBFGS.Step", torch.ErrNil, "closure",
		"LBFGS evaluates the loss several times in a step: call StepClosure, with a function that computes the loss "+
			"and its gradients"))
}

// made panics for an optimizer that is nil, closed or not made by a constructor.
func (l *LBFGS) made(method string) {
	if l == nil {
		(*Base)(nil).open(method)
	}
	l.open(method)
}

// StepClosure runs up to MaxIter iterations, which evaluate the loss with the
// closure, and returns the first loss. The closure removes the gradients, computes
// the loss and its gradients, and returns the loss, a single number. It runs with
// gradients enabled. Tensors made in later evaluations are freed after each.
//
// It panics with ErrNil for a nil closure or loss, with ErrClosed after Close and for
// a closed parameter, and with ErrValue for a duplicate in Params. If the closure
// panics, the completed iterations remain, and the state matches the parameters.
// Follows LBFGS.step.
func (l *LBFGS) StepClosure(closure func() *torch.Tensor) *torch.Tensor {
	l.made("StepClosure")
	if closure == nil {
		panic(torch.NilFunc("LBFGS.StepClosure", "closure"))
	}
	g := l.groups[0]
	g.prepare("LBFGS.StepClosure")
	l.unique("LBFGS.StepClosure")
	var first *torch.Tensor
	l.Run(l, nil, func() {
		loss := l.value(closure, &first)
		torch.Scope(func() {
			s := search{l: l, g: g, closure: closure, history: l.s}
			s.changes, s.steps, s.ro = slices.Clone(s.changes), slices.Clone(s.steps), slices.Clone(s.ro)
			s.step(loss)
			s.commit()
		})
	})
	return first
}

// value evaluates the closure. If asked to, it passes ownership of the loss to the
// caller.
func (l *LBFGS) value(closure func() *torch.Tensor, loss **torch.Tensor) (v float64) {
	evaluate := func() {
		t := closure()
		if t == nil {
			panic(torch.NewError("LBFGS.StepClosure", torch.ErrNil, "closure", "returned no loss"))
		}
		if v = t.Item(); loss != nil {
			*loss = t
		}
	}
	torch.EnableGrad(func() {
		if loss != nil {
			evaluate()
		} else {
			torch.Scope(evaluate)
		}
	})
	return v
}

// search is a running step.
type search struct {
	l *LBFGS
	g *ParamGroup
	calc
	history
	closure func() *torch.Tensor
	dropped []*torch.Tensor // tensors of the optimizer's state, closed when commit replaces it
}

// commit stores the search's state in the optimizer after each iteration. Only the
// vectors that differ between two iterations exist twice.
func (s *search) commit() {
	s.l.s = s.history
	for _, t := range s.tensors() {
		torch.Disown(t)
	}
	closeAll(s.dropped)
	s.dropped = nil
}

// drop closes tensors that the search no longer needs; those of the optimizer's state
// are closed when it is replaced.
func (s *search) drop(ts ...*torch.Tensor) {
	state := s.l.s.tensors()
	for _, t := range ts {
		switch {
		case t == nil:
		case slices.Contains(state, t):
			s.dropped = append(s.dropped, t)
		default:
			_ = t.Close()
		}
	}
}

func (s *search) flat() *torch.Tensor {
	s.l.open("StepClosure") // the closure may have closed it
	params := slices.Clone(s.g.native.Params)
	r := torch.BeginRaw("LBFGS.StepClosure", s.g.Params...)
	return r.Tensor(native.FlatGrad(r.Ctx, params))
}

func (s *search) move(d *torch.Tensor, by num) {
	h := d.Handle()
	r := torch.BeginRaw("LBFGS.StepClosure", append(slices.Clone(s.g.Params), d)...)
	r.Status(native.AddFlat(r.Ctx, s.g.native.Params, h, by.v))
}

func (s *search) direction() *torch.Tensor {
	changes, steps := rawHandles(s.changes), rawHandles(s.steps)
	h := s.grad.Handle()
	r := torch.BeginRaw("LBFGS.StepClosure", slices.Concat([]*torch.Tensor{s.grad}, s.changes, s.steps)...)
	return r.Tensor(native.Direction(r.Ctx, h, changes, steps, s.ro, s.diagonal.v))
}

func rawHandles(ts []*torch.Tensor) []abi.Tensor {
	hs := make([]abi.Tensor, len(ts))
	for i, t := range ts {
		hs[i] = t.Handle()
	}
	return hs
}

// dot and largest are numbers of the dtype of the parameters.
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
	lr, most, evals := s.g.LR(), s.g.integer("max_iter"), int64(1)
	maxEval, tolGrad, tolChange := s.g.integer("max_eval"), s.g.Float("tolerance_grad"), s.g.Float("tolerance_change")
	s.evals++
	grad := s.flat()
	s.double = grad.DType() == torch.Float64
	small := func() bool { return s.atMost(num{largest(grad), true}, float(tolGrad)) }
	if small() {
		return
	}
	for n := int64(1); n <= most; n++ {
		s.iters++
		last := s.grad
		if s.iters == 1 {
			s.drop(s.tensors()...) // a state dict may have set them
			s.d, s.diagonal, s.changes, s.steps, s.ro = grad.Neg(), float(1), nil, nil, nil
		}
		s.grad = grad
		if s.iters > 1 {
			s.update(last)
			s.drop(last, s.d)
			s.d = s.direction()
		}
		before := loss
		s.loss = loss
		s.t = float(lr)
		if s.iters == 1 {
			sum := item(func() *torch.Tensor { return grad.Abs().Sum() })
			s.t = s.mul(s.min(float(1), s.div(float(1), num{sum, true})), s.t)
		}
		slope := s.dot(grad, s.d)
		if s.less(float(-tolChange), slope) {
			return
		}
		calls, done := int64(0), false
		switch {
		case s.g.settings.find("line_search_fn").v != nil:
			var end point
			end, calls = s.line(point{f: loss, grad: grad, slope: slope}, tolChange, maxEval-evals)
			s.t, loss, grad = end.t, end.f, end.grad
			s.move(s.d, s.t)
			s.commit()
			done = small()
		case n != most: // not needed after the last iteration
			s.move(s.d, s.t)
			s.commit() // before the closure, whose graph needs the memory
			loss = s.l.value(s.closure, nil)
			grad = s.flat()
			calls, done = 1, small()
		default:
			s.move(s.d, s.t)
		}
		evals += calls
		s.evals += calls
		moved := func() float64 { return item(func() *torch.Tensor { return s.d.MulScalar(s.t.v).Abs().Max() }) }
		if n == most || evals >= maxEval || done || s.atMost(num{moved(), true}, float(tolChange)) ||
			math.Abs(loss-before) < tolChange {
			return
		}
	}
}

// update adds the last step and the change of the gradient to the history, unless the
// curvature is too small.
func (s *search) update(last *torch.Tensor) {
	change, step := s.grad.Sub(last), s.d.MulScalar(s.t.v)
	ys := s.dot(change, step)
	if !s.less(float(1e-10), ys) {
		s.drop(change, step)
		return
	}
	if int64(len(s.changes)) >= s.g.integer("history_size") {
		s.drop(s.changes[0], s.steps[0])
		s.changes, s.steps, s.ro = s.changes[1:], s.steps[1:], s.ro[1:]
	}
	s.changes, s.steps = append(s.changes, change), append(s.steps, step)
	s.ro = append(s.ro, s.div(float(1), ys).v)
	s.diagonal = s.div(ys, s.dot(change, change))
}

// line searches along the direction. Afterwards the parameters have their old values,
// even if the closure panics.
func (s *search) line(start point, tolerance float64, most int64) (point, int64) {
	params, saved := slices.Clone(s.g.native.Params), make([]abi.Tensor, len(s.g.Params))
	r := torch.BeginRaw("LBFGS.StepClosure", s.g.Params...)
	st := native.SaveParams(r.Ctx, params, saved)
	copies := make([]*torch.Tensor, 0, len(saved))
	r.Status(st)
	for _, h := range saved {
		copies = append(copies, r.Wrap(h))
	}
	restore := func() {
		r := torch.BeginRaw("LBFGS.StepClosure", append(slices.Clone(s.g.Params), copies...)...)
		r.Status(native.RestoreParams(r.Ctx, params, saved))
	}
	return s.strongWolfe(start, s.t, largest(s.d), tolerance, most, func(t num) point {
		defer restore()
		s.move(s.d, t)
		f := s.l.value(s.closure, nil)
		grad := s.flat()
		return point{t, f, grad, s.dot(grad, s.d)}
	})
}
