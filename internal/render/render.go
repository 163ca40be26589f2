// Package render renders a tensor as Python's print does. It reads only the elements that
// are shown, and package tensorfmt formats them. It works on handles. A [Host] provides
// the functions of package torch that it needs.
package render

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/gradfn"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// A Host is implemented by package torch.
type Host interface {
	// Call makes one native call, in which f may call functions of package cgotorch. It
	// records no autograd graph. If f returns an error, Call panics with that error.
	// Before f returns an error, it must free everything that it has created.
	Call(f func(cx abi.Ctx) abi.Status)

	// Part returns the text of a tensor that is part of the printed tensor. It takes
	// ownership of h, and does not panic.
	Part(h abi.Tensor) string

	Kind(dtype int8) abi.ScalarKind // the kind of the dtype's elements; ScalarInt if they are not numbers
	IsQuantized(dtype int8) bool
	DTypeName(dtype int8) string   // without "torch."
	LayoutName(layout int8) string // without "torch."
	DeviceName(device int32) string
}

// strided is libtorch's number for the strided layout.
const strided = 0

// Text returns the text that Python prints for h. The caller keeps h, and must not close
// it until Text returns. Text panics if Host's Call does. It returns an error for an
// inconsistent layout, which no tensor should have.
func Text(host Host, h abi.Tensor, opts tensorfmt.Options) (string, error) {
	info := cgotorch.TensorInfo(h)
	p := printer{host: host, opts: opts}
	out := tensorfmt.Tensor{
		Shape:        cgotorch.Sizes(h),
		DType:        host.DTypeName(info.DType),
		Meta:         kindOf(info.Device) == abi.DeviceMeta,
		RequiresGrad: info.RequiresGrad,
	}
	if info.HasGradFn {
		out.GradFn = gradfn.Name(cgotorch.GradFnName(h))
	}
	if kindOf(info.Device) != abi.DeviceCPU {
		out.Device = host.DeviceName(info.Device)
	}
	switch {
	case info.IsNested:
		p.nested(h, &out)
	case info.Layout != strided:
		p.sparse(h, host.LayoutName(info.Layout), &out)
	case out.Meta:
	case host.IsQuantized(info.DType):
		p.quantized(h, &out)
	default:
		out.Values = p.values(h, out.Shape, info.DType)
	}
	return tensorfmt.Format(out, opts)
}

// kindOf returns the type of a device, such as CPU or CUDA, from the device's number.
func kindOf(device int32) int32 { return device >> 8 }

// printer renders one tensor. Its temporary handles do not belong to a scope and are
// freed immediately after use.
type printer struct {
	host Host
	opts tensorfmt.Options
}

type unaryFunc = func(abi.Ctx, abi.Tensor) abi.Ret

// with calls fn with the tensor that f computes from h, and then frees that tensor.
func (p printer) with(f unaryFunc, h abi.Tensor, fn func(part abi.Tensor, shape []int64, dtype int8)) {
	var part abi.Tensor
	p.host.Call(func(cx abi.Ctx) abi.Status {
		ret := f(cx, h)
		part = ret.T
		return ret.Err
	})
	defer cgotorch.Free(part)
	fn(part, cgotorch.Sizes(part), cgotorch.DType(part))
}

// number returns the number that f reads from h.
func number[N any](p printer, f func(abi.Ctx, abi.Tensor) (N, abi.Status), h abi.Tensor) (n N) {
	p.host.Call(func(cx abi.Ctx) (st abi.Status) {
		n, st = f(cx, h)
		return st
	})
	return n
}

// nested renders the tensors in a nested tensor.
func (p printer) nested(h abi.Tensor, out *tensorfmt.Tensor) {
	var parts []abi.Tensor
	p.host.Call(func(cx abi.Ctx) (st abi.Status) {
		parts, st = aten.UnbindInt(cx, h, 0)
		return st
	})
	out.Nested = []string{}
	for _, part := range parts {
		out.Nested = append(out.Nested, p.host.Part(part))
	}
}

// component reads a component of a sparse tensor.
func (p printer) component(name string, meta bool, f unaryFunc, h abi.Tensor) (part tensorfmt.Part) {
	p.with(f, h, func(h abi.Tensor, shape []int64, dtype int8) {
		part = tensorfmt.Part{Name: name, Shape: shape}
		if !meta {
			part.Values = p.values(h, shape, dtype)
		}
	})
	return part
}

// sparse sets the fields of out for a tensor with any layout other than strided.
func (p printer) sparse(h abi.Tensor, layout string, out *tensorfmt.Tensor) {
	out.Layout = layout
	switch layout {
	case "sparse_coo":
		out.Parts = []tensorfmt.Part{
			p.component("indices", out.Meta, aten.UnderIndices, h),
			p.component("values", out.Meta, aten.UnderValues, h),
		}
	case "sparse_csr", "sparse_bsr":
		out.Parts = []tensorfmt.Part{
			p.component("crow_indices", out.Meta, aten.CrowIndices, h),
			p.component("col_indices", out.Meta, aten.ColIndices, h),
			p.component("values", out.Meta, aten.Values, h),
		}
	case "sparse_csc", "sparse_bsc":
		out.Parts = []tensorfmt.Part{
			p.component("ccol_indices", out.Meta, aten.CcolIndices, h),
			p.component("row_indices", out.Meta, aten.RowIndices, h),
			p.component("values", out.Meta, aten.Values, h),
		}
	default:
		out.Layout = "_" + layout // torch._mkldnn
		dense := func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToDense(cx, h, -1, nil) }
		p.with(dense, h, func(h abi.Tensor, shape []int64, dtype int8) { out.Values = p.values(h, shape, dtype) })
		return
	}
	if !out.Meta {
		out.NNZ = number(p, aten.UnderNnz, h)
	}
}
