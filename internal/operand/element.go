package operand

import (
	"errors"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Element returns nil if a tensor is open. If it is nil or closed, it returns the error
// of a function with several tensors, which names the tensor by its key in a map,
// tensors["bias"], or by its name in a module.
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
