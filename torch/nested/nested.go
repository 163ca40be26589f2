package nested

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An Option configures the nested tensor: a [torch.DType], a [torch.Device] or
// [torch.RequiresGrad].
type Option = torch.SparseOption

// NestedTensor copies tensors, which have the same number of dimensions and may have
// different sizes, into one nested tensor. A DType or Device converts them. The copy is
// detached: no gradients flow to the list. The result is a new tensor, owned by the
// innermost scope or else by the garbage collector. NestedTensor panics with ErrNil or
// ErrClosed for a nil or closed element, with ErrShape or ErrRuntime if the numbers of
// dimensions differ, with ErrDType if the dtypes differ, and with ErrValue for an empty
// list. Follows torch.nested.nested_tensor.
func NestedTensor(tensors []*torch.Tensor, opts ...Option) *torch.Tensor {
	const op = "nested.NestedTensor"
	o := read(op, opts)
	return torch.Tidy(func() *torch.Tensor {
		var t *torch.Tensor
		torch.NoGrad(func() { t = join(op, tensors, o) })
		return t.RequiresGrad_(torch.RequiresGrad(o.requiresGrad))
	})
}

// AsNestedTensor is NestedTensor with gradients that flow to the list. It panics like
// NestedTensor, and with ErrValue for RequiresGrad, because the list determines whether
// the result requires gradients. Follows torch.nested.as_nested_tensor.
func AsNestedTensor(tensors []*torch.Tensor, opts ...Option) *torch.Tensor {
	const op = "nested.AsNestedTensor"
	o := read(op, opts)
	if o.requiresGrad {
		panic(torch.NewError(op, torch.ErrValue, "RequiresGrad",
			"is not supported, because the list determines whether the result requires gradients"))
	}
	return join(op, tensors, o)
}

// OutputSizes is the shape of the result of [ToPaddedTensor]. output_size in Python; by
// default it is the smallest shape that holds every element.
type OutputSizes = torch.OutputSizes

// ToPaddedTensor returns a nested tensor as a dense one. Elements smaller than the
// largest, or than [OutputSizes], are padded. See [torch.Tensor.ToPaddedTensor] for
// ownership and panics. Follows torch.nested.to_padded_tensor.
func ToPaddedTensor(input *torch.Tensor, padding float64, opts ...torch.PaddedOption) *torch.Tensor {
	return input.ToPaddedTensor(padding, opts...)
}

// settings holds the values of the options.
type settings struct {
	dtype        torch.DType
	device       torch.Device
	requiresGrad bool
}

func read(op string, opts []Option) settings {
	dtype, device, grad := opt.Read3(op, opts, torch.DType(0), torch.Device(0), torch.RequiresGrad(false))
	return settings{dtype: dtype, device: device, requiresGrad: bool(grad)}
}

func join(op string, tensors []*torch.Tensor, o settings) *torch.Tensor {
	if len(tensors) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "tensors", "expected at least one tensor, got none"))
	}
	hs := torch.Handles(op, tensors, false)
	r := torch.BeginRaw(op, tensors...)
	return r.Tensor(aten.UnderNestedTensorFromTensorList(r.Ctx, hs, o.dtype.Code(), -1, o.device.Code(), nil))
}
