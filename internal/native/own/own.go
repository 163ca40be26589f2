// Package own lets the library's own packages change the owners of tensors in ways that
// programs do not need. Package torch implements it.
package own

// Kind is the kind of code that opened a scope. An error about a tensor that is used
// after the end of its scope mentions the kind.
type Kind uint8

// The kinds of scope.
const (
	Scope Kind = iota // torch.Scope
	Tidy              // torch.Tidy and TidyAll
	Step              // a step of a loader's loop
	Call              // the call of a module
	Load              // a stage of a loader's work on a batch
)

// Owners is implemented by package torch.
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

// Provide sets the implementation. Package torch calls it once.
func Provide(o Owners) { owners = o }

// Mark sets the kind of the goroutine's innermost scope. Outside scopes it does nothing.
func Mark(kind Kind) { owners.Mark(kind) }

// BeginCall marks the goroutine's innermost scope as the call of a module. The value
// module is only compared with other modules.
func BeginCall(module any) { owners.BeginCall(module) }

// InCall reports whether a scope of the goroutine is a call of the module.
func InCall(module any) bool { return owners.InCall(module) }

// Release closes a *torch.Tensor if the goroutine's innermost scope owns it, and does
// nothing otherwise. A container of layers calls it for the result of a layer after the
// next layer has used it. The container must not close a tensor that has a different
// owner.
func Release(tensor any) { owners.Release(tensor) }

// Owns reports whether a scope of the goroutine owns a *torch.Tensor.
func Owns(tensor any) bool { return owners.Owns(tensor) }

// Adopt moves a *torch.Tensor from the garbage collector to the goroutine's innermost
// scope. Outside scopes, and for a tensor that a scope owns, it does nothing. No other
// goroutine may close the tensor at the same time.
func Adopt(tensor any) { owners.Adopt(tensor) }

// Join moves a *torch.Tensor that the goroutine has just created to the scope that owns
// other, so that both are freed together. If no scope of this goroutine owns other, it
// moves the tensor to the garbage collector.
func Join(tensor, other any) { owners.Join(tensor, other) }

// Sweep frees the tensors that the goroutine's innermost scope owns, if the scope is of
// kind [Load]. These tensors are intermediate results on the way from a stream of
// examples to a batch.
func Sweep() { owners.Sweep() }

// Drew reports whether the generator of the innermost torch.WithGenerator may have been
// used since the last call of Drew or, if Drew was not called, since WithGenerator began.
func Drew() bool { return owners.Drew() }

// Idle runs fn, which calls no operators and waits for other goroutines. While fn runs,
// Idle gives back the slot in native code that torch.WithGenerator holds, because those
// goroutines may need it.
func Idle(fn func()) { owners.Idle(fn) }

// Inherit returns a function that runs fn on any goroutine with the current modes of the
// calling goroutine, such as grad mode, default device and dtype, but not its scopes. If
// generator is set, fn also uses the generator of the caller's torch.WithGenerator, and
// holds a slot in native code while it runs.
func Inherit(generator bool) func(fn func()) { return owners.Inherit(generator) }

// ReleaseAll calls Release for tensors that are no longer needed. A graph keeps the
// tensors that it needs.
func ReleaseAll[T any](tensors ...T) {
	for _, t := range tensors {
		Release(t)
	}
}

// Instead returns next, which was computed from tensor. It releases tensor, unless next
// is the same tensor.
func Instead[T comparable](tensor, next T) T {
	if next != tensor {
		Release(tensor)
	}
	return next
}

// Parameter makes a *torch.Tensor print as a parameter of a module.
func Parameter(tensor any) { owners.Parameter(tensor) }

// IsParameter reports whether a *torch.Tensor is a parameter of a module.
func IsParameter(tensor any) bool { return owners.IsParameter(tensor) }

// IgnoreScopes makes torch.Scope do nothing but run its function, in the whole process.
// The tensors of such a scope belong to the garbage collector. This is used to measure
// programs without scopes. Tidy and calls of modules are not affected.
func IgnoreScopes(ignore bool) { owners.IgnoreScopes(ignore) }
