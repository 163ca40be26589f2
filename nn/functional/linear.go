package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Linear returns x @ weight.T + bias for x of shape (*, in), weight (out, in)
// and bias (out) or nil. The result has shape (*, out). Follows
// torch.nn.functional.linear.
func Linear(x, weight, bias *torch.Tensor) *torch.Tensor {
	const op = "Linear(input, weight, bias)"
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Linear(r.Ctx, h, w, b), x, weight, bias)
}

// Bilinear returns x1 @ weight @ x2 + bias for x1 of shape (*, in1), x2 (*,
// in2), weight (out, in1, in2) and bias (out) or nil. Follows
// torch.nn.functional.bilinear.
func Bilinear(x1, x2, weight, bias *torch.Tensor) *torch.Tensor {
	const op = "Bilinear(input1, input2, weight, bias)"
	h1, h2, w, b := x1.HandleFor(op, 0), x2.HandleFor(op, 1), weight.HandleFor(op, 2), bias.OptionalHandleFor(op, 3)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Bilinear(r.Ctx, h1, h2, w, b), x1, x2, weight, bias)
}

// EmbeddingOptions are the rarer arguments of [Embedding].
type EmbeddingOptions struct {
	PaddingIdx      *int64 // the row that gets no gradient; negative counts from the end; nil: none
	ScaleGradByFreq bool   // divide a row's gradient by how often it occurs
	Sparse          bool   // a sparse gradient of weight
}

// Embedding looks up rows of weight, of shape (rows, features): for indices of
// shape (*) the result has shape (*, features). It panics with ErrIndex for an
// index out of range. Follows torch.nn.functional.embedding.
func Embedding(indices, weight *torch.Tensor, opts ...EmbeddingOptions) *torch.Tensor {
	const op = "Embedding(input, weight)"
	o := option(op, opts)
	h, w := indices.HandleFor(op, 0), weight.HandleFor(op, 1)
	padding := int64(-1)
	if o.PaddingIdx != nil {
		padding = *o.PaddingIdx
		rows := weight.Size(0)
		if padding < -rows || padding >= rows {
			panic(torch.NewError(op, torch.ErrIndex, "PaddingIdx", "padding index is outside the rows of weight"))
		}
		if padding < 0 {
			padding += rows
		}
	}
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Embedding(r.Ctx, w, h, padding, o.ScaleGradByFreq, o.Sparse), indices, weight)
}

// OneHot returns an int64 tensor with a dimension of size classes appended to
// indices' shape, 1 where the index is and 0 elsewhere. With classes -1 the
// largest index decides. It panics for negative indices and for indices beyond
// classes. Follows torch.nn.functional.one_hot.
func OneHot(indices *torch.Tensor, classes int64) *torch.Tensor {
	const op = "OneHot(input)"
	h := indices.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.OneHot(r.Ctx, h, classes), indices)
}

// Flatten joins the dimensions from start to end, both included, to one: a
// view where that is possible. Follows torch.flatten.
func Flatten(x *torch.Tensor, start, end int64) *torch.Tensor {
	const op = "Flatten(input)"
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.FlattenUsingInts(r.Ctx, h, start, end), x)
}
