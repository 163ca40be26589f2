package data

import (
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// row returns a view of t's i-th row.
func row(t *torch.Tensor, i int64) *torch.Tensor {
	h := t.Handle()
	r := torch.BeginRaw("data.TensorDataset.Get(tensor)")
	return r.Tensor(aten.SelectInt(r.Ctx, h, 0, i), t)
}

// rowsOf copies the rows of t that idx lists.
func rowsOf(t, idx *torch.Tensor) *torch.Tensor {
	h, i := t.Handle(), idx.Handle()
	r := torch.BeginRaw("data.TensorDataset.Batch(tensor, indices)")
	return r.Tensor(aten.IndexSelect(r.Ctx, h, 0, i), t, idx)
}

// stack joins tensors of one shape along a new first dimension.
func stack(ts []*torch.Tensor) *torch.Tensor {
	hs := torch.Handles("data.Stack()", ts, false)
	r := torch.BeginRaw("data.Stack()")
	return r.Tensor(aten.Stack(r.Ctx, hs, 0), ts...)
}

// drawSeed draws what Python's torch.empty((), dtype=torch.int64).random_()
// draws, from g or, if nil, from the default generator.
func drawSeed(g *torch.Generator) int64 {
	t := torch.Empty(torch.Shape{}, torch.Int64)
	defer func() { _ = t.Close() }()
	h, gh := t.Handle(), g.Handle()
	r := torch.BeginRaw("data.Loader(seed)")
	r.Status(aten.Random_(r.Ctx, h, gh), t)
	runtime.KeepAlive(g)
	return t.ItemInt()
}

// permutation returns 0 to n-1 in an order drawn from g or, if nil, from the
// default generator.
func permutation(n int, g *torch.Generator) []int64 {
	var opts []torch.Option
	if g != nil {
		opts = append(opts, g)
	}
	t := torch.Randperm(int64(n), opts...)
	defer func() { _ = t.Close() }()
	return t.Int64s()
}

// normalized returns (x/255 - mean)/std if x holds bytes, else
// (x - mean)/std, as a copy.
func normalized(x *torch.Tensor, mean, std float64) *torch.Tensor {
	bytes := x.DType() == torch.Uint8
	opts := []torch.Option{torch.Copy}
	if !x.IsFloatingPoint() {
		opts = append(opts, torch.Float32)
	}
	out := x.To(opts...)
	if bytes {
		scalarOp("data.Normalize(input)", out, 255, aten.Div_Scalar)
	}
	scalarOp("data.Normalize(input)", out, mean, func(cx abi.Ctx, self abi.Tensor, v abi.Scalar) abi.Status {
		return aten.Sub_Scalar(cx, self, v, abi.Scalar{Kind: abi.ScalarInt, I: 1})
	})
	scalarOp("data.Normalize(input)", out, std, aten.Div_Scalar)
	return out
}

func scalarOp(op string, t *torch.Tensor, v float64, f func(abi.Ctx, abi.Tensor, abi.Scalar) abi.Status) {
	h := t.Handle()
	r := torch.BeginRaw(op)
	r.Status(f(r.Ctx, h, abi.Scalar{Kind: abi.ScalarFloat, D: v}), t)
}
