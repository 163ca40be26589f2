// Package script defines how package nn accesses the modules of torch/jit and torch/export,
// whose tensors and children belong to a program that Python made.
package script

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Module is a module of torch/jit or torch/export, or a module that embeds one. Script returns nil if the
// module was not created by Load.
type Module interface{ Script() Program }

// Origin says where a program comes from.
type Origin struct {
	Noun     string // "a script" or "an exported program"
	Function string // of Python, that made it
}

// Program is the part of a program of Python's that belongs to one module.
type Program interface {
	// Slot returns a pointer to the module's tensor with the given name, or nil if the
	// program has no such tensor. The caller may store a different tensor there, which
	// the program then uses in its next call.
	Slot(name string) **torch.Tensor
	// Made reports whether the module has all children that its program has.
	Made() bool
	// Whole returns false if the module is a part of another module whose program calls
	// it.
	Whole() bool
	// Origin returns where the program comes from.
	Origin() Origin
	// Class returns the name of the module's class in Python, such as "Conv2d".
	Class() string
	// Train switches the program to training mode or to evaluation mode.
	Train(op string, on bool)
	// Copy returns a copy of the module and its submodules, without hooks and gradients.
	Copy(op string) any
}

// Class returns the name of such a module's class in Python, or "" for a Go
// module.
func Class(module any) string {
	if p := Of(module); p != nil {
		return p.Class()
	}
	return ""
}

// RefuseBatchNorm panics with ErrValue if the module is a batch normalization of a program.
// The function op would have to change how the module normalizes, but the program determines
// that.
func RefuseBatchNorm(op, arg string, module any) {
	if c := Class(module); strings.Contains(c, "BatchNorm") {
		o := Of(module).Origin()
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("holds the %s of %s, whose program "+
			"determines how it normalizes: do this in Python before %s", c, o.Noun, o.Function)))
	}
}

// Of returns the program of a module, or nil for a Go module.
func Of(module any) Program {
	if m, ok := module.(Module); ok {
		return m.Script()
	}
	return nil
}
