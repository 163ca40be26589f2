// Package own is what the library's own packages may do with the owners of
// tensors and programs need not. Package torch fills the functions in.
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

// Mark says what the innermost scope of the goroutine is. Outside of scopes it
// does nothing.
var Mark func(kind Kind)

// BeginCall says that the innermost scope of the goroutine is that of a call of a
// module, which is compared only.
var BeginCall func(module any)

// InCall reports whether a scope of the goroutine is that of a call of the module.
var InCall func(module any) bool

// Release closes a *torch.Tensor that the innermost scope of the goroutine owns,
// and does nothing otherwise: a container of layers is done with what one layer
// handed to the next, but must not close a tensor that lives elsewhere.
var Release func(tensor any)

// Parameter has a *torch.Tensor print as a parameter of a module.
var Parameter func(tensor any)

// IsParameter reports whether a *torch.Tensor is a parameter of a module.
var IsParameter func(tensor any) bool
