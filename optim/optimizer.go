package optim

import (
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Optimizer is what training loops and schedulers need of an optimizer.
type Optimizer interface {
	// Step changes every parameter that has a gradient.
	Step()
	// ZeroGrad removes the gradients of all parameters.
	ZeroGrad()
	// ParamGroups returns the groups, whose settings may be changed.
	ParamGroups() []*ParamGroup
	// LR and SetLR are the learning rate of the first and of all groups.
	LR() float64
	SetLR(lr float64)
	// StateDict and LoadStateDict save and restore the optimizer.
	StateDict() *StateDict
	LoadStateDict(*StateDict) error
	// Close frees the optimizer's state.
	Close() error
}

// ParamGroup is a list of parameters with settings of their own. All settings
// may be changed between steps and count from the next one on; those that the
// optimizer does not have are ignored. Follows an entry of
// Optimizer.param_groups.
type ParamGroup struct {
	LR          float64
	WeightDecay float64
	Maximize    bool // go up the gradient

	// Adam and AdamW.
	Betas   [2]float64
	Eps     float64
	Amsgrad bool

	// SGD.
	Momentum, Dampening float64
	Nesterov            bool

	// InitialLR is the learning rate that schedulers start from. The first one
	// sets it to what LR is then; until that it is 0, unless LoadStateDict
	// restored one. Follows the group's "initial_lr".
	InitialLR float64

	params  []*torch.Tensor
	handle  native.Group
	cleanup runtime.Cleanup
}

// Params returns the group's parameters.
func (g *ParamGroup) Params() []*torch.Tensor { return append([]*torch.Tensor(nil), g.params...) }

// base is what the optimizers share.
type base struct {
	name   string
	groups []*ParamGroup
	closed bool
	step   func(g *ParamGroup, cx abi.Ctx, scale, inf abi.Tensor) abi.Status
	state  []stateKind
	gstep  string // "AdamW.Step()"
}

// addGroup checks the parameters and appends a group of them.
func (b *base) addGroup(g *ParamGroup, params []*torch.Tensor) {
	op := "New" + b.name + "(params)"
	if len(params) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "params", "an empty list"))
	}
	if b.closed {
		panic(b.closedError("AddParamGroup"))
	}
	if !(g.LR >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "LR", fmt.Sprintf("expected a number that is not negative, got %v", g.LR)))
	}
	if !(g.WeightDecay >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "WeightDecay", fmt.Sprintf("expected a number that is not negative, got %v", g.WeightDecay)))
	}
	seen := map[*torch.Tensor]bool{}
	for _, other := range b.groups {
		for _, p := range other.params {
			seen[p] = true
		}
	}
	hs := make([]abi.Tensor, len(params))
	for i, p := range params {
		hs[i] = p.HandleFor(op, i)
		if !p.IsLeaf() {
			panic(torch.NewError(op, torch.ErrAutograd, "params", fmt.Sprintf("parameter %d was computed from other tensors; only leaves can be optimized", i)))
		}
		if d := p.DType(); !d.IsFloatingPoint() && !d.IsComplex() {
			panic(torch.NewError(op, torch.ErrDType, "params", fmt.Sprintf("parameter %d is of dtype %v, which has no gradients", i, d)))
		}
		if seen[p] {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("parameter %d is in the optimizer already", i)))
		}
		seen[p] = true
	}
	r := torch.BeginRaw(op)
	h, st := native.New(hs)
	r.Status(st, params...)
	g.params = append([]*torch.Tensor(nil), params...)
	g.handle = h
	g.cleanup = runtime.AddCleanup(g, native.Group.Free, h)
	b.groups = append(b.groups, g)
}

func (b *base) closedError(method string) *torch.Error {
	return &torch.Error{Op: b.name + "." + method, Kind: torch.ErrClosed, Message: "optimizer used after Close"}
}

// ParamGroups returns the groups in the order in which they were added.
func (b *base) ParamGroups() []*ParamGroup { return append([]*ParamGroup(nil), b.groups...) }

// LR returns the learning rate of the first group.
func (b *base) LR() float64 { return b.groups[0].LR }

// SetLR sets the learning rate of every group. It panics with ErrValue for a
// negative one.
func (b *base) SetLR(lr float64) {
	if !(lr >= 0) {
		panic(torch.NewError(b.name+".SetLR", torch.ErrValue, "lr", fmt.Sprintf("expected a number that is not negative, got %v", lr)))
	}
	for _, g := range b.groups {
		g.LR = lr
	}
}

// Step changes every parameter that has a gradient. It panics with ErrClosed
// after Close, with ErrRuntime for sparse gradients, with ErrType or ErrRuntime for
// a parameter that got another dtype or device since it has state, and with
// ErrOutOfMemory if there is no room for state. The group for which it panics is as it was before,
// those ahead of it have done their step.
func (b *base) Step() { b.StepScaled(nil, nil) }

// StepScaled is Step for gradients that were scaled, as in mixed precision:
// they are divided by the one element of scale, and nothing changes if the one
// element of foundInf is 1. Either may be nil. Both are float32 tensors on the
// parameters' device. Panics are those of Step, and ErrValue or ErrType if one of
// the two is more than one number or no float32.
func (b *base) StepScaled(scale, foundInf *torch.Tensor) {
	if b.closed {
		panic(b.closedError("Step"))
	}
	s, inf := scale.OptionalHandleFor(b.gstep, 0), foundInf.OptionalHandleFor(b.gstep, 1)
	for _, g := range b.groups {
		r := torch.BeginRaw(b.gstep)
		r.Status(b.step(g, r.Ctx, s, inf))
	}
	runtime.KeepAlive(b) // the groups' cleanups free what the steps use
	runtime.KeepAlive(scale)
	runtime.KeepAlive(foundInf)
}

// ZeroGrad removes the gradients of all parameters, so that the next Backward
// starts afresh.
func (b *base) ZeroGrad() { b.zeroGrad(true) }

// ZeroGradToZeros fills the gradients with zeros instead of removing them,
// zero_grad(set_to_none=False).
func (b *base) ZeroGradToZeros() { b.zeroGrad(false) }

func (b *base) zeroGrad(setToNone bool) {
	if b.closed {
		panic(b.closedError("ZeroGrad"))
	}
	for _, g := range b.groups {
		r := torch.BeginRaw("ZeroGrad()")
		r.Status(g.handle.ZeroGrad(r.Ctx, setToNone))
	}
	runtime.KeepAlive(b)
}

// Close frees the state. The parameters stay open. Closing again does nothing;
// it always returns nil.
func (b *base) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	for _, g := range b.groups {
		g.cleanup.Stop()
		g.handle.Free()
		g.handle = 0
		g.params = nil
	}
	return nil
}
