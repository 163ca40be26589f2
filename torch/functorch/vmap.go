package functorch

import (
	"fmt"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// VMap returns a function that maps fn over examples. fn is written for one example. The
// function that VMap returns takes examples that are stacked along a dimension of its
// arguments, by default the first, and returns stacked results. fn runs once: each
// operator processes all examples.
//
//	dots := functorch.VMap(functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Dot(x[1]) }))
//	y := dots.One(a, b) // (n, d) and (n, d) give (n)
//
// [InDim] or [InDims] select the dimension of the arguments to map over. With
// [NotMapped], all examples share an argument. [OutDim] or [OutDims] set the dimension of
// the examples in the results. Random operators panic unless a [Randomness] is given.
// [ChunkSize] limits the memory.
//
// In fn a tensor has the shape of one example, but its values cannot be read: Item and
// Float32s panic with ErrRuntime. Operators whose result shape depends on values, such as
// indexing by a mask, panic with ErrShape. So does an in-place operator that would write
// different examples to a shared tensor. A Go [torch.Function] panics with
// ErrNotImplemented, and so does making a tensor require gradients. fn runs on the
// caller's goroutine, which is locked to its thread for this time. Goroutines that fn
// starts cannot use its tensors. If fn keeps a tensor, it is closed when fn returns; if
// fn disowns it, later operators reject it.
//
// VMap panics with ErrNil for a nil fn or option, and with ErrValue for an unknown
// Randomness or a negative ChunkSize. The function that it returns panics with ErrShape
// if the numbers of examples differ or are zero; with ErrIndex for a dimension out of
// range; with ErrValue if InDims or OutDims have the wrong length or nothing is mapped;
// with ErrNil or ErrClosed for a nil or closed tensor; and if fn panics. The caller owns
// the results. A result that does not depend on the examples is an expanded view. Follows
// torch.func.vmap.
func VMap(fn Func, opts ...VMapOption) Func {
	const op = "functorch.VMap"
	m := readMapping(op, opts)
	checkFunc(op, fn)
	return func(x ...*torch.Tensor) []*torch.Tensor {
		arguments(op, x)
		dims := m.inDims(op, x)
		batch := batchSize(op, x, dims)
		if m.chunk > 0 && m.chunk < batch {
			return m.chunks(op, fn, x, dims, batch)
		}
		return m.all(op, fn, x, dims, batch)
	}
}

// all maps fn over all examples of x at once.
func (m mapping) all(op string, fn Func, x []*torch.Tensor, dims []int64, batch int64) []*torch.Tensor {
	return within(op, native.VMap, batch, randomnessOf(op, m.randomness), func(l layer) []*torch.Tensor {
		in := slices.Clone(x)
		for i, d := range dims {
			if d != NotMapped {
				in[i] = l.batch(x[i], d)
			}
		}
		res := fn.call(op, in)
		out := make([]*torch.Tensor, len(res))
		for i, d := range m.outDims(op, res) {
			out[i] = l.unbatch(res[i], d, batch)
		}
		return out
	})
}

// chunks maps fn over m.chunk examples at a time.
func (m mapping) chunks(op string, fn Func, x []*torch.Tensor, dims []int64, batch int64) []*torch.Tensor {
	return torch.TidyAll(func() []*torch.Tensor {
		var state *torch.Tensor
		if m.randomness == RandomnessSame {
			state = torch.RNGState()
		}
		var parts [][]*torch.Tensor
		for first := int64(0); first < batch; first += m.chunk {
			n := min(m.chunk, batch-first)
			in := slices.Clone(x)
			for i, d := range dims {
				if d != NotMapped {
					in[i] = x[i].Narrow(d, first, n)
				}
			}
			if state != nil {
				torch.SetRNGState(state)
			}
			parts = append(parts, m.all(op, fn, in, dims, n))
		}
		out := make([]*torch.Tensor, len(parts[0]))
		for i := range out {
			var of []*torch.Tensor
			for _, p := range parts {
				of = append(of, p[i])
			}
			d := m.out
			if m.perOut {
				d = m.outs[i]
			}
			out[i] = torch.Cat(of, torch.Dim(d))
		}
		return out
	})
}

// inDims returns the dimension of each argument to map over, counted from the first.
func (m mapping) inDims(op string, x []*torch.Tensor) []int64 {
	dims := slices.Repeat([]int64{m.in}, len(x))
	if m.perIn {
		if len(m.ins) != len(x) {
			panic(torch.NewError(op, torch.ErrValue, "InDims",
				fmt.Sprintf("expected %d, one for each argument, got %d", len(x), len(m.ins))))
		}
		dims = slices.Clone(m.ins)
	}
	for i, d := range dims {
		if d == NotMapped {
			continue
		}
		n := x[i].Dim()
		if d < -n || d >= n {
			panic(torch.NewError(op, torch.ErrIndex, "InDims",
				fmt.Sprintf("%d is out of range for argument %d, which has %d dimensions", d, i, n)))
		}
		if d < 0 {
			dims[i] += n
		}
	}
	return dims
}

func batchSize(op string, x []*torch.Tensor, dims []int64) int64 {
	var sizes []int64
	for i, d := range dims {
		if d != NotMapped {
			sizes = append(sizes, x[i].Size(d))
		}
	}
	if len(sizes) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "InDims",
			"expected at least one mapped argument, but all are NotMapped"))
	}
	if slices.Min(sizes) != slices.Max(sizes) {
		panic(torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("expected equal numbers of examples, got %v", sizes)))
	}
	if sizes[0] == 0 {
		panic(torch.NewError(op, torch.ErrShape, "x", "expected at least one example"))
	}
	return sizes[0]
}

// outDims returns the dimension of the examples in each result, counted from the first.
func (m mapping) outDims(op string, res []*torch.Tensor) []int64 {
	dims := slices.Repeat([]int64{m.out}, len(res))
	if m.perOut {
		if len(m.outs) != len(res) {
			panic(torch.NewError(op, torch.ErrValue, "OutDims",
				fmt.Sprintf("expected %d, one for each result, got %d", len(res), len(m.outs))))
		}
		dims = slices.Clone(m.outs)
	}
	for i, d := range dims {
		n := res[i].Dim() + 1 // including the dimension of the examples
		if d < -n || d >= n {
			panic(torch.NewError(op, torch.ErrIndex, "OutDims",
				fmt.Sprintf("%d is out of range for result %d, which has %d dimensions with the examples", d, i, n)))
		}
		if d < 0 {
			dims[i] += n
		}
	}
	return dims
}
