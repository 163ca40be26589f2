package optim

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// An LBFGSOption is an option of [NewLBFGS]: [LR], [MaxIter], [MaxEval],
// [ToleranceGrad], [ToleranceChange], [HistorySize], [LineSearchFn].
//
//gotorch:options LR MaxIter MaxEval ToleranceGrad ToleranceChange HistorySize LineSearchFn
type LBFGSOption interface {
	Option
	lbfgsOption()
}

// LBFGS is the limited-memory Broyden-Fletcher-Goldfarb-Shanno method. Call StepClosure
// to take a step, which evaluates the loss several times. LBFGS stores the last
// HistorySize changes of the parameters and of the gradient. All parameters must be on
// one device and in one group.
type LBFGS struct {
	*Base
	history history
}

// history is the optimizer's state. Python stores it as the state of the first parameter.
type history struct {
	evals, iters            int64
	direction, grad         *torch.Tensor // direction and gradient of the last iteration
	stepSize                num           // length of the last step
	loss                    float64
	gradChanges, paramSteps []*torch.Tensor // past changes of the gradient and of the parameters
	rho                     []float64
	diagonal                num
}

func (h *history) tensors() []*torch.Tensor {
	return slices.DeleteFunc(slices.Concat([]*torch.Tensor{h.direction, h.grad}, h.gradChanges, h.paramSteps),
		func(t *torch.Tensor) bool { return t == nil })
}

var lbfgsRule = rule{
	name: "LBFGS",
	defaults: []Option{
		pyDefault{"lr", pyInt(1)},
		MaxIter(20), MaxEval(25), ToleranceGrad(1e-7), ToleranceChange(1e-9), HistorySize(100),
		pyDefault{"line_search_fn", nil},
	},
	checkSettings: checkLBFGS,
}

// NewLBFGS makes an LBFGS over params. Its options are [LR], 1 by default, [MaxIter],
// [MaxEval], [ToleranceGrad], [ToleranceChange], [HistorySize] and [LineSearchFn].
// Follows torch.optim.LBFGS.
func NewLBFGS(params []*torch.Tensor, opts ...LBFGSOption) *LBFGS {
	b := newBaseFor(&lbfgsRule, params, options(opts))
	l := &LBFGS{Base: b}
	b.outer, b.oneGroup, b.saveExtra, b.loadExtra = l, true, l.save, l.load
	b.freeExtra = func() { closeAll(l.history.tensors()) }
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

// Step panics with ErrNil, because a step of LBFGS needs a closure. Use StepClosure.
func (l *LBFGS) Step() {
	l.mustBeMade("Step")
	panic(torch.NewError("LBFGS.Step", torch.ErrNil, "closure",
		"LBFGS evaluates the loss several times in a step: call StepClosure, with a function that computes the loss "+
			"and its gradients"))
}

// mustBeMade panics for an optimizer that is nil, closed, or was not made by its constructor.
func (l *LBFGS) mustBeMade(method string) {
	if l == nil {
		(*Base)(nil).mustBeOpen(method)
	}
	l.mustBeOpen(method)
}

// StepClosure runs up to MaxIter iterations, which evaluate the loss with the closure. It
// returns the first loss. The closure clears the gradients, computes the loss and its
// gradients, and returns the loss, a single number. The closure runs with gradients
// enabled. The tensors that the closure makes are freed after each evaluation except the
// first.
//
// It panics with ErrNil for a nil closure or loss, with ErrClosed after Close and for a
// closed parameter, and with ErrValue for a duplicate in Params. If the closure panics,
// the completed iterations remain, and the state matches the parameters. Follows
// LBFGS.step.
func (l *LBFGS) StepClosure(closure func() *torch.Tensor) *torch.Tensor {
	l.mustBeMade("StepClosure")
	if closure == nil {
		panic(torch.NilFunc("LBFGS.StepClosure", "closure"))
	}
	g := l.groups[0]
	g.prepareParams("LBFGS.StepClosure")
	l.mustBeDistinct("LBFGS.StepClosure")
	var first *torch.Tensor
	l.Run(l, nil, func() {
		loss := l.evaluate(closure, &first)
		torch.Scope(func() {
			s := search{optimizer: l, group: g, closure: closure, history: l.history}
			s.gradChanges, s.paramSteps, s.rho = slices.Clone(s.gradChanges), slices.Clone(s.paramSteps),
				slices.Clone(s.rho)
			s.step(loss)
			s.commit()
		})
	})
	return first
}

// evaluate calls the closure and returns the loss. If loss is not nil, evaluate also stores the
// loss tensor there, and the caller owns it.
func (l *LBFGS) evaluate(closure func() *torch.Tensor, loss **torch.Tensor) (v float64) {
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
