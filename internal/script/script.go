// Package script is what package nn asks of the modules of torch/jit, whose tensors and
// children are those of a program that is not Go's.
package script

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Module is a module of torch/jit, or one that embeds it. Script returns nil for one that
// Load did not make.
type Module interface{ Script() Program }

// Program is the program of a module.
type Program interface {
	// Slot is where the module keeps the tensor of a name, or nil if the program has none of
	// that name. The next call hands the program what is there.
	Slot(name string) **torch.Tensor
	// Made reports whether the module has all children that its program has.
	Made() bool
	// Whole reports whether the module is not a part of another one, whose program calls it.
	Whole() bool
	// Class is the name that the module's class had in Python, such as "Conv2d".
	Class() string
	// Train switches the program to training mode or to evaluation mode.
	Train(op string, on bool)
	// Copy returns a copy of the module and all below it, without hooks and gradients.
	Copy(op string) any
}

// Class returns the name that the class of a script had in Python, or "" for a module of Go.
func Class(module any) string {
	if p := Of(module); p != nil {
		return p.Class()
	}
	return ""
}

// RefuseBatchNorm panics with ErrValue if the module is a batch normalization of a script: op
// would change how it normalizes, which its program says.
func RefuseBatchNorm(op, arg string, module any) {
	if c := Class(module); strings.Contains(c, "BatchNorm") {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("holds the %s of a script, whose program alone says how it normalizes: do this in Python before torch.jit.script", c)))
	}
}

// Of returns the program of a module, or nil for one of Go.
func Of(module any) Program {
	if m, ok := module.(Module); ok {
		return m.Script()
	}
	return nil
}
