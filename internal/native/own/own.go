// Package own is what the library's own packages may do with the owners of
// tensors and programs need not. Package torch provides them.
package own

// Kind says what opened a scope, for the error of whoever uses one of its
// tensors too late.
type Kind uint8

// The kinds of scope.
const (
	Scope Kind = iota // torch.Scope
	Tidy              // torch.Tidy and TidyAll
	Step              // a step of a loader's loop
	Call              // the call of a module
	Load              // a stage of a loader's work on a batch
)

// Owners is what package torch provides.
type Owners interface {
	Mark(kind Kind)
	BeginCall(module any)
	InCall(module any) bool
	Release(tensor any)
	Owns(tensor any) bool
	Adopt(tensor any)
	Join(tensor, other any)
	Sweep()
	Drew() bool
	Idle(fn func())
	Inherit(generator bool) func(fn func())
	Parameter(tensor any)
	IsParameter(tensor any) bool
	IgnoreScopes(ignore bool)
}

var owners Owners

// Provide is for package torch, once.
func Provide(o Owners) { owners = o }

// Mark says what the innermost scope of the goroutine is. Outside of scopes it
// does nothing.
func Mark(kind Kind) { owners.Mark(kind) }

// BeginCall says that the innermost scope of the goroutine is that of a call of a
// module, which is compared only.
func BeginCall(module any) { owners.BeginCall(module) }

// InCall reports whether a scope of the goroutine is that of a call of the module.
func InCall(module any) bool { return owners.InCall(module) }

// Release closes a *torch.Tensor that the innermost scope of the goroutine owns,
// and does nothing otherwise: a container of layers is done with what one layer
// handed to the next, but must not close a tensor that lives elsewhere.
func Release(tensor any) { owners.Release(tensor) }

// Owns reports whether a scope of the goroutine owns a *torch.Tensor.
func Owns(tensor any) bool { return owners.Owns(tensor) }

// Adopt moves a *torch.Tensor that the collector owns to the innermost scope of the
// goroutine; outside of scopes, and for a tensor of a scope, it does nothing. Nobody else
// may close the tensor meanwhile.
func Adopt(tensor any) { owners.Adopt(tensor) }

// Join moves a *torch.Tensor that the goroutine has just made to the scope that owns other, so
// that the two end together; to the collector if none does, or one of another goroutine.
func Join(tensor, other any) { owners.Join(tensor, other) }

// Sweep frees what the innermost scope of the goroutine owns so far, if that is of kind
// [Load]: what a stream of examples made on its way to a batch.
func Sweep() { owners.Sweep() }

// Drew reports whether the generator of the goroutine's innermost torch.WithGenerator may
// have been drawn from since that began or since the last call of Drew.
func Drew() bool { return owners.Drew() }

// Idle runs fn, which calls no operators and waits for other goroutines, without the slot
// that torch.WithGenerator holds for this one: those that it waits for may need a slot.
func Idle(fn func()) { owners.Idle(fn) }

// Inherit returns a function that runs another on any goroutine with the modes that the
// calling goroutine is in now: whether gradients are recorded, the default device and
// dtype, and what else belongs to a goroutine, but not its scopes. generator says whether
// the generator of torch.WithGenerator is among them, which needs a slot of its own.
func Inherit(generator bool) func(fn func()) { return owners.Inherit(generator) }

// ReleaseAll releases tensors that nobody needs any more; what a graph needs, the graph
// keeps.
func ReleaseAll[T any](tensors ...T) {
	for _, t := range tensors {
		Release(t)
	}
}

// Instead returns next and releases tensor, which it was made of, unless they are one.
func Instead[T comparable](tensor, next T) T {
	if next != tensor {
		Release(tensor)
	}
	return next
}

// Parameter has a *torch.Tensor print as a parameter of a module.
func Parameter(tensor any) { owners.Parameter(tensor) }

// IsParameter reports whether a *torch.Tensor is a parameter of a module.
func IsParameter(tensor any) bool { return owners.IsParameter(tensor) }

// IgnoreScopes has torch.Scope run its function and nothing more from now on, in the whole
// process: what such a scope would own is the collector's. It is for measuring what programs
// need that have no scopes. Tidy is not concerned, nor are calls of modules.
func IgnoreScopes(ignore bool) { owners.IgnoreScopes(ignore) }
