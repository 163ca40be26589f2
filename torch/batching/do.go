package batching

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Do runs x through a forward pass shared with other requests, and returns the row of the
// result for x. The row is a new tensor, owned by the innermost scope of the calling
// goroutine or else by the garbage collector. x is one example, without the batch
// dimension; the caller keeps it, and must not close it until Do returns.
//
// If ctx is done, Do returns early with an error that wraps ctx.Err(). If the request is
// queued, it is removed; if it is running, its result is freed. Other errors are ErrNil
// for a nil x or ctx, torch.ErrClosed for a closed x, ErrShape for a shape that does not
// match [InputShape], [ErrQueueFull], [ErrClosed], and the panic of the forward pass. Do
// returns ErrShape if the forward pass's result does not have a row for each request, and
// ErrValue if the forward pass has several results; use DoAll for these.
func (b *Batcher) Do(ctx context.Context, x *torch.Tensor) (*torch.Tensor, error) {
	const op = "batching.Batcher.Do"
	ys, err := b.tensors(ctx, op, []*torch.Tensor{x})
	if err != nil {
		return nil, err
	}
	if len(ys) == 1 {
		return ys[0], nil
	}
	for _, y := range ys {
		_ = y.Close()
	}
	return nil, severalResults(op, len(ys))
}

// DoAll is Do for a Batcher made by [NewBatcherAll]: xs are the inputs of one request, in
// the function's order, and it returns the rows of all results. It returns the errors of
// Do, and ErrValue for a number of inputs that does not match the function or
// [InputShapes].
func (b *Batcher) DoAll(ctx context.Context, xs ...*torch.Tensor) ([]*torch.Tensor, error) {
	return b.tensors(ctx, "batching.Batcher.DoAll", slices.Clone(xs))
}

// DoFloat32s is Do for raw values, for handlers without tensors. x holds the elements of
// a float32 tensor in row-major order; the result holds the elements of its row. The
// caller owns both: nothing refers to x after DoFloat32s returns. The tensor has the
// shape of [InputShape], in which one size may be -1, or without InputShape the shape
// (len(x),). Results of a different dtype are converted, as by [torch.Tensor.Float32s].
// DoFloat32s returns the errors of Do.
func (b *Batcher) DoFloat32s(ctx context.Context, x []float32) ([]float32, error) {
	const op = "batching.Batcher.DoFloat32s"
	if err := b.ready(ctx, op); err != nil {
		return nil, err
	}
	shape, err := b.shapeOf(op, len(x))
	if err != nil {
		b.count(&b.stats.Refused)
		return nil, err
	}
	r := b.newRequest()
	r.values = append(r.values, x...)
	r.kinds = append(r.kinds, kind{dtype: torch.Float32, shape: shape})
	if err := b.ask(ctx, op, r); err != nil {
		return nil, err
	}
	a := b.finish(r)
	return a.values, a.err
}

// tensors answers a request whose inputs are tensors. The request refers to xs until it
// is answered.
func (b *Batcher) tensors(ctx context.Context, op string, xs []*torch.Tensor) ([]*torch.Tensor, error) {
	if err := b.ready(ctx, op); err != nil {
		return nil, err
	}
	r := b.newRequest()
	r.inputs = xs
	if err := b.describe(op, r); err != nil {
		b.count(&b.stats.Refused)
		return nil, err
	}
	if err := b.ask(ctx, op, r); err != nil {
		return nil, err
	}
	a := b.finish(r)
	if a.err != nil {
		return nil, a.err
	}
	defer a.outputs.release()
	return a.outputs.rows(a.row)
}

// ready returns an error if b cannot accept requests or ctx is nil.
func (b *Batcher) ready(ctx context.Context, op string) error {
	if b == nil || b.forward == nil {
		return notMade(op)
	}
	if ctx == nil {
		b.count(&b.stats.Refused)
		return nilContext(op)
	}
	return nil
}

// describe checks the inputs of a request and records their kinds.
func (b *Batcher) describe(op string, r *request) error {
	want, known := len(b.opts.shapes), b.opts.shapes != nil
	if b.single {
		want, known = 1, true
	}
	if n := len(r.inputs); known && n != want || n == 0 {
		expected := "expected at least one tensor"
		if known {
			expected = fmt.Sprintf("%d tensors", want)
		}
		return torch.NewError(op, torch.ErrValue, "xs", fmt.Sprintf("expected %s, got %d", expected, n))
	}
	arg := "x"
	for i, x := range r.inputs {
		if len(r.inputs) > 1 {
			arg = fmt.Sprintf("xs[%d]", i)
		}
		var k kind
		if x == nil {
			return torch.NewError(op, torch.ErrNil, arg, "a nil tensor")
		}
		if err := torch.Try(func() { k = kind{x.DType(), x.Device(), x.Shape()} }); err != nil {
			var e *torch.Error
			errors.As(err, &e) // torch.Try returns only a *torch.Error
			return torch.NewError(op, e.Kind, arg, strings.TrimPrefix(e.Message, "argument self: "))
		}
		if b.opts.shapes != nil {
			if err := checkShape(op, arg, k.shape, b.opts.shapes[i]); err != nil {
				return err
			}
		}
		r.kinds = append(r.kinds, k)
	}
	return nil
}

// shapeOf returns the shape of the tensor that a request of n values represents.
func (b *Batcher) shapeOf(op string, n int) (torch.Shape, error) {
	if len(b.opts.shapes) > 1 {
		return nil, torch.NewError(op, torch.ErrValue, "x",
			fmt.Sprintf("the function has %d inputs, expected one; use DoAll", len(b.opts.shapes)))
	}
	if b.opts.shapes == nil || b.opts.shapes[0] == nil {
		return torch.Shape{int64(n)}, nil
	}
	want := b.opts.shapes[0]
	known, open := int64(1), -1
	for i, size := range want {
		switch {
		case size >= 0:
			known *= size
		case open >= 0:
			return nil, torch.NewError(op, torch.ErrShape, "x",
				fmt.Sprintf("the number of values does not determine the open sizes of shape %v; use Do with a tensor",
					want))
		default:
			open = i
		}
	}
	if open < 0 {
		if known != int64(n) {
			return nil, torch.NewError(op, torch.ErrShape, "x",
				fmt.Sprintf("expected the %d values of one example of shape %v, got %d", known, want, n))
		}
		return want, nil
	}
	if known == 0 || int64(n)%known != 0 {
		return nil, torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("expected the values of one example of shape %v, a multiple of %d, got %d", want, known, n))
	}
	shape := slices.Clone(want)
	shape[open] = int64(n) / known
	return shape, nil
}

func (b *Batcher) newRequest() *request { return b.pool.Get().(*request) }

// finish returns the answer of a request and puts the request back into the pool.
func (b *Batcher) finish(r *request) answer {
	a := r.result
	clear(r.kinds) // drop the references to shapes
	*r = request{values: r.values[:0], kinds: r.kinds[:0], answered: r.answered}
	b.pool.Put(r)
	return a
}

// severalResults is the error for a function whose number of results is not one.
func severalResults(op string, n int) error {
	return torch.NewError(op, torch.ErrValue, "forward", fmt.Sprintf(
		"expected a function that returns one tensor, got %d tensors; use DoAll", n))
}
