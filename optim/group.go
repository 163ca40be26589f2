package optim

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// ParamGroup is a list of parameters with their own settings. You may change the list and the
// settings between steps; the next step uses the new ones. Follows an entry of
// Optimizer.param_groups.
type ParamGroup struct {
	// Params lists the parameters. You may append parameters and replace them. The next step checks
	// new parameters, as AddParamGroup does, before it changes anything.
	Params []*torch.Tensor

	owner    *Base
	settings settings

	// The arguments of a step. They are stored here so that a step does not allocate them.
	slots        []*slot
	native       native.Group
	argTensors   []*torch.Tensor // the tensors whose handles are in native and stepArgs
	stepArgs     native.How
	stepSettings native.Settings
}

// Set changes settings. If it panics, it has changed none of them. It panics with ErrValue for a
// setting that the optimizer does not have and for a value that its constructor rejects, with
// ErrType for a value of the wrong type, and with ErrNil for a nil option. Follows group["lr"] =
// lr.
func (g *ParamGroup) Set(opts ...Option) { g.change("Set", opts, false) }

func (g *ParamGroup) change(method string, opts []Option, define bool) {
	op := g.op(method)
	mustNotBeCapturing(op)
	s := append(settings(nil), g.settings...)
	g.owner.applyOptions(op, &s, opts, define)
	g.settings = s
}

// mustBeMade panics with ErrNil for a group that was not made by an optimizer.
func (g *ParamGroup) mustBeMade(method string) {
	if g == nil || g.owner == nil {
		panic(torch.NewError("ParamGroup."+method, torch.ErrNil, "g",
			"the group belongs to no optimizer; make it with AddParamGroup"))
	}
}

// op returns a method's name for errors. It panics for a group that was not made by an optimizer.
func (g *ParamGroup) op(method string) string {
	g.mustBeMade(method)
	return g.owner.name + " ParamGroup." + method
}

// SetLR sets the learning rate as Set does, without allocating. It panics with
// ErrValue for a negative rate or if the optimizer has no learning rate.
func (g *ParamGroup) SetLR(lr float64) {
	mustNotBeCapturing(g.op("SetLR"))
	e := g.mustFind("SetLR", "lr", number)
	if !(lr >= 0) {
		panic(torch.NewError(g.op("SetLR"), torch.ErrValue, "lr",
			fmt.Sprintf("expected a number that is not negative, got %v", lr)))
	}
	e.num[0], e.asInt = lr, false
}

// mustNotBeCapturing panics with ErrRuntime while [torch.Capture] captures a step.
// Schedulers and custom optimizers read settings as Go numbers, and a graph would not see
// later changes to them. op names the method.
func mustNotBeCapturing(op string) {
	const why = "settings cannot be read or changed while a step is being captured, because a replay would not do it " +
		"again: call a scheduler's Step after the replay; only the steps of optimizers of package optim can be captured"
	r := recording.Current()
	if r == nil {
		return
	}
	at := why + recording.At(trace.Capture(1))
	if !r.GiveUp(op + ": " + at) {
		panic(&torch.Error{Op: op, Kind: torch.ErrRuntime, Message: at})
	}
}

// Define sets settings, and adds those that the optimizer does not have. Schedulers use it to keep
// values in a group, as PyTorch's schedulers do. Added settings are printed and saved with the
// others. It panics as Set does, and with ErrType for a value of a type that no [Option] may have.
func (g *ParamGroup) Define(opts ...Option) { g.change("Define", opts, true) }

// Get returns the setting with the given PyTorch name, and whether the group has it. [Option] lists
// the types of the values. It panics with ErrNil for a group that was not made by an optimizer.
func (g *ParamGroup) Get(name string) (value any, ok bool) {
	g.mustBeMade("Get")
	if e := g.settings.find(name); e != nil {
		return e.value(), true
	}
	return nil, false
}

// Settings returns a copy of all settings under PyTorch's names. [Option] lists the types of the
// values. It panics with ErrNil for a group that was not made by an optimizer. Follows dict(group),
// without the parameters.
func (g *ParamGroup) Settings() map[string]any {
	g.mustBeMade("Settings")
	all := make(map[string]any, len(g.settings))
	for _, e := range g.settings {
		all[e.name] = e.value()
	}
	return all
}

// Float returns a numeric setting. It panics with ErrValue if the group has no
// setting with this name, and with ErrType if it is not a number.
func (g *ParamGroup) Float(name string) float64 { return g.mustFind("Float", name, number).num[0] }

// Bool returns a boolean setting; None is false. It panics as Float does.
func (g *ParamGroup) Bool(name string) bool {
	switch v := g.mustFind("Bool", name, other).v.(type) {
	case bool:
		return v
	case nil:
		return false
	}
	panic(g.typeError("Bool", name))
}

// LR returns the learning rate. Like the following methods, it panics with ErrValue
// if the optimizer has no such setting.
func (g *ParamGroup) LR() float64 { return g.mustFind("LR", "lr", number).num[0] }

// InitialLR returns the learning rate that schedulers start from, and whether it is set. It panics
// with ErrNil for a group that was not made by an optimizer.
func (g *ParamGroup) InitialLR() (lr float64, ok bool) {
	g.mustBeMade("InitialLR")
	if e := g.settings.find("initial_lr"); e != nil && e.kind == number {
		return e.num[0], true
	}
	return 0, false
}

// Betas returns beta1 and beta2, the decay rates of the running means.
func (g *ParamGroup) Betas() (beta1, beta2 float64) {
	e := g.mustFind("Betas", "betas", pair)
	return e.num[0], e.num[1]
}

// Eps returns the number that is added to the denominator.
func (g *ParamGroup) Eps() float64 { return g.mustFind("Eps", "eps", number).num[0] }

// WeightDecay returns the weight decay.
func (g *ParamGroup) WeightDecay() float64 {
	return g.mustFind("WeightDecay", "weight_decay", number).num[0]
}

// Momentum returns the momentum.
func (g *ParamGroup) Momentum() float64 { return g.mustFind("Momentum", "momentum", number).num[0] }

// Dampening returns the dampening of the momentum.
func (g *ParamGroup) Dampening() float64 { return g.mustFind("Dampening", "dampening", number).num[0] }

// Nesterov reports whether Nesterov momentum is used.
func (g *ParamGroup) Nesterov() bool { return g.Bool("nesterov") }

// Amsgrad reports whether steps divide by the largest second moment so far.
func (g *ParamGroup) Amsgrad() bool { return g.Bool("amsgrad") }

// Maximize reports whether steps maximize the objective.
func (g *ParamGroup) Maximize() bool { return g.Bool("maximize") }

func (g *ParamGroup) mustFind(method, name string, k kind) *setting {
	var e *setting
	if g != nil {
		e = g.settings.find(name)
	}
	if e == nil {
		panic(torch.NewError(g.op(method), torch.ErrValue, name, g.owner.name+" has no such setting"))
	}
	if e.kind != k {
		panic(g.typeError(method, name))
	}
	mustNotBeCapturing(g.op(method))
	return e
}

func (g *ParamGroup) typeError(method, name string) *torch.Error {
	return torch.NewError(g.op(method), torch.ErrType, name,
		fmt.Sprintf("this setting has type %T", g.settings.find(name).value()))
}

// slot is a parameter and its state.
type slot struct {
	param   *torch.Tensor
	names   []string
	tensors []*torch.Tensor // an element is nil while its state does not exist
}

// newSlot returns a slot without state. For an optimizer of this package, the slot has
// the state names of the optimizer's rule. For other optimizers SetState adds the names.
func (b *Base) newSlot(p *torch.Tensor) *slot {
	if b.rule == nil {
		return &slot{param: p}
	}
	return &slot{param: p, names: b.rule.states, tensors: make([]*torch.Tensor, len(b.rule.states))}
}

func (s *slot) get(name string) *torch.Tensor {
	for i, n := range s.names {
		if n == name {
			return s.tensors[i]
		}
	}
	return nil
}

// set replaces a state tensor and closes the old one.
func (s *slot) set(name string, t *torch.Tensor) {
	for i, n := range s.names {
		if n == name {
			if old := s.tensors[i]; old != t {
				_ = old.Close()
			}
			s.tensors[i] = t
			return
		}
	}
	s.names = append(s.names[:len(s.names):len(s.names)], name)
	s.tensors = append(s.tensors, t)
}

// prepare fills in the arguments of a native step, for the optimizers of this package. It
// panics as prepareParams does, and with ErrClosed for a closed state tensor.
func (g *ParamGroup) prepare(op string) {
	g.prepareParams(op)
	states := len(g.owner.rule.states)
	if n := len(g.slots) * states; len(g.native.State) != n {
		g.native.State = make([]abi.Tensor, n)
	}
	for i, s := range g.slots {
		for j, t := range s.tensors {
			g.native.State[i*states+j] = 0
			if t != nil {
				g.native.State[i*states+j] = handle(op, "state of parameter", i, t)
				g.argTensors = append(g.argTensors, t)
			}
		}
	}
}

// prepareParams fills in the parameters as arguments of a native call, without their state. It
// panics with ErrClosed for a closed parameter, and checks new parameters as AddParamGroup does.
func (g *ParamGroup) prepareParams(op string) {
	if len(g.slots) != len(g.Params) {
		g.owner.distinct = false
		g.slots = make([]*slot, len(g.Params))
		g.native.Params = make([]abi.Tensor, len(g.Params))
	}
	g.argTensors = append(g.argTensors[:0], g.Params...)
	for i, p := range g.Params {
		g.native.Params[i] = handle(op, "parameter", i, p)
		if g.slots[i] == nil || g.slots[i].param != p {
			g.owner.distinct = false
			g.slots[i] = g.owner.slot(op, i, p)
		}
	}
}

// adopt stores the state tensors that the native step made.
func (g *ParamGroup) adopt(r torch.Raw) {
	states := len(g.owner.rule.states)
	for i, s := range g.slots {
		for j, t := range s.tensors {
			if h := g.native.State[i*states+j]; t == nil && h != 0 {
				s.tensors[j] = torch.Disown(r.Wrap(h))
			}
		}
	}
}

// handle returns the handle of a tensor. Errors name the tensor with the string what and
// the number i, as in "parameter 2".
func handle(op, what string, i int, t *torch.Tensor) abi.Tensor {
	if t.IsClosed() {
		return t.HandleFor(fmt.Sprintf("%s(%s %d)", op, what, i), 0)
	}
	return t.Handle()
}

// String prints the group as Python prints its dict: the parameters, then the
// settings.
func (g *ParamGroup) String() string {
	if g == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString("{'params': [")
	for i, p := range g.Params {
		fmt.Fprintf(&b, "%s%v", comma(i), p)
	}
	b.WriteString("]")
	for i := range g.settings {
		e := &g.settings[i]
		v := e.String()
		if _, ok := e.v.(string); ok && e.kind == other {
			v = "'" + v + "'"
		}
		fmt.Fprintf(&b, ", '%s': %s", e.name, v)
	}
	return b.String() + "}"
}
