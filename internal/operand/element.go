package operand

import (
	"errors"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Element checks one of several tensors that a function takes. It returns nil if the
// tensor is open. If the tensor is nil or closed, the error names it by arg: its key in a
// map, such as tensors["bias"], or its name in a module.
func Element(op, arg string, t *torch.Tensor) error {
	var e *torch.Error
	if !errors.As(torch.Try(func() { t.HandleFor("Element(t)", 0) }), &e) {
		return nil
	}
	return &torch.Error{Op: op, Kind: e.Kind, Message: "argument " + arg + strings.TrimPrefix(e.Message, "argument t")}
}

// NeedElement panics with the error of Element.
func NeedElement(op, arg string, t *torch.Tensor) {
	if err := Element(op, arg, t); err != nil {
		panic(err)
	}
}
