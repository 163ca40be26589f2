package torch

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file make tensors like an existing tensor, or from nested Go
// data. All panic with ErrShape, ErrValue or ErrRuntime for a negative size, and with
// ErrOutOfMemory.

// newFunc is the signature of the new_* operators.
type newFunc func(cx abi.Ctx, self abi.Tensor, size []int64, dtype, layout int8, device int32, pin *bool) abi.Ret

func newLike(op string, f newFunc, t *Tensor, shape Shape, opts []CreateOption) *Tensor {
	h := t.handle(op, 0)
	c := readCreation(op, opts)
	r := BeginRaw(op, t)
	return c.finish(r.Tensor(f(r.Ctx, h, shape, c.dtype, c.layout, c.device, c.pin)))
}

// NewEmpty returns an uninitialized tensor of the given shape, with t's dtype
// and device unless options override them. It panics as [Empty] does.
// Follows Tensor.new_empty.
func (t *Tensor) NewEmpty(shape Shape, opts ...CreateOption) *Tensor {
	return newLike("NewEmpty(self)", aten.NewEmpty, t, shape, opts)
}

// NewZeros returns zeros of the given shape, with t's dtype and device unless
// options override them. It panics as NewEmpty does. Follows Tensor.new_zeros.
func (t *Tensor) NewZeros(shape Shape, opts ...CreateOption) *Tensor {
	return newLike("NewZeros(self)", aten.NewZeros, t, shape, opts)
}

// NewOnes returns ones of the given shape, with t's dtype and device unless
// options override them. It panics as NewEmpty does. Follows Tensor.new_ones.
func (t *Tensor) NewOnes(shape Shape, opts ...CreateOption) *Tensor {
	return newLike("NewOnes(self)", aten.NewOnes, t, shape, opts)
}

// NewFull returns a tensor of the given shape filled with value, with t's dtype
// and device unless options override them. It panics as NewEmpty does, and with
// ErrType if value is not a number. Follows Tensor.new_full.
func (t *Tensor) NewFull(shape Shape, value any, opts ...CreateOption) *Tensor {
	const op = "NewFull(self)"
	v := scalarArg(op, "value", value)
	return newLike(op,
		func(cx abi.Ctx, h abi.Tensor, size []int64, dtype, layout int8, device int32, pin *bool) abi.Ret {
			return aten.NewFull(cx, h, size, v, dtype, layout, device, pin)
		}, t, shape, opts)
}

// NewTensor calls the function [NewTensor] with t's dtype and device, unless
// options override them. It panics as the function NewTensor does.
// Follows Tensor.new_tensor.
func (t *Tensor) NewTensor(data any, opts ...TensorOption) *Tensor {
	t.handle("NewTensor(self)", 0)
	return tensorOf("NewTensor", data, append([]TensorOption{t.DType(), t.Device()}, opts...))
}

// NewTensor copies Go data into a tensor. The data may be a number or bool (no
// dimensions), a slice or array of them (one dimension), or nested slices (one
// dimension for each level). A typed element sets the dtype as in [FromSlice].
// Single numbers and elements of []any give Int64, the default float type, its
// complex counterpart, or Bool, as in Python. Follows torch.tensor.
//
// It panics with ErrShape for slices of different lengths or more than 128
// dimensions, with ErrOutOfMemory if the elements do not fit in memory, and
// with ErrType for other data.
func NewTensor(data any, opts ...TensorOption) *Tensor { return tensorOf("NewTensor", data, opts) }

// tensorOf implements NewTensor. Errors name op.
func tensorOf(op string, data any, opts []TensorOption) *Tensor {
	v := reflect.ValueOf(data)
	if !v.IsValid() || !isList(v) {
		return full(op, nil, numberOrList(op, data), newCreation(op, opts))
	}
	n := newNested(op, v)
	flat, dtype := n.flat()
	if dtype != 0 {
		opts = append([]TensorOption{dtype}, opts...)
	}
	return fromSlice(op, flat, n.shape, opts)
}

// An AsTensorOption is an option of [AsTensor]: a [DType] or a [Device].
//
//gotorch:options DType Device
type AsTensorOption interface{ asTensorOption() }

// AsTensor is [NewTensor] for Go data. If data is a tensor, the result is a new
// handle that shares its memory, or a converted copy if the options require
// one. It panics as the function NewTensor does, with ErrNil for a nil option
// or tensor, and with ErrClosed for a closed tensor. Follows torch.as_tensor.
func AsTensor(data any, opts ...AsTensorOption) *Tensor {
	t, ok := data.(*Tensor)
	if ok {
		to := make([]ToOption, len(opts))
		for i, o := range opts {
			to[i], _ = o.(ToOption) // nil stays nil
		}
		return convert("AsTensor(data)", t, to)
	}
	from := make([]TensorOption, len(opts))
	for i, o := range opts {
		from[i], _ = o.(TensorOption)
	}
	return tensorOf("AsTensor", data, from)
}

// numberOrList converts data that is not a list to a Scalar. Its error says
// that a number or a list is expected.
func numberOrList(op string, v any) abi.Scalar {
	if r := reflect.ValueOf(v); !r.IsValid() ||
		!r.CanInt() && !r.CanUint() && !r.CanFloat() && !r.CanComplex() && r.Kind() != reflect.Bool {
		panic(argError(op, ErrType, "data",
			fmt.Sprintf("expected a number, a bool, or a slice or array of them of any depth, got %T", v)))
	}
	return scalarArg(op, "data", v)
}
