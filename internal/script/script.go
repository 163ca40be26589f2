// Package script defines how package nn accesses the modules of torch/jit, whose tensors
// and children belong to a TorchScript program.
package script

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Module is a module of torch/jit, or a module that embeds one. Script returns nil if the
// module was not created by Load.
type Module interface{ Script() Program }

// Program is the part of a TorchScript program that belongs to one module.
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
	// Class returns the name of the module's class in Python, such as "Conv2d".
	Class() string
	// Train switches the program to training mode or to evaluation mode.
	Train(op string, on bool)
	// Copy returns a copy of the module and its submodules, without hooks and gradients.
	Copy(op string) any
}

// Class returns the name of a TorchScript module's class in Python, or "" for a Go
// module.
func Class(module any) string {
	if p := Of(module); p != nil {
		return p.Class()
	}
	return ""
}

// RefuseBatchNorm panics with ErrValue if the module is a batch normalization of
// TorchScript. The function op would have to change how the module normalizes, but the
// TorchScript program determines that.
func RefuseBatchNorm(op, arg string, module any) {
	if c := Class(module); strings.Contains(c, "BatchNorm") {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("holds the %s of a script, whose program "+
			"determines how it normalizes: do this in Python before torch.jit.script", c)))
	}
}

// Of returns the program of a TorchScript module, or nil for a Go module.
func Of(module any) Program {
	if m, ok := module.(Module); ok {
		return m.Script()
	}
	return nil
}
