package torch

import (
	"fmt"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// printer copies the shown elements of one tensor to Go. It works on raw
// handles, which belong to no scope and are freed at once.
type printer struct {
	t    *Tensor
	opts tensorfmt.Options
}

// begin starts a crossing that records nothing in the graph.
func (p *printer) begin() Raw {
	r := BeginRaw("String(self)", p.t)
	r.Ctx |= abi.CtxNoGrad
	return r
}

// values returns the elements of h that the plan for its shape asks for,
// widened to the Go type that holds them exactly.
func (p *printer) values(h abi.Tensor, shape Shape, dtype DType) tensorfmt.Values {
	plan := tensorfmt.NewPlan(shape, p.opts)
	n := plan.Numel()
	if n == 0 {
		return tensorfmt.Values{}
	}
	switch {
	case dtype.IsComplex():
		return tensorfmt.Complexes(fetch[complex128](p, h, plan.Cuts, n, Complex128))
	case dtype.IsFloatingPoint():
		return tensorfmt.Floats(fetch[float64](p, h, plan.Cuts, n, Float64))
	case dtype == Bool:
		return tensorfmt.Bools(fetch[bool](p, h, plan.Cuts, n, Bool))
	case dtype == Uint64:
		// Converted to int64 and read back, since not every operator knows
		// uint64: the bits stay the same.
		return tensorfmt.Uints(fetch[uint64](p, h, plan.Cuts, n, Int64))
	default:
		return tensorfmt.Ints(fetch[int64](p, h, plan.Cuts, n, Int64))
	}
}

// fetch copies n elements out of what remains of h after the cuts. E has the
// size of wide's elements.
func fetch[E any](p *printer, h abi.Tensor, cuts []tensorfmt.Cut, n int64, wide DType) []E {
	out := make([]E, n)
	r := p.begin()
	ret := shown(r.Ctx, h, cuts, wide)
	st := ret.Err
	if st == 0 {
		st = cgotorch.CopyOut(r.Ctx, ret.T, unsafe.Pointer(unsafe.SliceData(out)), n*wide.Size())
		cgotorch.Free(ret.T)
	}
	r.Status(st)
	return out
}

// shown returns a new CPU tensor with the corners of h that the cuts leave.
// It narrows along every dimension before it copies, so that no more than the
// elements shown is ever copied or moved between devices.
func shown(cx abi.Ctx, h abi.Tensor, cuts []tensorfmt.Cut, wide DType) abi.Ret {
	if len(cuts) == 0 {
		return aten.ToDtypeLayout(cx, h, wide.code(), -1, CPU.code(), nil, false, true, ContiguousFormat.Code())
	}
	c := cuts[0]
	var halves [2]abi.Tensor
	for i, start := range []int64{0, c.Size - c.Keep} {
		part := aten.Narrow(cx, h, int64(c.Dim), start, c.Keep)
		if part.Err == 0 {
			whole := part.T
			part = shown(cx, whole, cuts[1:], wide)
			cgotorch.Free(whole)
		}
		if part.Err != 0 {
			cgotorch.FreeMany(halves[:i])
			return part
		}
		halves[i] = part.T
	}
	joined := aten.Cat(cx, halves[:], int64(c.Dim))
	cgotorch.FreeMany(halves[:])
	return joined
}

// with runs fn on a tensor that h consists of.
func (p *printer) with(get unaryFunc, h abi.Tensor, fn func(part abi.Tensor, shape Shape, dtype DType)) {
	r := p.begin()
	ret := get(r.Ctx, h)
	r.Status(ret.Err)
	defer cgotorch.Free(ret.T)
	fn(ret.T, cgotorch.Sizes(ret.T), DTypeOf(cgotorch.DType(ret.T)))
}

// component reads one of the tensors that a sparse tensor consists of.
func (p *printer) component(name string, meta bool, get unaryFunc, h abi.Tensor) (part tensorfmt.Part) {
	p.with(get, h, func(h abi.Tensor, shape Shape, dtype DType) {
		part = tensorfmt.Part{Name: name, Shape: shape}
		if !meta {
			part.Values = p.values(h, shape, dtype)
		}
	})
	return part
}

// sparse fills in a tensor of any layout but strided.
func (p *printer) sparse(h abi.Tensor, layout Layout, out *tensorfmt.Tensor) {
	out.Layout = layout.String()
	switch layout {
	case SparseCOO:
		out.Parts = []tensorfmt.Part{
			p.component("indices", out.Meta, aten.UnderIndices, h),
			p.component("values", out.Meta, aten.UnderValues, h),
		}
	case SparseCSR, SparseBSR:
		out.Parts = []tensorfmt.Part{
			p.component("crow_indices", out.Meta, aten.CrowIndices, h),
			p.component("col_indices", out.Meta, aten.ColIndices, h),
			p.component("values", out.Meta, aten.Values, h),
		}
	case SparseCSC, SparseBSC:
		out.Parts = []tensorfmt.Part{
			p.component("ccol_indices", out.Meta, aten.CcolIndices, h),
			p.component("row_indices", out.Meta, aten.RowIndices, h),
			p.component("values", out.Meta, aten.Values, h),
		}
	default:
		out.Layout = "_" + out.Layout // torch._mkldnn
		dense := func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ToDense(cx, h, -1, nil) }
		p.with(dense, h, func(h abi.Tensor, shape Shape, dtype DType) { out.Values = p.values(h, shape, dtype) })
		return
	}
	if out.Meta {
		return
	}
	r := p.begin()
	n, st := aten.UnderNnz(r.Ctx, h)
	r.Status(st)
	out.NNZ = n
}

func isQuantized(d DType) bool {
	switch d {
	case QInt8, QUint8, QInt32, QUint4x2, QUint2x4:
		return true
	}
	return false
}

// qschemes are the names behind the numbers of at::QScheme.
var qschemes = [...]string{
	"per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric",
	"per_channel_affine_float_qparams",
}

// quantized fills in a quantized tensor, whose elements are shown dequantized.
func (p *printer) quantized(h abi.Tensor, out *tensorfmt.Tensor) {
	r := p.begin()
	scheme, st := aten.Qscheme(r.Ctx, h)
	r.Status(st)
	name := fmt.Sprint(scheme)
	if scheme >= 0 && int(scheme) < len(qschemes) {
		name = qschemes[scheme]
	}
	out.Quantized = []string{"quantization_scheme=torch." + name}
	if scheme == 0 || scheme == 2 {
		r = p.begin()
		scale, st := aten.QScale(r.Ctx, h)
		r.Status(st)
		r = p.begin()
		zero, st := aten.QZeroPoint(r.Ctx, h)
		r.Status(st)
		out.Quantized = append(out.Quantized, "scale="+tensorfmt.PyFloat(scale), fmt.Sprint("zero_point=", zero))
	} else {
		r = p.begin()
		axis, st := aten.QPerChannelAxis(r.Ctx, h)
		r.Status(st)
		out.Quantized = append(out.Quantized,
			"scale="+p.nested(aten.QPerChannelScales, h),
			"zero_point="+p.nested(aten.QPerChannelZeroPoints, h),
			fmt.Sprint("axis=", axis))
	}
	p.with(aten.DequantizeSelf, h, func(h abi.Tensor, shape Shape, dtype DType) { out.Values = p.values(h, shape, dtype) })
}

// nestedTensor renders the tensors that a nested tensor consists of.
func (p *printer) nestedTensor(h abi.Tensor, out *tensorfmt.Tensor) {
	r := p.begin()
	parts, st := aten.UnbindInt(r.Ctx, h, 0)
	r.Status(st)
	out.Nested = []string{}
	for _, h := range parts {
		part := newTensor(h)
		out.Nested = append(out.Nested, part.text(p.opts))
		_ = part.Close()
	}
}

// nested renders a tensor that belongs to h as a text of its own.
func (p *printer) nested(get unaryFunc, h abi.Tensor) (text string) {
	p.with(get, h, func(h abi.Tensor, shape Shape, dtype DType) {
		var err error
		text, err = tensorfmt.Format(tensorfmt.Tensor{Shape: shape, DType: dtype.String(), Values: p.values(h, shape, dtype)}, p.opts)
		if err != nil {
			text = "<" + err.Error() + ">"
		}
	})
	return text
}
