package jit

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/torch"
)

// Freeze returns a copy of the module in which parameters, buffers and attributes are
// constants of the program, and modules have become part of it, which lets libtorch make it
// faster. The module has to be in evaluation mode. What [PreservedAttrs] names stays, as
// methods do then; others than forward are gone. The copy can be saved. It panics with
// ErrValue for a module in training mode, and with ErrRuntime for a name that there is not.
// Follows torch.jit.freeze.
func (m *Module) Freeze(opts ...FreezeOption) *Module {
	const op = "jit.Module.Freeze"
	var keep PreservedAttrs
	numerics := true
	for _, o := range opts {
		switch o := o.(type) {
		case PreservedAttrs:
			keep = o
		case OptimizeNumerics:
			numerics = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	names := zeroed(op, "PreservedAttrs", keep)
	m.enter(op, true)
	defer m.leave(true)
	m.evaluating(op)
	r := torch.BeginRaw(op)
	h, st := native.Freeze(r.Ctx&^modes, m.h, names, numerics)
	r.Status(st)
	return newModule(op, h)
}

// evaluating panics for a module in training mode.
func (m *Module) evaluating(op string) {
	if m.Training() {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "the module is in training mode: call Eval first"))
	}
}

// OptimizeForInference returns a copy of the module that is frozen, if it was not yet, and
// whose convolutions and the like have the form that this machine runs best, with oneDNN on
// a CPU: their weights are copies that the program keeps. It is for inference alone, and
// does not save well: save the frozen module. It panics as [Module.Freeze] does. Follows
// torch.jit.optimize_for_inference.
func (m *Module) OptimizeForInference(opts ...OptimizeOption) *Module {
	const op = "jit.Module.OptimizeForInference"
	var others OtherMethods
	for _, o := range opts {
		switch o := o.(type) {
		case OtherMethods:
			others = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	names := zeroed(op, "OtherMethods", others)
	m.enter(op, true)
	defer m.leave(true)
	m.evaluating(op)
	r := torch.BeginRaw(op)
	h, st := native.Optimize(r.Ctx&^modes, m.h, names)
	r.Status(st)
	return newModule(op, h)
}

// DeepCopy returns a module with parameters, buffers and attributes of its own, in the
// modes of this one. Parameters and buffers are leaves and require gradients if they did.
// Hooks and gradients are not copied; [nn.DeepCopy] copies them. It panics with ErrClosed
// after Close. Follows copy.deepcopy.
func (m *Module) DeepCopy() *Module {
	return m.copied("jit.Module.DeepCopy")
}

func (m *Module) copied(op string) *Module {
	m.enter(op, true)
	defer m.leave(true)
	r := torch.BeginRaw(op)
	h, st := native.Copy(r.Ctx&^abi.CtxInference|abi.CtxNoGrad, m.h) // leaves
	r.Status(st)
	twin := newModule(op, h)
	twin.thaw(m, map[*Module]bool{})
	return twin
}

// thaw has the tensors of a copy require gradients as those of the original do.
func (m *Module) thaw(from *Module, seen map[*Module]bool) {
	if seen[m] {
		return
	}
	seen[m] = true
	for i, t := range from.tensors {
		m.tensors[i].SetRequiresGrad(t.RequiresGrad())
	}
	theirs := from.Children()
	for i, c := range m.Children() {
		c.Module.(*Module).thaw(theirs[i].Module.(*Module), seen)
	}
}

// modes are those of a goroutine that are left behind where modules are made: their tensors
// are as those that were made outside of inference mode and autocast.
const modes = abi.CtxInference | abi.CtxNoGrad
