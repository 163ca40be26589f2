package torch

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// This file has the options of functions that make tensors. The interface type of a
// function's options lists the options that the function accepts; the others do not
// compile.

// RequiresGrad makes autograd record operations on the tensor. The default is
// false. It is requires_grad in Python.
type RequiresGrad bool

// PinMemory allocates the tensor in page-locked host memory. The default is
// false. It is pin_memory in Python.
type PinMemory bool

// NonBlocking lets a call return before a copy between host and device has
// finished. The default is false. It is non_blocking in Python.
type NonBlocking bool

// Copy forces a copy even if nothing changes. The default is false. The name
// in Python is copy.
type Copy bool

// A CreateOption is an option of functions that make tensors: a [DType],
// [Device] or [Layout], [RequiresGrad] or [PinMemory].
//
//gotorch:options DType Device Layout RequiresGrad PinMemory
type CreateOption interface{ createOption() }

// An EmptyOption is an option of [Empty]: a [CreateOption] or a [MemoryFormat].
//
//gotorch:options DType Device Layout MemoryFormat RequiresGrad PinMemory
type EmptyOption interface{ emptyOption() }

// A LikeOption is an option of functions such as [ZerosLike], and overrides a
// property of the argument: [DType], [Device], [Layout], [MemoryFormat],
// [RequiresGrad] or [PinMemory].
//
//gotorch:options DType Device Layout MemoryFormat RequiresGrad PinMemory
type LikeOption interface{ likeOption() }

// A RandOption is an option of functions that make random tensors: a
// [CreateOption], or a *[Generator] (nil for the device's default one).
//
//gotorch:options DType Device Layout RequiresGrad PinMemory *Generator
type RandOption interface{ randOption() }

// A TensorOption is an option of functions that make tensors from Go data: a
// [DType] or [Device], [RequiresGrad] or [PinMemory].
//
//gotorch:options DType Device RequiresGrad PinMemory
type TensorOption interface{ tensorOption() }

// An IndicesOption is an option of functions that make tensors of indices: a
// [DType], [Device] or [Layout], or [PinMemory].
//
//gotorch:options DType Device Layout PinMemory
type IndicesOption interface{ indicesOption() }

// A ToOption is an option of [Tensor.To]: a [DType], [Device], [Layout],
// [MemoryFormat], [NonBlocking] or [Copy].
//
//gotorch:options DType Device Layout MemoryFormat NonBlocking Copy
type ToOption interface{ toOption() }

// A CopyOption is an option of [Tensor.Copy_]: [NonBlocking].
//
//gotorch:options NonBlocking
type CopyOption interface{ copyOption() }

// A FormatOption is a [MemoryFormat].
//
//gotorch:options MemoryFormat
type FormatOption interface{ formatOption() }

// creation holds the parsed options of a function that makes a tensor.
type creation struct {
	op                     string
	dtype, layout, format  int8  // -1 if not given; native code rejects invalid numbers
	device                 int32 // -1: not given
	pin                    *bool
	requiresGrad           bool
	nonBlocking, copyFresh bool
	generator              *Generator
}

// readCreation reads the options of op. O is the interface type of the options, so that
// the compiler rejects options that op does not accept. A zero DType, Device, Layout or
// MemoryFormat restores the default.
func readCreation[O any](op string, opts []O) creation {
	c := creation{op: op, dtype: -1, layout: -1, format: -1, device: -1}
	for _, o := range opts {
		if o := any(o); !c.take(op, o) {
			panic(badOption(op, o))
		}
	}
	return c
}

// newCreation is readCreation for functions without a tensor argument. If no
// Device is given, it chooses the default device.
func newCreation[O any](op string, opts []O) creation {
	c := readCreation(op, opts)
	c.onDefault()
	return c
}

// floatCreation is newCreation for functions that use the default dtype.
func floatCreation[O any](op string, opts []O) creation {
	c := newCreation(op, opts)
	c.defaultFloat()
	return c
}

// onDefault sets a missing device to the default one.
func (c *creation) onDefault() {
	if c.device == -1 {
		if d := DefaultDevice(); d != CPU {
			c.device = d.code()
		}
	}
}

// defaultFloat sets a missing dtype to the goroutine's default. libtorch itself
// applies the process's default.
func (c *creation) defaultFloat() {
	if c.dtype == -1 {
		c.dtype = scopedDType().code()
	}
}

// aFloat makes defaultFor choose a floating-point dtype even if all other
// arguments are integers.
var aFloat = abi.Scalar{Kind: abi.ScalarFloat}

// defaultFor is defaultFloat for functions whose arguments choose the dtype:
// floating-point if one is a float, and complex if one is complex.
func (c *creation) defaultFor(vs ...abi.Scalar) {
	var kind abi.ScalarKind
	for _, v := range vs {
		if v.Kind == abi.ScalarComplex || v.Kind == abi.ScalarFloat && kind != abi.ScalarComplex {
			kind = v.Kind
		}
	}
	switch d := scopedDType(); {
	case c.dtype != -1 || d == 0 || kind == 0:
	case kind == abi.ScalarFloat:
		c.dtype = d.code()
	case d == Float64:
		c.dtype = Complex128.code()
	case d == Float16:
		c.dtype = Complex32.code()
	default:
		c.dtype = Complex64.code()
	}
}

// take stores the option o of op. It returns false if o has a different type.
func (c *creation) take(op string, o any) bool {
	switch o := o.(type) {
	case DType:
		c.dtype = o.code() // -1 for the zero DType
	case Device:
		o.need(op)
		c.device = o.code()
	case Layout:
		c.layout = o.code()
	case MemoryFormat:
		c.format = o.Code()
	case RequiresGrad:
		c.requiresGrad = bool(o)
	case PinMemory:
		c.pin = nil
		if o {
			CUDA.need(op)
			c.pin = new(true)
		}
	case NonBlocking:
		c.nonBlocking = bool(o)
	case Copy:
		c.copyFresh = bool(o)
	case *Generator:
		c.generator = unseen(o)
	default:
		return false
	}
	return true
}

// unseen returns p but hides it from escape analysis. Without it, every option of the
// call would be moved to the heap.
func unseen[T any](p *T) *T {
	u := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&u))
}

// or returns the dtype that an option set, or else its argument.
func (c *creation) or(dtype DType) int8 {
	if c.dtype == -1 {
		return dtype.code()
	}
	return c.dtype
}

// orFormat returns the memory format that an option set, or else its argument.
func (c *creation) orFormat(format MemoryFormat) int8 {
	if c.format == -1 {
		return format.Code()
	}
	return c.format
}

// finish applies the options that the operator itself does not take to the operator's
// result, t. If that fails it frees t.
func (c *creation) finish(t *Tensor) *Tensor {
	if !c.requiresGrad {
		return t
	}
	if err := Try(func() { t.SetRequiresGrad(true) }); err != nil {
		e := err.(*Error) //nolint:errorlint // Try returns only *Error values
		e.Op, _ = splitOp(c.op)
		e.Args = []string{"result: " + t.describe()}
		_ = t.Close()
		panic(e)
	}
	return t
}

// gen returns the handle of the generator, or zero for the default one.
func (c *creation) gen(op string) abi.Generator {
	if c.generator == nil {
		return 0
	}
	return c.generator.handle(op)
}
