package render

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// contiguous is libtorch's number for the contiguous memory format.
const contiguous = 0

// cpu is the device to which elements are copied.
const cpu = abi.DeviceCPU << 8

// values returns the elements of h that are shown, converted to the Go type that
// represents them exactly.
func (p printer) values(h abi.Tensor, shape []int64, dtype int8) tensorfmt.Values {
	plan := tensorfmt.NewPlan(shape, p.opts)
	n := plan.Numel()
	if n == 0 {
		return tensorfmt.Values{}
	}
	switch p.host.Kind(dtype) {
	case abi.ScalarComplex:
		return tensorfmt.Complexes(fetch[complex128](p, h, plan.Cuts, n, abi.DTypeComplex128))
	case abi.ScalarFloat:
		return tensorfmt.Floats(fetch[float64](p, h, plan.Cuts, n, abi.DTypeFloat64))
	case abi.ScalarBool:
		return tensorfmt.Bools(fetch[bool](p, h, plan.Cuts, n, abi.DTypeBool))
	}
	if dtype == abi.DTypeUint64 {
		// Convert to int64 and reinterpret the bits as uint64, because not every operator
		// supports uint64.
		return tensorfmt.Uints(fetch[uint64](p, h, plan.Cuts, n, abi.DTypeInt64))
	}
	return tensorfmt.Ints(fetch[int64](p, h, plan.Cuts, n, abi.DTypeInt64))
}

// fetch copies the n elements of h that remain after the cuts. It converts them to wide,
// a dtype whose elements have the size of E.
func fetch[E any](p printer, h abi.Tensor, cuts []tensorfmt.Cut, n int64, wide int8) []E {
	out := make([]E, n)
	size := n * int64(unsafe.Sizeof(out[0]))
	p.host.Call(func(cx abi.Ctx) abi.Status {
		ret := shown(cx, h, cuts, wide)
		st := ret.Err
		if st == 0 {
			st = cgotorch.CopyOut(cx, ret.T, unsafe.Pointer(unsafe.SliceData(out)), size)
			cgotorch.Free(ret.T)
		}
		return st
	})
	return out
}

// shown returns a new CPU tensor with the corners of h that remain after the cuts. It
// narrows every dimension first, so that only the shown elements are copied or moved
// between devices.
func shown(cx abi.Ctx, h abi.Tensor, cuts []tensorfmt.Cut, wide int8) abi.Ret {
	if len(cuts) == 0 {
		return aten.ToDtypeLayout(cx, h, wide, -1, cpu, nil, false, true, contiguous)
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
