package torch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// Every exported operator of these files is in the goldens, or in the list of operators that have
// tests of their own.
func TestPointwiseGoldensAreComplete(t *testing.T) {
	_, cases := pwGoldens(t)
	covered := map[string]bool{
		"To": true, "ToDevice": true, "CUDA": true, "PinMemory": true, "IsPinned": true, "Detach_": true,
		"IsConj":       true,
		"PromoteTypes": true, "ResultType": true, "CanCast": true, "Normal": true, "Data": true,
		"MultiplyScalar_": true,
	}
	for _, c := range cases {
		if c.Error == "" {
			covered[c.Op] = true
		}
	}
	for _, file := range []string{
		"op_arith", "op_arith_gen", "op_ternary", "op_unary", "op_unary_gen", "op_activation", "op_activation_gen",
		"op_compare", "op_compare_gen", "op_bitwise_gen", "op_where", "op_arith_inplace",
		"op_fill", "op_random", "tensor_convert", "op_complex", "op_complex_gen",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), file+".go", nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			name := fn.Name.Name
			require.True(t, covered[name] || covered["Tensor."+name], "%s.go: no golden for %s", file, name)
		}
	}
}

// Exactly the documented results share memory with the argument. Every result is a new
// handle.
func TestPointwiseSharing(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		z := torch.FromSlice([]complex64{1 + 2i, 3 + 4i})
		for name, c := range map[string]struct {
			from   *torch.Tensor
			fn     func(*torch.Tensor) *torch.Tensor
			shares bool
		}{
			"Float":       {x, (*torch.Tensor).Float, true},
			"Double":      {x, (*torch.Tensor).Double, false},
			"TypeAs":      {x, func(t *torch.Tensor) *torch.Tensor { return t.TypeAs(t) }, true},
			"CPU":         {x, (*torch.Tensor).CPU, true},
			"Contiguous":  {x, func(t *torch.Tensor) *torch.Tensor { return t.Contiguous() }, true},
			"Clone":       {x, func(t *torch.Tensor) *torch.Tensor { return t.Clone() }, false},
			"Detach":      {x, (*torch.Tensor).Detach, true},
			"Real of x":   {x, (*torch.Tensor).Real, true},
			"Conj of x":   {x, (*torch.Tensor).Conj, true},
			"Real":        {z, (*torch.Tensor).Real, true},
			"Imag":        {z, (*torch.Tensor).Imag, true},
			"Conj":        {z, (*torch.Tensor).Conj, true},
			"ViewAsReal":  {z, (*torch.Tensor).ViewAsReal, true},
			"ResolveConj": {z, (*torch.Tensor).ResolveConj, true},
			"resolved":    {z, func(t *torch.Tensor) *torch.Tensor { return t.Conj().ResolveConj() }, false},
			"physical":    {z, (*torch.Tensor).ConjPhysical, false},
			"Neg":         {x, (*torch.Tensor).Neg, false},
			"ReLU":        {x, (*torch.Tensor).ReLU, false},
		} {
			y := c.fn(c.from)
			require.NotSame(t, c.from, y, name)
			require.Equal(t, c.shares, y.SharesStorage(c.from), name)
			require.NoError(t, y.Close())
			require.False(t, c.from.IsClosed(), name)
		}
		require.Equal(t, []float32{1, 2, 3, 4}, x.Float32s())
	})
}

func TestPointwiseChain(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float64{1, 2, 3})
		before := torch.NumLiveTensors()
		y := x.AddScalar_(1).MulScalar_(2).Add_(x).Clamp_(nil, 12).Neg_()
		require.Same(t, x, y)
		require.Equal(t, []float64{-8, -12, -12}, x.Float64s())
		require.Equal(t, before, torch.NumLiveTensors(), "in-place operators make no tensors")
		require.EqualValues(t, 5, x.TensorVersion())
	})
}

// Outside of scopes the caller closes every result.
func TestPointwiseOutsideScope(t *testing.T) {
	collect(t)
	before := torch.NumLiveTensors()
	x := torch.FromSlice([]float32{-1, 2})
	for _, y := range []*torch.Tensor{
		x.Add(x), x.MulScalar(2), x.ReLU(), x.Exp(), torch.Where(x.Gt(x), x, 0),
		x.Detach(),
	} {
		require.NoError(t, y.Close())
	}
	require.Equal(t, before+2, torch.NumLiveTensors(), "x and the condition, which the collector owns")
	require.NoError(t, x.Close())
}

func TestPointwiseOut(t *testing.T) {
	leakFree(t, func() {
		a, b := torch.FromSlice([]float32{1, 2, 3}), torch.FromSlice([]float32{4, 5, 6})
		dst := torch.Empty(torch.Shape{3})
		data, before := dst.DataPtr(), torch.NumLiveTensors()
		for range 100 {
			require.Same(t, dst, aten.AddOut(dst, a, b, nil))
			aten.MulOut(dst, dst, a) // dst as an argument
			aten.SqrtOut(dst, dst)
		}
		require.Equal(t, data, dst.DataPtr(), "the memory is used again")
		require.Equal(t, before, torch.NumLiveTensors())
		require.InDeltaSlice(t, []float64{2.2360679, 3.7416573, 5.1961524}, dst.Float64s(), 1e-6)
		require.Equal(t, []float32{1, 2, 3}, a.Float32s())
		torch.NoGrad(func() {
			leaf := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
			require.Equal(t, []float32{2, 2, 2}, aten.AddOut(dst, leaf, leaf, nil).Float32s())
		})
	})
}

func TestPointwiseMemoryFormats(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2, 3, 4, 5})
		last := x.Contiguous(torch.ChannelsLast)
		require.Equal(t, []int64{60, 1, 15, 3}, last.Stride())
		require.False(t, last.IsContiguous())
		require.Equal(t, last.Stride(), last.Clone().Stride(), "Clone keeps the strides")
		require.Equal(t, x.Stride(), last.Clone(torch.ContiguousFormat).Stride())
		require.Equal(t, x.Stride(), last.Contiguous().Stride())
		require.False(t, last.Contiguous().SharesStorage(last))
		require.True(t, last.Contiguous(torch.ChannelsLast).SharesStorage(last))
	})
}

func TestPointwiseDetach(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		y := x.MulScalar(3)
		d := y.Detach()
		require.False(t, d.RequiresGrad())
		require.Empty(t, d.GradFn())
		require.Equal(t, "MulBackward0", y.GradFn())
		require.Same(t, y, y.Detach_())
		require.True(t, y.IsLeaf())
		require.False(t, y.RequiresGrad())
	})
}

func TestPointwiseDevices(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2, 3})
		require.False(t, x.IsPinned())
		m := x.ToDevice(torch.Meta)
		require.Equal(t, torch.Meta, m.Device())
		require.Equal(t, torch.Shape{2, 3}, m.Shape())
		require.ErrorIs(t, torch.Try(func() { m.CPU() }), torch.ErrNotImplemented)
		require.Error(t, torch.Try(func() { m.Float32s() }), "no data to read")
		if err := torch.Try(func() { _ = x.CUDA().Close() }); err != nil {
			require.ErrorIs(t, err, torch.ErrDevice)
			require.ErrorIs(t, torch.Try(func() { x.PinMemory() }), torch.ErrDevice)
		}
	})
}

func TestPointwisePromotion(t *testing.T) {
	leakFree(t, func() {
		require.Equal(t, torch.Float32, torch.PromoteTypes(torch.Float32, torch.Int64))
		require.Equal(t, torch.Float32, torch.PromoteTypes(torch.Float16, torch.BFloat16))
		require.Equal(t, torch.Complex128, torch.PromoteTypes(torch.Complex64, torch.Float64))
		require.Equal(t, torch.Int16, torch.PromoteTypes(torch.Int8, torch.Uint8))
		require.True(t, torch.CanCast(torch.Float64, torch.Float32))
		require.False(t, torch.CanCast(torch.Float32, torch.Int64))
		require.False(t, torch.CanCast(torch.Int64, torch.Bool))
		f, i := torch.Ones(torch.Shape{2}, torch.Float16), torch.Ones(torch.Shape{}, torch.Float64)
		require.Equal(t, torch.Float16, torch.ResultType(f, i), "a tensor without dimensions does not widen")
		require.Equal(t, f.Add(i).DType(), torch.ResultType(f, i))
	})
}

func TestPointwiseConj(t *testing.T) {
	leakFree(t, func() {
		z := torch.FromSlice([]complex128{1 + 2i, 3 - 4i})
		c := z.Conj()
		require.True(t, c.IsConj())
		require.False(t, c.ResolveConj().IsConj())
		require.False(t, z.IsConj())
		require.Equal(t, []complex128{1 - 2i, 3 + 4i}, c.Complex128s())
		require.Equal(t, []float64{-2, 4}, c.Imag().Float64s(), "a pending negation is computed when read")
		require.Equal(t, []float64{5, 25}, z.Mul(c).Real().Float64s())
		require.Error(t, torch.Try(func() { c.ViewAsReal() }))
	})
}

// A new generator draws the same numbers as the default generator with the same seed, without
// affecting the default one.
func TestPointwiseGenerators(t *testing.T) {
	leakFree(t, func() {
		w := torch.FromSlice([]float32{1, 2, 3})
		for name, draw := range map[string]func(g *torch.Generator) *torch.Tensor{
			"Uniform_": func(g *torch.Generator) *torch.Tensor {
				return torch.Zeros(torch.Shape{20}).Uniform_(0, 1, g)
			},
			"Normal_": func(g *torch.Generator) *torch.Tensor {
				return torch.Zeros(torch.Shape{5}).Normal_(0, 1, g)
			},
			"Random_": func(g *torch.Generator) *torch.Tensor { return torch.Zeros(torch.Shape{5}).Random_(g) },
			"BernoulliP": func(g *torch.Generator) *torch.Tensor {
				return torch.Zeros(torch.Shape{50}).BernoulliP(0.5, g)
			},
			"Multinomial": func(g *torch.Generator) *torch.Tensor {
				return w.Multinomial(9, torch.Replacement(true), g)
			},
			"NormalTensor": func(g *torch.Generator) *torch.Tensor { return torch.NormalTensor(w, w, g) },
			"Normal":       func(g *torch.Generator) *torch.Tensor { return torch.Normal(1, 2, torch.Shape{7}, g) },
		} {
			torch.ManualSeed(7)
			want := draw(nil).Float64s()
			next := draw(nil).Float64s()
			require.NotEqual(t, want, next, name)
			torch.ManualSeed(7)
			g := torch.NewGenerator(torch.CPU).ManualSeed(7)
			require.Equal(t, want, draw(g).Float64s(), name)
			require.Equal(t, next, draw(g).Float64s(), name)
			require.Equal(t, want, draw(nil).Float64s(), name)
			require.Equal(t, next, draw(nil).Float64s(), name)
		}
	})
}

// A gradient that libtorch knows to be zero has no memory. Reading it gives zeros.
func TestPointwiseZeroGradient(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float64{1.5, -2.5}).RequiresGrad_()
		for name, y := range map[string]*torch.Tensor{
			"Floor": x.Floor(), "Sign": x.Sign(),
			"Imag": x.CDouble().Imag(),
		} {
			g := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.GradOutputs{torch.OnesLike(y)})[0]
			require.Equal(t, []float64{0, 0}, g.Float64s(), name)
			require.Equal(t, []float64{1, 1}, g.AddScalar(1).Float64s(), name)
		}
	})
}

// In a scope an operator allocates only one Tensor on Go's heap, and an in-place operator
// allocates nothing. The speed of training loops depends on this.
func TestPointwiseAllocations(t *testing.T) {
	leakFree(t, func() {
		x, y := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})
		m := x.Gt(y)
		v := 0.5
		for name, c := range map[string]struct {
			most float64
			fn   func() *torch.Tensor
		}{
			"Add":       {1, func() *torch.Tensor { return x.Add(y) }},
			"AddScalar": {2, func() *torch.Tensor { return x.AddScalar(v) }}, // the second for v, converted to any
			"Exp":       {1, x.Exp},
			"GELU":      {1, func() *torch.Tensor { return x.GELU() }},
			"Softmax":   {1, func() *torch.Tensor { return x.Softmax(0) }},
			"Clamp":     {1, func() *torch.Tensor { return x.Clamp(0, 1) }},
			"Lerp":      {1, func() *torch.Tensor { return x.Lerp(y, y) }},
			"Where":     {1, func() *torch.Tensor { return torch.Where(m, x, 0) }},
			"Add_":      {0, func() *torch.Tensor { x.Add_(y); return nil }},
			"Sqrt_":     {0, func() *torch.Tensor { x.Sqrt_(); return nil }},
			"AddOut":    {0, func() *torch.Tensor { aten.AddOut(x, x, y, nil); return nil }},
			"Uniform_":  {0, func() *torch.Tensor { x.Uniform_(0, 1); return nil }},
		} {
			got := optiontest.LeastAllocations(func() { _ = c.fn().Close() })
			require.LessOrEqual(t, got, c.most, name)
		}
	})
}
