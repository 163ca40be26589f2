package data_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// draws is a source of random numbers: it returns a number below n, from a generator or a
// fuzzer.
type draws func(n int) int

// stackable returns tensors that can usually be stacked. They have the same shape, dtype
// and layout, but draw may choose a different shape, dtype or layout for the last one.
func stackable(draw draws) []*torch.Tensor {
	dtypes := []torch.DType{
		torch.Float32, torch.Float64, torch.BFloat16, torch.Int64, torch.Int8, torch.Bool,
		torch.Complex64,
	}
	dtype := dtypes[draw(len(dtypes))]
	shape := make(torch.Shape, draw(6))
	for d := range shape {
		shape[d] = int64(draw(4))
		if draw(4) > 0 {
			shape[d]++
		}
	}
	layout, odd := draw(6), draw(12)
	ts := make([]*torch.Tensor, 1+draw(5))
	for i := range ts {
		s, l, dt := shape, layout, dtype
		if i == len(ts)-1 { // change the last tensor, unless the draw says otherwise
			switch odd {
			case 0:
				dt = dtypes[draw(len(dtypes))]
			case 1:
				s = append(torch.Shape{2}, shape...)
			case 2:
				l = draw(6)
			}
		}
		ts[i] = laidOut(bitsDrawn(draw, s, dt), l)
	}
	return ts
}

// bitsDrawn returns a tensor of random bits. Its values may be NaN or infinite.
func bitsDrawn(draw draws, shape torch.Shape, dtype torch.DType) *torch.Tensor {
	n := int64(1)
	for _, size := range shape {
		n *= size
	}
	bits := make([]uint8, n*dtype.Size())
	for i := range bits {
		if bits[i] = uint8(draw(256)); dtype == torch.Bool {
			bits[i] %= 2
		}
	}
	return torch.FromSlice(bits).ViewDType(dtype).View(shape...)
}

// laidOut returns t in a different memory layout: with gaps, transposed, at an offset, or
// expanded.
func laidOut(t *torch.Tensor, layout int) *torch.Tensor {
	shape := t.Shape()
	switch {
	case layout == 1 && len(shape) > 1:
		return t.Transpose(0, 1).Contiguous().Transpose(0, 1)
	case layout == 2 && len(shape) == 4:
		return t.Contiguous(torch.ChannelsLast)
	case layout == 3:
		return torch.Stack([]*torch.Tensor{t, t}, -1).Select(-1, 1)
	case layout == 4:
		return torch.Stack([]*torch.Tensor{t, t}).Select(0, 1)
	case layout == 5 && len(shape) > 0 && shape[0] > 0:
		return t.Narrow(0, 0, 1).Expand(shape...)
	}
	return t
}

// catStack stacks tensors as libtorch does: it concatenates them, and returns a view of the
// result with the new shape.
func catStack(ts []*torch.Tensor, dim int64) *torch.Tensor {
	for _, t := range ts {
		if !t.Shape().Equal(ts[0].Shape()) {
			panic(torch.NewError("catStack", torch.ErrShape, "ts", "differ"))
		}
	}
	rank := ts[0].Dim()
	if dim < 0 {
		dim += rank + 1
	}
	if dim == rank {
		views := make([]*torch.Tensor, len(ts))
		for i, t := range ts {
			views[i] = t.Unsqueeze(dim)
		}
		return torch.Cat(views, torch.Dim(dim))
	}
	shape := append(torch.Shape{}, ts[0].Shape()[:dim]...)
	shape = append(append(shape, int64(len(ts))), ts[0].Shape()[dim:]...)
	return torch.Cat(ts, torch.Dim(dim)).View(shape...)
}

func bitsOf(t *torch.Tensor) []uint8 { return t.Contiguous().View(-1).ViewDType(torch.Uint8).Uint8s() }

// checkStacked compares Stack with libtorch's stack: the results, or the errors for tensors
// that cannot be stacked.
func checkStacked(t *testing.T, draw draws) {
	before := torch.NumLiveTensors()
	torch.Scope(func() {
		inputs, targets := stackable(draw), stackable(draw)
		for len(targets) < len(inputs) {
			targets = append(targets, targets[0])
		}
		targets = targets[:len(inputs)]
		rank := inputs[0].Dim()
		dim := int64(draw(int(rank)+1)) - int64(draw(2))*(rank+1)
		checkSame(t, func() []*torch.Tensor { return []*torch.Tensor{catStack(inputs, dim)} },
			func() []*torch.Tensor { return []*torch.Tensor{torch.Stack(inputs, torch.Dim(dim))} })
		examples := make([]data.Example, len(inputs))
		for i := range examples {
			examples[i] = data.Example{Input: inputs[i], Target: targets[i]}
		}
		// libtorch would convert different dtypes instead of refusing them
		if mixed(inputs) || mixed(targets) {
			err := torch.Try(func() { data.Stack(examples) })
			assert.True(t, errors.Is(err, torch.ErrDType) || errors.Is(err, torch.ErrShape), "%v", err)
			return
		}
		checkSame(t, func() []*torch.Tensor {
			return []*torch.Tensor{catStack(inputs, 0), catStack(targets, 0)}
		}, func() []*torch.Tensor {
			e := data.Stack(examples)
			return []*torch.Tensor{e.Input, e.Target}
		})
	})
	assert.Equal(t, before, torch.NumLiveTensors())
}

func mixed(ts []*torch.Tensor) bool {
	return slices.ContainsFunc(ts, func(t *torch.Tensor) bool { return t.DType() != ts[0].DType() })
}

func checkSame(t *testing.T, reference, tested func() []*torch.Tensor) {
	var want, got []*torch.Tensor
	wanted := torch.Try(func() { want = reference() })
	before := torch.NumLiveTensors()
	err := torch.Try(func() { got = tested() })
	if wanted != nil {
		var e *torch.Error
		require.ErrorAs(t, wanted, &e)
		require.ErrorIs(t, err, e.Kind)
		require.Equal(t, before, torch.NumLiveTensors())
		return
	}
	require.NoError(t, err)
	for k := range want {
		require.Equal(t, want[k].DType(), got[k].DType())
		require.Equal(t, want[k].Shape(), got[k].Shape())
		require.Equal(t, want[k].Stride(), got[k].Stride())
		if want[k].Numel() > 0 {
			require.Equal(t, bitsOf(want[k]), bitsOf(got[k]))
		}
	}
}

func TestStackIsLibtorchs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkStacked(t, r.IntN)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzStack checks that Stack returns the same result or the same kind of error as libtorch.
func FuzzStack(f *testing.F) {
	for _, seed := range [][]byte{
		nil,
		{0, 1, 4, 0, 11, 4},
		{3, 0, 0, 11, 4, 1, 2, 3},
		{5, 4, 3, 1, 3, 1, 3, 1, 3, 1, 2, 11, 3},
		{2, 2, 1, 1, 1, 1, 1, 2, 2},
		{1, 1, 0, 0, 0, 1, 3},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		checkStacked(t, func(n int) int {
			if len(in) == 0 {
				return n - 1
			}
			v := int(in[0])
			in = in[1:]
			return v % n
		})
	})
}

// Stack is correct for large examples, which several threads copy.
func TestStackOfLargeExamples(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		r := rand.New(rand.NewPCG(1, 2))
		examples := make([]data.Example, 5)
		inputs := make([]*torch.Tensor, len(examples))
		for i := range examples {
			inputs[i] = bitsDrawn(r.IntN, torch.Shape{3, 100, 130}, torch.Float32)
			examples[i].Input = inputs[i]
		}
		assert.Equal(t, bitsOf(catStack(inputs, 0)), bitsOf(data.Stack(examples).Input))
	})
}

// Stack respects the modes of the goroutine, and gradients flow through it.
func TestStackInModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
		y := torch.FromSlice([]float32{3, 4})
		examples := []data.Example{{Input: x, Target: y}, {Input: y, Target: y}}
		b := data.Stack(examples)
		assert.True(t, b.Input.RequiresGrad())
		assert.False(t, b.Target.RequiresGrad())
		b.Input.Mul(torch.FromSlice([]float32{5, 6, 7, 8}, 2, 2)).Sum().Backward()
		assert.Equal(t, []float32{5, 6}, x.Grad().Float32s())
		x.Grad().Close()

		v := x.View(2)
		z := torch.Zeros(torch.Shape{2})
		w := z.View(2)
		z.Copy_(x.MulScalar(2)) // z and its view w now require gradients too
		assert.True(t, data.Stack([]data.Example{{Input: w}, {Input: y}}).Input.RequiresGrad())
		torch.NoGrad(func() {
			assert.False(t, data.Stack([]data.Example{{Input: v}, {Input: y}}).Input.RequiresGrad())
		})
		torch.InferenceMode(func() {
			assert.True(t, data.Stack([]data.Example{{Input: y}, {Input: y}}).Input.IsInference())
		})
		assert.False(t, data.Stack([]data.Example{{Input: y}, {Input: y}}).Input.IsInference())

		half := y.To(torch.BFloat16)
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			assert.Equal(t, torch.BFloat16, data.Stack([]data.Example{{Input: half}, {Input: half}}).Input.DType())
		})
		c := torch.FromSlice([]complex64{1 + 2i, 3 - 4i})
		assert.Equal(t, []complex128{1 - 2i, 3 + 4i, 1 - 2i, 3 + 4i},
			data.Stack([]data.Example{{Input: c.Conj()}, {Input: c.Conj()}}).Input.To(torch.Complex128).Complex128s())
	})
}

// If the tensors of one column cannot be stacked, the columns that were stacked before are
// freed, and the error names the column.
func TestStackOfAWrongColumn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, y, closed := torch.Zeros(torch.Shape{2}), torch.Zeros(torch.Shape{3}), torch.Zeros(torch.Shape{2})
		whole := x.To(torch.Int64)
		require.NoError(t, closed.Close())
		before := torch.NumLiveTensors()
		for _, c := range []struct {
			kind     error
			text     string
			examples []data.Example
		}{
			{
				torch.ErrShape, "Target of example 1 has shape (3,), but (2,) in example 0",
				[]data.Example{{Input: x, Target: x}, {Input: x, Target: y}},
			},
			{
				torch.ErrShape, "Extra[0] of example 1",
				[]data.Example{{x, x, []*torch.Tensor{x}, nil}, {x, x, []*torch.Tensor{y}, nil}},
			},
			{
				torch.ErrDType, "Target of example 1 has dtype int64, but float32 in example 0; convert them",
				[]data.Example{{Input: x, Target: x}, {Input: x, Target: whole}},
			},
			{
				torch.ErrDType, "Value of example 1 has dtype int64",
				[]data.Example{{Input: x, Value: x}, {Input: x, Value: whole}},
			},
			{
				torch.ErrClosed, "Target: torch: Stack",
				[]data.Example{{Input: x, Target: x}, {Input: x, Target: closed}},
			},
			{
				torch.ErrNil, "Input of example 1 is nil, but in example 0 it is not",
				[]data.Example{{Input: x, Target: x}, {Target: x}},
			},
			{torch.ErrType, "values of type func() cannot be collated", []data.Example{{Input: x, Value: func() {}}}},
			{torch.ErrType, "Value: example 1 contains nil", []data.Example{{Input: x, Value: "a"}, {Input: x}}},
			{torch.ErrType, "Value: example 0 contains nil", []data.Example{{Input: x}, {Input: x, Value: "a"}}},
		} {
			err := torch.Try(func() { data.Stack(c.examples) })
			require.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, c.text)
			assert.Equal(t, before, torch.NumLiveTensors(), c.text)
		}
		b := data.Stack([]data.Example{{Target: x}, {Target: x}})
		assert.Nil(t, b.Input)
		assert.Equal(t, torch.Shape{2, 2}, b.Target.Shape())
	})
}

// Several goroutines may stack the same examples while another goroutine closes one of
// them.
func TestStackBesideClose(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 50 {
		examples := make([]data.Example, 8)
		for i := range examples {
			examples[i] = data.Example{Input: torch.Full(torch.Shape{3}, i), Target: torch.Full(torch.Shape{}, i)}
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				torch.Scope(func() {
					err := torch.Try(func() {
						b := data.Stack(examples)
						assert.Equal(t, float64(7), b.Input.Select(0, 7).Select(0, 2).Item())
					})
					assert.True(t, err == nil || errors.Is(err, torch.ErrClosed), "%v", err)
				})
			}()
		}
		_ = examples[3].Target.Close()
		wg.Wait()
		for _, e := range examples {
			_ = e.Input.Close()
			_ = e.Target.Close()
		}
	}
}

// A TensorDataset's batch equals the stack of its examples.
func TestBatchIsStackOfExamples(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		r := rand.New(rand.NewPCG(3, 4))
		set := data.NewTensorDataset(bitsDrawn(r.IntN, torch.Shape{9, 2, 3}, torch.Float64),
			bitsDrawn(r.IntN, torch.Shape{9}, torch.Int64),
			bitsDrawn(r.IntN, torch.Shape{2, 9}, torch.Float32).T())
		indices := []int64{8, 0, 3, 3}
		examples := make([]data.Example, len(indices))
		for k, i := range indices {
			examples[k] = set.Get(int(i))
		}
		want, got := data.Stack(examples), set.Batch(indices)
		assert.Equal(t, bitsOf(want.Input), bitsOf(got.Input))
		assert.Equal(t, bitsOf(want.Target), bitsOf(got.Target))
		assert.Equal(t, bitsOf(want.Extra[0]), bitsOf(got.Extra[0]))
		assert.Equal(t, want.String(), got.String())
		require.NoError(t, set.Tensors()[1].Close())
		assert.ErrorIs(t, torch.Try(func() { set.Batch(indices) }), torch.ErrClosed)
	})
}
