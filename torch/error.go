package torch

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/errkind"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/oom"
)

// These are the kinds of error, for errors.Is. Each *Error has one of them. In JSON a kind is its
// name, such as "ErrShape".
var (
	// ErrRuntime is an error that fits no other kind.
	ErrRuntime = errkind.New("ErrRuntime", "torch: runtime error")
	// ErrShape is about sizes, dimensions and views.
	ErrShape = errkind.New("ErrShape", "torch: shapes do not fit")
	// ErrDType is about element types, including unsupported ones.
	ErrDType = errkind.New("ErrDType", "torch: data types do not fit")
	// ErrDevice is about tensors on different or absent devices.
	ErrDevice = errkind.New("ErrDevice", "torch: devices do not fit")
	// ErrIndex is Python's IndexError.
	ErrIndex = errkind.New("ErrIndex", "torch: index out of range")
	// ErrValue is Python's ValueError.
	ErrValue = errkind.New("ErrValue", "torch: invalid value")
	// ErrType is Python's TypeError.
	ErrType = errkind.New("ErrType", "torch: invalid type")
	// ErrNil is about a missing *Tensor, function or option.
	ErrNil = errkind.New("ErrNil", "torch: argument is nil")
	// ErrClosed is about a tensor used after Close or after the end of its scope.
	ErrClosed = errkind.New("ErrClosed", "torch: tensor used after Close")
	// ErrOutOfMemory is about the memory of the host or a device.
	ErrOutOfMemory = errkind.New("ErrOutOfMemory", "torch: out of memory")
	// ErrNotImplemented is about an operator that libtorch lacks for this device, layout or version.
	ErrNotImplemented = errkind.New("ErrNotImplemented", "torch: not implemented by libtorch")
	// ErrLinAlg is about singular matrices and the like.
	ErrLinAlg = errkind.New("ErrLinAlg", "torch: linear algebra failed")
	// ErrAutograd is about a missing or freed graph, or a tensor modified in place.
	ErrAutograd = errkind.New("ErrAutograd", "torch: gradient cannot be computed")
)

// errorKinds lists all kinds.
var errorKinds = []error{
	ErrRuntime, ErrShape, ErrDType, ErrDevice, ErrIndex, ErrValue, ErrType, ErrNil, ErrClosed, ErrOutOfMemory,
	ErrNotImplemented, ErrLinAlg, ErrAutograd,
}

// An Error reports a mistake in a tensor program. Python raises RuntimeError, IndexError
// and so on for such mistakes. Operators panic with an *Error, and [Try] returns it as an
// error value.
type Error struct {
	Op      string   // the operator as the program called it, such as "MatMul"
	Kind    error    // one of the Err variables; errors.Is finds it
	Message string   // first line of libtorch's message, or the argument and what was wrong with it
	Args    []string // the tensor arguments: "self: float32 (2, 3) cpu"
	Layer   string   // path to the failing layer in a module, such as "mlp.0 (Linear)", or ""
	Remedy  string   // what to write instead, for the common mistakes with gradients, or ""

	// Memory describes the device's memory for kind ErrOutOfMemory. It is nil
	// for other kinds, and if the requested size overflows.
	Memory *OutOfMemory

	cause   *cgotorch.Error
	failure *mem.Failure // the CPU allocator's failure, if it caused the error
	value   any          // what a Go callback panicked with
}

// Error returns "torch: OP: message [arguments] in layer PATH; remedy: ...",
// without the parts that are empty.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("torch: ")
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if len(e.Args) > 0 {
		b.WriteString(" [")
		b.WriteString(strings.Join(e.Args, "; "))
		b.WriteString("]")
	}
	if e.Layer != "" {
		b.WriteString(" in layer ")
		b.WriteString(e.Layer)
	}
	if e.Remedy != "" {
		b.WriteString("; remedy: ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns the error that a Go callback panicked with, if any.
func (e *Error) Unwrap() error {
	err, _ := e.value.(error)
	return err
}

// Trace returns libtorch's whole message with the C++ stack, if it was
// recorded. The call is slow and meant for bug reports.
func (e *Error) Trace() string {
	if e.cause == nil {
		return e.Message
	}
	return e.cause.Trace()
}

// PanicValue returns the value that a hook or custom function panicked with, or
// nil if the error has another cause.
func (e *Error) PanicValue() any { return e.value }

// Try runs fn and returns the *Error that it panicked with, or nil. Other
// panics pass through. For a nil fn it returns an error of kind ErrNil.
func Try(fn func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			err = p
		default:
			panic(p)
		}
	}()
	if fn == nil {
		panic(NilFunc("Try", "fn"))
	}
	fn()
	return nil
}

// argError returns an error about an argument that was checked in Go.
func argError(op string, kind error, arg, message string) *Error {
	name, _ := splitOp(op)
	return &Error{Op: name, Kind: kind, Message: "argument " + arg + ": " + message}
}

// splitOp splits "MatMul(self, other)" into the operator and its argument
// names.
func splitOp(op string) (name string, args []string) {
	name, list, ok := strings.Cut(op, "(")
	if !ok {
		return name, nil
	}
	list = strings.TrimSuffix(list, ")")
	if list == "" {
		return name, nil
	}
	return name, strings.Split(list, ", ")
}

// statusError converts a non-zero status to an *Error and frees the status.
func statusError(op string, st abi.Status, args []*Tensor) *Error {
	var failure mem.Failure
	ours := mem.CPUFailure(uintptr(st), &failure)
	cause := cgotorch.TakeError(st)
	name, names := splitOp(op)
	e := &Error{Op: name, Message: firstLine(cause.Message), cause: cause}
	for i, t := range args {
		label := fmt.Sprintf("argument %d", i)
		if i < len(names) {
			label = names[i]
		}
		e.Args = append(e.Args, label+": "+t.describe())
	}
	if ours {
		e.failure = &failure
	}
	e.Kind = kindOf(cause)
	e.Remedy = remedyOf(e.Kind, e.Message)
	if cause.Kind == cgotorch.KindGoPanic {
		e.value = callback.TakePanic(cause.Tag)
		if inner, ok := e.value.(*Error); ok {
			e.Kind = inner.Kind
		}
		e.Message = fmt.Sprintf("panic in a Go callback: %v", e.value)
	}
	return e
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	if strings.HasSuffix(line, "got an unexpected error:") {
		line, _, _ = strings.Cut(rest, "\n") // the message itself is in the next line
	}
	return strings.TrimSpace(line)
}

// phrases maps phrases of libtorch's messages to kinds. libtorch raises the
// same exception class for shape, dtype and device mistakes.
var phrases = []struct {
	kind  error
	words []string
}{
	// Check these phrases first, because their messages may contain phrases of other kinds.
	{ErrRuntime, []string{"be captured", "step is being captured", "capture the step", "its capture", "a replay"}},
	{ErrShape, []string{"heads in key and value must divide", "for each sample point"}},
	{
		ErrDevice,
		[]string{
			"assigned grad is on", "same device", "different device", "invalid device", "device type",
			"cuda driver", "no cuda", "cuda is not", "cannot initialize", "cannot access accelerator",
			"without linking", "not linked with",
		},
	},
	{ErrLinAlg, []string{"is zero and using it", "unknown error code"}},
	{
		ErrIndex,
		[]string{
			"is out of bounds", "tensor has no dimensions", "out of data bounds", "out of range",
			"invalid max index", "not in the valid range",
		},
	},
	{
		ErrAutograd,
		[]string{
			"backward through the graph", "does not require grad", "doesn't require grad",
			"modified by an inplace", "leaf variable", "variables that require grad", "grad can be implicitly",
			"inference tensor", "differentiated tensors", "automatic differentiation", "derivative for", "detach views",
			"retain_grad", "not differentiable",
		},
	},
	{ErrDType, []string{
		"dtype", "scalar type", "data type", "same type", "result type", "must be float", "long, int",
		"implemented for", "floating point", "floating-point",
		"complex", "bool tensor", "booltensor", "boolean tensor", "boolean inputs", "bool input", "received a bool",
		"input type", "type promoting", "handle types other", "long tensor", "output type", "half, float or double",
		"integral", "integers", "be type int64",
	}},
	{
		ErrValue,
		[]string{
			"operands were provided", "output subscript", "any ellipsis", "elements of input should be between",
			"infs or nans", "class values must be", "without overflow", "real-valued", "wrapping around more than once",
			"number of data points",
		},
	},
	{ErrShape, []string{
		"shape", "size", "dimension", "dim ", "view ", "broadcast", "numel", "elements", "cannot be multiplied",
		"square matrices",
		"1-d", "2-d", "3-d", "required rank", " dims", "0d", "1d", "2d", "3d", "4d", "5d", "a matrix", "on matrices",
		"of columns", "vector", "padding length", "2 dim", "must be non-empty", "too small", "too large relative",
		"is ambiguous",
	}},
	{ErrValue, []string{
		"negative", "non-positive", "be positive", "> 0", ">= 0", "expected 0 <", "greater than", "larger than",
		"strictly positive", "at least",
		"one of", "be either", "in the range", "to be in", "less than", "element <", "cannot be 0", "expects to return",
		"unrecognized", "invalid subscript", "required", "norm: order", "norm type", "<= 0", "to be different",
		"divisible by groups",
	}},
}

func kindOf(e *cgotorch.Error) error {
	switch e.Kind {
	case cgotorch.KindOutOfMemory:
		return ErrOutOfMemory
	case cgotorch.KindIndex:
		return ErrIndex
	case cgotorch.KindValue:
		return ErrValue
	case cgotorch.KindType:
		// Newer versions raise TypeError instead of 2.11's RuntimeError.
		for _, w := range []string{
			"complex", "but got Complex", "but found: Complex", "not implemented for",
			"data type", "there is a gradient of",
		} {
			if strings.Contains(e.Message, w) {
				return ErrDType
			}
		}
		return ErrType
	case cgotorch.KindLinAlg:
		return ErrLinAlg
	case cgotorch.KindMissing:
		return ErrNotImplemented
	}
	text := strings.ToLower(firstLine(e.Message))
	// Drop the start of the text, which repeats the call or describes its
	// arguments.
	if _, why, ok := strings.Cut(text, ") : "); ok {
		text = why
	} else if call, why, ok := strings.Cut(text, "): "); ok &&
		!strings.Contains(text[:strings.Index(call+"(", "(")], " ") {
		text = why
	}
	if strings.Contains(text, "can't allocate memory") || strings.Contains(text, oom.SizeOverflows) {
		return ErrOutOfMemory
	}
	// Messages of the dispatcher, autograd and torch/export contain the operator's name, which may match any
	// phrase below.
	if e.Kind == cgotorch.KindNotImplemented && (strings.HasPrefix(text, "could not run '") ||
		strings.Contains(text, "which a program cannot do") || strings.Contains(text, "changes a parameter of") ||
		strings.HasPrefix(text, "trying to use forward ad with") || strings.Contains(text, "no fake impl")) ||
		strings.HasPrefix(text, "the derivative for") && strings.Contains(text, "is not implemented") {
		return ErrNotImplemented
	}
	for _, p := range phrases {
		for _, w := range p.words {
			if strings.Contains(text, w) {
				return p.kind
			}
		}
	}
	if e.Kind == cgotorch.KindNotImplemented {
		return ErrNotImplemented
	}
	return ErrRuntime
}
