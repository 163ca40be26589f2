package functorch

import (
	"fmt"
	"runtime"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// layer is a layer of libtorch, which a transform pushes on the stack of its thread.
// While it is on the stack, each operator goes through the layers from the top down. The
// stack belongs to a thread, so the goroutine is locked to the thread until the layer has
// been popped.
type layer struct {
	op    string
	level int64
}

// within runs fn with a new layer on top. Tensors that fn makes and does not return are freed.
func within(op string, kind native.Kind, batch int64, randomness native.Randomness,
	fn func(l layer) []*torch.Tensor,
) []*torch.Tensor {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return torch.TidyAll(func() []*torch.Tensor {
		r := torch.BeginRaw(op)
		level, st := native.Push(r.Ctx, kind, batch, randomness)
		r.Status(st)
		l := layer{op, level}
		defer l.pop()
		return fn(l)
	})
}

func (l layer) pop() {
	r := torch.BeginRaw(l.op)
	st := native.Pop(r.Ctx, l.level)
	r.Status(st)
}

// batch returns x as a tensor for one example: without dimension dim.
func (l layer) batch(x *torch.Tensor, dim int64) *torch.Tensor {
	h := x.Handle()
	r := torch.BeginRaw(l.op+"(x)", x)
	return r.Tensor(native.Batch(r.Ctx, h, dim, l.level))
}

// unbatch returns y as a tensor for all examples, which become dimension dim.
func (l layer) unbatch(y *torch.Tensor, dim, batch int64) *torch.Tensor {
	h := y.Handle()
	r := torch.BeginRaw(l.op+"(result)", y)
	return r.Tensor(native.Unbatch(r.Ctx, h, dim, l.level, batch))
}

// leaves converts x to tensors of the layer. The tensors at the positions at are leaf
// tensors, which leaves also returns as a separate list.
func (l layer) leaves(x []*torch.Tensor, at []int) (all, leaves []*torch.Tensor) {
	leaf := make([]bool, len(x))
	for _, i := range at {
		leaf[i] = true
	}
	for i, t := range x {
		h := t.Handle()
		r := torch.BeginRaw(l.op+"(x)", t)
		all = append(all, r.Tensor(native.Wrap(r.Ctx, h, l.level, leaf[i])))
	}
	for _, i := range at {
		leaves = append(leaves, all[i])
	}
	return all, leaves
}

// below returns, for each tensor in ts, the tensor that it wraps at this layer.
func (l layer) below(ts []*torch.Tensor) []*torch.Tensor {
	out := make([]*torch.Tensor, len(ts))
	for i, t := range ts {
		h := t.Handle()
		r := torch.BeginRaw(l.op+"(result)", t)
		out[i] = r.Tensor(native.Unwrap(r.Ctx, h, l.level))
	}
	return out
}

func (l layer) duals(x, tangents []*torch.Tensor) []*torch.Tensor {
	out := make([]*torch.Tensor, len(x))
	for i, t := range x {
		v := tangents[i]
		h, hv := t.Handle(), v.Handle()
		r := torch.BeginRaw(l.op+"(x, tangent)", t, v)
		out[i] = r.Tensor(native.Dual(r.Ctx, h, hv))
	}
	return out
}

// unduals returns the values of ts and their tangents, without the layer. A missing
// tangent is zero, or an error if strict is set.
func (l layer) unduals(ts []*torch.Tensor, strict bool) (values, tangents []*torch.Tensor) {
	for i, t := range ts {
		h := t.Handle()
		r := torch.BeginRaw(l.op+"(result)", t)
		v, d, st := native.Undual(r.Ctx, h, l.level)
		r.Status(st)
		value, tangent := r.Wrap(v), r.Wrap(d)
		if tangent == nil {
			if strict {
				panic(torch.NewError(l.op, torch.ErrAutograd, "fn",
					fmt.Sprintf("result %d does not depend on the inputs, which Strict refuses", i)))
			}
			tangent = torch.ZerosLike(value)
		}
		values, tangents = append(values, value), append(tangents, tangent)
	}
	return values, tangents
}

func checkFunc(op string, fn Func) {
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
}

func randomnessOf(op string, r Randomness) native.Randomness {
	switch r {
	case RandomnessError:
		return native.Error
	case RandomnessSame:
		return native.Same
	case RandomnessDifferent:
		return native.Different
	}
	panic(torch.NewError(op, torch.ErrValue, "Randomness",
		fmt.Sprintf("expected error, different or same, got %q", string(r))))
}
