package torch

import (
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// The functions in this file call operators that have several results or take a list of
// tensors. The functions passed to them must not panic, because they run in a slot for
// native code.

type (
	pairFunc   = func(abi.Ctx, abi.Tensor) ([2]abi.Tensor, abi.Status)
	tripleFunc = func(abi.Ctx, abi.Tensor) ([3]abi.Tensor, abi.Status)
	listFunc   = func(abi.Ctx, abi.Tensor) ([]abi.Tensor, abi.Status)
	joinFunc   = func(abi.Ctx, []abi.Tensor) abi.Ret
	gridFunc   = func(abi.Ctx, []abi.Tensor) ([]abi.Tensor, abi.Status)
)

// pair calls an operator of one tensor that has two results.
func pair(op string, t *Tensor, f pairFunc) (first, second *Tensor) {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// triple calls an operator of one tensor that has three results.
func triple(op string, t *Tensor, f tripleFunc) (first, second, third *Tensor) {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}

// list calls an operator of one tensor that returns a list.
func list(op string, t *Tensor, f listFunc) []*Tensor {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.WrapAll(res)
}

// join calls an operator of a list of tensors. op is the name without
// arguments.
func join(op string, ts []*Tensor, f joinFunc) *Tensor {
	hs := listHandles(op, ts)
	r := BeginRaw(op, ts...)
	ret := f(r.Ctx, hs)
	if ret.Err != 0 {
		r.op = listOp(op, len(ts))
	}
	return r.Tensor(ret)
}

// grid calls an operator from a list of tensors to a list of tensors. op is the
// name without arguments.
func grid(op string, ts []*Tensor, f gridFunc) []*Tensor {
	hs := listHandles(op, ts)
	r := BeginRaw(op, ts...)
	res, st := f(r.Ctx, hs)
	if st != 0 {
		r.op = listOp(op, len(ts))
	}
	r.Status(st)
	return r.WrapAll(res)
}

// listHandles returns the handles of a list, which must not be empty: libtorch
// has no result for an empty list, and some operators read the first element
// unchecked.
func listHandles(op string, ts []*Tensor) []abi.Tensor {
	if len(ts) == 0 {
		panic(argError(op, ErrValue, "tensors", "expected at least one tensor, got none"))
	}
	hs := make([]abi.Tensor, len(ts))
	for i, t := range ts {
		if t.IsClosed() {
			panic(t.unusable(listOp(op, len(ts)), i))
		}
		hs[i] = t.handle(op, i)
	}
	return hs
}

// listOp names the elements of a list for error messages:
// "Cat(tensors[0], tensors[1])".
func listOp(op string, n int) string {
	var b strings.Builder
	b.WriteString(op)
	b.WriteByte('(')
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("tensors[" + strconv.Itoa(i) + "]")
	}
	b.WriteByte(')')
	return b.String()
}
