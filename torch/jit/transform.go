package jit

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Freeze returns a copy of the module in which parameters, buffers and attributes are
// constants of the program, and submodules are inlined, so that libtorch can optimize the
// program. The module must be in evaluation mode. The copy keeps forward and the names in
// [PreservedAttrs], and can be saved. Freeze panics with ErrValue for a module in
// training mode, and with ErrRuntime for a missing name in PreservedAttrs. Follows
// torch.jit.freeze.
func (m *Module) Freeze(opts ...FreezeOption) *Module {
	const op = "jit.Module.Freeze"
	keep, numerics := opt.Read2(op, opts, PreservedAttrs(nil), OptimizeNumerics(true))
	names := zeroed(op, "PreservedAttrs", keep)
	m.enter(op, true)
	defer m.leave(true)
	m.evaluating(op)
	r := torch.BeginRaw(op)
	h, st := native.Freeze(r.Ctx&^modes, m.h, names, bool(numerics))
	r.Status(st)
	return newModule(op, h)
}

// evaluating panics if the module is in training mode.
func (m *Module) evaluating(op string) {
	if m.Training() {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "the module is in training mode; call Eval first"))
	}
}

// OptimizeForInference returns a frozen copy of the module. Its convolutions and similar
// layers are in the fastest form for this machine, with oneDNN on a CPU; the program
// contains copies of their weights. The copy is only for inference. Do not save it; save
// the frozen module instead. OptimizeForInference panics as [Module.Freeze] does. Follows
// torch.jit.optimize_for_inference.
func (m *Module) OptimizeForInference(opts ...OptimizeOption) *Module {
	const op = "jit.Module.OptimizeForInference"
	others := opt.Read(op, opts, OtherMethods(nil))
	names := zeroed(op, "OtherMethods", others)
	m.enter(op, true)
	defer m.leave(true)
	m.evaluating(op)
	r := torch.BeginRaw(op)
	h, st := native.Optimize(r.Ctx&^modes, m.h, names)
	r.Status(st)
	return newModule(op, h)
}

// DeepCopy returns a copy of the module with its own parameters, buffers and attributes,
// in the same modes. Parameters and buffers are leaf tensors that require gradients as
// the originals do. Hooks and gradients are not copied; [nn.DeepCopy] copies them. The
// method panics with ErrClosed after Close. Follows copy.deepcopy.
func (m *Module) DeepCopy() *Module {
	return m.copied("jit.Module.DeepCopy")
}

func (m *Module) copied(op string) *Module {
	m.enter(op, true)
	defer m.leave(true)
	r := torch.BeginRaw(op)
	// without gradients, so that the copied tensors are leaf tensors
	h, st := native.Copy(r.Ctx&^abi.CtxInference|abi.CtxNoGrad, m.h)
	r.Status(st)
	twin := newModule(op, h)
	twin.thaw(m, map[*Module]bool{})
	return twin
}

// thaw makes the tensors of m, a copy of the module from, require gradients if the
// originals do.
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

// modes are the goroutine's modes that are turned off while modules are made. A module's
// tensors must be made outside of inference mode and no-grad mode.
const modes = abi.CtxInference | abi.CtxNoGrad
