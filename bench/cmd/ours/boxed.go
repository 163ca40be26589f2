package main

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

func init() { cases["boxed.mul"] = boxedMul }

// boxedMul times the product of two four-element tensors. It calls the operator both
// through the operator table and through its own C++ function, alternating in many short
// turns. The fastest turn of each counts.
func boxedMul(a args) result {
	all := aten.Operators()
	mul := all[slices.IndexFunc(all, func(op aten.Operator) bool { return op.Name == "mul.Tensor" })]
	x := torch.Ones(torch.Shape{4})
	defer x.Close()
	h := x.Handle()
	must := func(st abi.Status) {
		if st != 0 {
			panic(cgotorch.TakeError(st).Message)
		}
	}
	typed := func() {
		r := aten.MulTensor(0, h, h)
		must(r.Err)
		cgotorch.Free(r.T)
	}
	boxed := func() {
		words := [2]uint64{uint64(h), uint64(h)}
		var got [1]uint64
		must(mul.Call(0, words[:], got[:]))
		cgotorch.Free(abi.Tensor(got[0]))
	}
	const turns = 1000
	n := max(a.iterations/turns, 10)
	timed(n, typed)
	var total int64
	quickest := [2]int64{math.MaxInt64, math.MaxInt64}
	for range turns {
		for i, call := range []func(){typed, boxed} {
			took := timed(n, call)
			quickest[i], total = min(quickest[i], took), total+took
		}
	}
	return result{total / 2, map[string]int64{"typed": quickest[0] / int64(n), "boxed": quickest[1] / int64(n)}}
}
