package aten_test

import (
	"testing"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The benchmarks of this file measure the cost of a call. BenchmarkAdd calls
// the smallest operator that creates a tensor, and the function that frees it.
func BenchmarkAdd(b *testing.B) {
	x := one(b)
	for b.Loop() {
		r := aten.AddTensor(abi.CtxNoGrad, x, x, abi.Scalar{Kind: abi.ScalarInt, I: 1})
		if r.Err != 0 {
			b.Fatal(cgotorch.TakeError(r.Err).Message)
		}
		cgotorch.Free(r.T)
	}
}

func BenchmarkAddInPlace(b *testing.B) {
	x := one(b)
	for b.Loop() {
		if st := aten.Add_Tensor(abi.CtxNoGrad, x, x, abi.Scalar{Kind: abi.ScalarInt, I: 1}); st != 0 {
			b.Fatal(cgotorch.TakeError(st).Message)
		}
	}
}

func BenchmarkSize(b *testing.B) {
	x := one(b)
	for b.Loop() {
		if n, st := aten.SizeInt(abi.CtxNoGrad, x, 0); n != 1 || st != 0 {
			b.Fatal("size failed")
		}
	}
}

func one(b *testing.B) abi.Tensor {
	v := float32(1)
	r := cgotorch.FromData(0, unsafe.Pointer(&v), 4, []int64{1}, 6, 0)
	if r.Err != 0 {
		b.Fatal(cgotorch.TakeError(r.Err).Message)
	}
	b.Cleanup(func() { cgotorch.Free(r.T) })
	return r.T
}
