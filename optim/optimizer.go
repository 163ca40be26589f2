package optim

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Optimizer is the interface that training loops and schedulers use. [Base]
// implements all of it except Step.
type Optimizer interface {
	// Step updates every parameter that has a gradient.
	Step()
	// ZeroGrad removes the gradients of all parameters.
	ZeroGrad(opts ...ZeroGradOption)
	// AddParamGroup adds parameters with their own settings.
	AddParamGroup(params []*torch.Tensor, opts ...Option)
	// ParamGroups returns the groups, whose settings may be changed.
	ParamGroups() []*ParamGroup
	// State returns the optimizer's state for a parameter.
	State(p *torch.Tensor) map[string]*torch.Tensor
	// StateDict and LoadStateDict save and restore the optimizer.
	StateDict() *StateDict
	LoadStateDict(src StateSource) error
	// String prints the settings.
	String() string
	// Close frees the optimizer's state.
	Close() error
}

// Base is the common part of all optimizers: groups, settings and state. Your own
// optimizer embeds a pointer to a Base and adds a Step and a constructor. Steps make the
// state, and Close frees it. Only one goroutine at a time may use a Base.
type Base struct {
	name     string
	defaults settings
	groups   []*ParamGroup
	state    map[*torch.Tensor]*slot
	closed   bool
	stepped  atomic.Bool // a step has begun
	distinct bool        // no parameter occurs twice in the groups' slots

	hooks hooks
	outer Optimizer // the optimizer that embeds this Base, for hooks

	// The following fields are set only for the optimizers of this package.
	rule *rule
	// The native optimizer that rule.name names. The first step looks it up.
	optimizer native.Optimizer
	stepOp    string // the step's name for errors
	// Only for LBFGS, which has one group and whose state is not stored by parameter: functions
	// that save, load and free its state.
	oneGroup  bool
	saveExtra func(sd *StateDict)
	loadExtra func(l *loader) (commit func())
	freeExtra func()
}

// NewBase makes the base of an optimizer. name is the name under which the optimizer is
// printed, and params is its first group. defaults lists all settings of the optimizer.
// opts are the options that the caller of its constructor passed.
//
// It panics with ErrValue for an empty list, an option that is not among defaults and a
// value out of range; with ErrType for a value whose type differs from the default's;
// with ErrNil for a nil option or parameter; with ErrAutograd for a parameter that is not
// a leaf; and with ErrDType for a parameter that cannot have gradients. Follows
// Optimizer.__init__.
func NewBase(name string, params []*torch.Tensor, defaults []Option, opts ...Option) *Base {
	b := &Base{name: name}
	b.init(params, defaults, opts)
	return b
}

func (b *Base) init(params []*torch.Tensor, defaults, opts []Option) {
	op := "New" + b.name
	b.state = map[*torch.Tensor]*slot{}
	for _, o := range defaults {
		if opt.IsNil(o) {
			panic(torch.BadOption(op, nil))
		}
		name, value := o.Setting()
		if bad := b.defaults.put(name, value); bad != nil {
			panic(torch.NewError(op, bad.kind, name, bad.text))
		}
	}
	b.applyOptions(op, &b.defaults, opts, false)
	b.addGroup(op, params, nil)
}

// options converts opts to []Option, which Base takes.
func options[T Option](opts []T) []Option {
	all := make([]Option, len(opts))
	for i, o := range opts {
		all[i] = o
	}
	return all
}

// applyOptions sets options in s. If it panics, s must not be used. If define is true, options may
// add new settings.
func (b *Base) applyOptions(op string, s *settings, opts []Option, define bool) {
	for _, o := range opts {
		if opt.IsNil(o) {
			panic(torch.BadOption(op, nil))
		}
		name, value := o.Setting()
		if _, initial := o.(InitialLR); !initial && !define && s.find(name) == nil {
			panic(torch.NewError(op, torch.ErrValue, name, b.name+" has no such setting"))
		}
		if b.rule != nil && slices.Contains(b.rule.locked, name) {
			panic(torch.NewError(op, torch.ErrValue, name, b.name+" has a fixed value for this setting"))
		}
		if bad := s.put(name, value); bad != nil {
			panic(torch.NewError(op, bad.kind, name, bad.text))
		}
	}
	if b.rule != nil {
		if arg, problem := b.rule.settingsProblem(*s); problem != "" {
			panic(torch.NewError(op, torch.ErrValue, arg, problem))
		}
	}
}

// AddParamGroup adds parameters with their own settings, such as biases without weight decay.
// Settings that are not given are taken from the optimizer. It panics as the constructor does. It
// also panics with ErrValue for an option that the optimizer does not have, for a parameter that is
// already in a group, and for LBFGS, which has only one group. Follows Optimizer.add_param_group.
func (b *Base) AddParamGroup(params []*torch.Tensor, opts ...Option) {
	b.mustBeOpen("AddParamGroup")
	if b.oneGroup {
		panic(torch.NewError(b.name+".AddParamGroup", torch.ErrValue, "params",
			b.name+" can have only one parameter group"))
	}
	b.addGroup(b.name+".AddParamGroup", params, opts)
}

func (b *Base) addGroup(op string, params []*torch.Tensor, opts []Option) {
	if len(params) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "params", "an empty list"))
	}
	s := slices.Clone(b.defaults)
	b.applyOptions(op, &s, opts, false)
	seen := map[*torch.Tensor]bool{}
	for _, other := range b.groups {
		for _, p := range other.Params {
			seen[p] = true
		}
	}
	for i, p := range params {
		b.mustAccept(op, i, p)
		if seen[p] {
			panic(torch.NewError(op, torch.ErrValue, "params",
				fmt.Sprintf("parameter %d is in the optimizer already", i)))
		}
		seen[p] = true
	}
	b.groups = append(b.groups, &ParamGroup{Params: slices.Clone(params), owner: b, settings: s})
}

// mustAccept panics unless p can be a parameter of the optimizer.
func (b *Base) mustAccept(op string, i int, p *torch.Tensor) {
	handle(op, "parameter", i, p)
	if !p.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, "params",
			fmt.Sprintf("parameter %d was computed from other tensors; only leaves can be optimized", i)))
	}
	if d := p.DType(); !d.IsFloatingPoint() && !d.IsComplex() {
		panic(torch.NewError(op, torch.ErrDType, "params",
			fmt.Sprintf("parameter %d is of dtype %v, which has no gradients", i, d)))
	}
	if b.rule != nil && b.rule.paramProblem != nil {
		if problem := b.rule.paramProblem(p); problem != "" {
			panic(torch.NewError(op, torch.ErrValue, "params", fmt.Sprintf("parameter %d %s", i, problem)))
		}
	}
}

// slot returns the slot that stores the state of a parameter.
func (b *Base) slot(op string, i int, p *torch.Tensor) *slot {
	s := b.state[p]
	if s == nil {
		b.mustAccept(op, i, p)
		s = b.newSlot(p)
		b.state[p] = s
	}
	return s
}

// mustBeDistinct panics if a parameter occurs twice in the groups, because each step would update
// it twice.
func (b *Base) mustBeDistinct(op string) {
	seen := map[*torch.Tensor]bool{}
	for i, g := range b.groups {
		for j, p := range g.Params {
			if seen[p] {
				panic(torch.NewError(op, torch.ErrValue, "params",
					fmt.Sprintf("parameter %d of group %d is in the optimizer twice", j, i)))
			}
			seen[p] = true
		}
	}
}

// Stepped reports whether a step has begun, or was skipped with [Base.SkipStep]. A scheduler warns
// if its first Step comes earlier.
func (b *Base) Stepped() bool {
	if b == nil || !b.closed {
		b.mustBeOpen("Stepped")
	}
	return b.stepped.Load()
}

// SkipStep records that a step was skipped on purpose, as amp.GradScaler does for infinite
// gradients. The scheduler's next step then does not warn.
func (b *Base) SkipStep() {
	b.mustBeOpen("SkipStep")
	b.stepped.Store(true)
}

// mustBeOpen panics with ErrClosed if the optimizer is closed, and with ErrNil if it was not made
// by a constructor. It also panics for a group that is nil or belongs to another optimizer.
func (b *Base) mustBeOpen(method string) {
	if b == nil || b.state == nil && !b.closed {
		panic(torch.NewError(method, torch.ErrNil, "optimizer", "is nil, or was not made by a constructor"))
	}
	if b.closed {
		panic(b.closedError(method))
	}
	for i, g := range b.groups { // the program may have changed the slice that ParamGroups returned
		switch {
		case g == nil:
			panic(torch.NewError(b.name+"."+method, torch.ErrNil, "ParamGroups", fmt.Sprintf("group %d is nil", i)))
		case g.owner != b:
			panic(torch.NewError(b.name+"."+method, torch.ErrValue, "ParamGroups",
				fmt.Sprintf("group %d does not belong to this optimizer", i)))
		}
	}
}

func (b *Base) closedError(method string) *torch.Error {
	return &torch.Error{Op: b.name + "." + method, Kind: torch.ErrClosed, Message: "optimizer used after Close"}
}

// ParamGroups returns the groups in the order in which they were added. The optimizer
// owns the slice. Follows Optimizer.param_groups.
func (b *Base) ParamGroups() []*ParamGroup {
	if b == nil {
		b.mustBeOpen("ParamGroups")
	}
	return b.groups[:len(b.groups):len(b.groups)]
}

// ZeroGrad removes the gradients of all parameters, so the next Backward starts
// from zero. With SetToNone(false) it fills them with zeros instead. It panics
// with ErrClosed for a closed parameter. Follows Optimizer.zero_grad.
func (b *Base) ZeroGrad(opts ...ZeroGradOption) {
	b.mustBeOpen("ZeroGrad")
	setToNone := true
	for _, o := range opts {
		switch o := o.(type) {
		case SetToNone:
			setToNone = bool(o)
		default:
			panic(torch.BadOption(b.name+".ZeroGrad", o))
		}
	}
	if region.On() {
		defer region.Begin("Optimizer.zero_grad#"+b.name+".zero_grad", region.User).Finish()
	}
	op := b.name + ".ZeroGrad"
	for _, g := range b.groups {
		g.prepareParams(op)
	}
	for _, g := range b.groups {
		r := torch.BeginRaw(op, g.argTensors...)
		r.Status(native.ZeroGrad(r.Ctx, g.native.Params, setToNone))
	}
}

// String prints the groups and their settings as Python does.
func (b *Base) String() string {
	if b == nil {
		return "<nil>"
	}
	var s strings.Builder
	s.WriteString(b.name + " (")
	for i, g := range b.groups {
		fmt.Fprintf(&s, "\nParameter Group %d\n", i)
		if g == nil { // the program put a nil group in the list; the next step reports it
			continue
		}
		sorted := slices.Clone(g.settings)
		slices.SortFunc(sorted, func(x, y setting) int { return strings.Compare(x.name, y.name) })
		for _, e := range sorted {
			fmt.Fprintf(&s, "    %s: %s\n", e.name, e.String())
		}
	}
	return s.String() + ")"
}

// Close frees the state. The parameters stay open. The error is always nil. Closing again does
// nothing.
func (b *Base) Close() error {
	if b == nil || b.closed {
		return nil
	}
	b.closed = true
	for _, s := range b.state {
		for _, t := range s.tensors {
			_ = t.Close()
		}
	}
	b.state = nil
	if b.freeExtra != nil {
		b.freeExtra()
	}
	for _, g := range b.groups {
		if g == nil || g.owner != b {
			continue
		}
		*g = ParamGroup{owner: b, settings: g.settings}
	}
	return nil
}
