package functorch

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// MakeFunctional returns a module as a function of its parameters: a Func whose arguments
// are the parameters, in the order of NamedParameters, followed by the input of Forward.
// params are the module's parameters, which still belong to the module. Use it to
// differentiate with respect to parameters, or to map over several sets of parameters;
// see [StackModuleState].
//
//	fn, params := functorch.MakeFunctional(model)
//	y := fn.One(append(params, x)...) // model.Forward(x)
//
// No other goroutine may use the module while the function runs, because it temporarily
// replaces the parameters; see nn.FunctionalCall. The module's buffers are used as they
// are. MakeFunctional panics with ErrNil for a nil module. The function panics with
// ErrValue for a wrong number of tensors, and as nn.FunctionalCall and Forward do.
// Follows functorch's make_functional, which is torch.func.functional_call with the
// module as the first argument.
func MakeFunctional(m nn.Layer) (fn Func, params []*torch.Tensor) {
	const op = "functorch.MakeFunctional"
	if m == nil || reflect.ValueOf(m).IsZero() {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	named := m.NamedParameters()
	for _, n := range named {
		params = append(params, n.Tensor)
	}
	return func(x ...*torch.Tensor) []*torch.Tensor {
		if len(x) != len(named)+1 {
			panic(torch.NewError(op, torch.ErrValue, "x",
				fmt.Sprintf("expected %d parameters and one input, got %d tensors", len(named), len(x))))
		}
		with := make(nn.StateDict, len(named))
		for i, n := range named {
			with[i] = nn.NamedTensor{Name: n.Name, Tensor: x[i]}
		}
		var y *torch.Tensor
		nn.FunctionalCall(m, with, func() { y = m.Forward(x[len(named)]) })
		return []*torch.Tensor{y}
	}, slices.Clip(params)
}

// StackModuleState stacks the parameters and the buffers of several modules along a new
// first dimension, by name. [VMap] of nn.FunctionalCall, or of the function of
// [MakeFunctional], then runs all modules at once. The results are new tensors, owned by
// the innermost scope or else by the garbage collector. They require gradients if the
// originals do. StackModuleState panics with ErrValue for no modules, for modules of
// different types or with different names, and if only some are in training mode or
// require gradients for a tensor; with ErrNil for a nil module; and with ErrShape for
// tensors of different shapes. Follows torch.func.stack_module_state.
func StackModuleState(modules ...nn.Module) (params, buffers nn.StateDict) {
	const op = "functorch.StackModuleState"
	fail := func(kind error, format string, args ...any) {
		panic(torch.NewError(op, kind, "modules", fmt.Sprintf(format, args...)))
	}
	if len(modules) == 0 {
		fail(torch.ErrValue, "expected at least one module")
	}
	for i, m := range modules {
		switch first := modules[0]; {
		case m == nil || reflect.ValueOf(m).IsZero():
			fail(torch.ErrNil, "element %d is nil", i)
		case reflect.TypeOf(m) != reflect.TypeOf(first):
			fail(torch.ErrValue, "element 0 is a %T, but element %d is a %T", first, i, m)
		case m.ModuleBase().Training() != first.ModuleBase().Training():
			fail(torch.ErrValue, "element 0 and element %d are not both in training or both in evaluation mode", i)
		}
	}
	stack := func(of func(m nn.Module) []nn.NamedTensor) nn.StateDict {
		var sd nn.StateDict
		first := of(modules[0])
		for _, m := range modules[1:] {
			if !slices.EqualFunc(first, of(m), func(a, b nn.NamedTensor) bool { return a.Name == b.Name }) {
				fail(torch.ErrValue, "the modules' parameters and buffers have different names")
			}
		}
		for k, n := range first {
			var each []*torch.Tensor
			for i, m := range modules {
				t := of(m)[k].Tensor
				if t.RequiresGrad() != n.Tensor.RequiresGrad() {
					fail(torch.ErrValue, "%s requires gradients in only one of element 0 and element %d", n.Name, i)
				}
				each = append(each, t)
			}
			var all *torch.Tensor
			torch.NoGrad(func() { all = torch.Stack(each) })
			all.SetRequiresGrad(n.Tensor.RequiresGrad())
			sd = append(sd, nn.NamedTensor{Name: n.Name, Tensor: all})
		}
		return sd
	}
	params = stack(func(m nn.Module) []nn.NamedTensor { return m.NamedParameters() })
	buffers = stack(func(m nn.Module) []nn.NamedTensor { return m.ModuleBase().NamedBuffers() })
	return params, buffers
}
