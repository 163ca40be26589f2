package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// The limits of types equal Python's and have Python's attribute names.
func TestLimitsOfTypes(t *testing.T) {
	for want, got := range map[string]any{
		"finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, " +
			"tiny=6.10352e-05, dtype=float16)": torch.Finfo(torch.Float16),
		"finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.17549e-38, " +
			"tiny=1.17549e-38, dtype=bfloat16)": torch.Finfo(torch.BFloat16),
		"finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, " +
			"tiny=1.17549e-38, dtype=float32)": torch.Finfo(torch.Complex64),
		"finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, " +
			"smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)": torch.Finfo(torch.Float64),
		"finfo(resolution=1, min=-57344, max=57344, eps=0.125, smallest_normal=3.05176e-05, tiny=3.05176e-05, " +
			"dtype=float8_e5m2fnuz)": torch.Finfo(torch.Float8E5M2FN),
		"finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, " +
			"dtype=float8_e4m3fn)": torch.Finfo(torch.Float8E4M3FN),
		"finfo(resolution=1, min=-240, max=240, eps=0.125, smallest_normal=0.0078125, tiny=0.0078125, " +
			"dtype=float8_e4m3fnuz)": torch.Finfo(torch.Float8E4M3FNU),
		"finfo(resolution=1, min=-57344, max=57344, eps=0.25, smallest_normal=6.10352e-05, tiny=6.10352e-05, " +
			"dtype=float8_e5m2)": torch.Finfo(torch.Float8E5M2),
		"iinfo(min=-128, max=127, dtype=int8)":                                  torch.Iinfo(torch.Int8),
		"iinfo(min=0, max=65535, dtype=uint16)":                                 torch.Iinfo(torch.Uint16),
		"iinfo(min=-9223372036854775808, max=9223372036854775807, dtype=int64)": torch.Iinfo(torch.Int64),
		"iinfo(min=0, max=18446744073709551615, dtype=uint64)":                  torch.Iinfo(torch.Uint64),
	} {
		assert.Equal(t, want, got.(interface{ String() string }).String())
	}
	for _, d := range []torch.DType{0, torch.Int8, torch.Bool, torch.QInt8, -3, 100} {
		assert.ErrorIs(t, torch.Try(func() { torch.Finfo(d) }), torch.ErrType)
	}
	for _, d := range []torch.DType{0, torch.Float32, torch.Bool, torch.QInt8} {
		assert.ErrorIs(t, torch.Try(func() { torch.Iinfo(d) }), torch.ErrType)
	}
}

func TestQuantizedTypes(t *testing.T) {
	for _, d := range []torch.DType{torch.QInt8, torch.QUint8, torch.QInt32, torch.QUint4x2, torch.QUint2x4} {
		assert.True(t, d.IsQuantized() && !d.IsInteger() && !d.IsFloatingPoint(), d)
	}
	for _, d := range []torch.DType{
		0, torch.Uint8, torch.Int8, torch.Int32, torch.Float32, torch.Bool, torch.Bits8,
		torch.Float4E2M1FNX2, -3, 100,
	} {
		assert.False(t, d.IsQuantized(), d)
	}
}

// The order of dimensions in memory equals Python's, even if several are valid.
func TestDimOrder(t *testing.T) {
	leakFree(t, func() {
		empty := func(shape ...int64) *torch.Tensor { return torch.Empty(shape) }
		for _, c := range []struct {
			x    *torch.Tensor
			want []int64
		}{
			{empty(2, 3, 5, 7), []int64{0, 1, 2, 3}},
			{empty(2, 3, 5, 7).Transpose(1, 2), []int64{0, 2, 1, 3}},
			{torch.Empty(torch.Shape{2, 3, 5, 7}, torch.ChannelsLast), []int64{0, 2, 3, 1}},
			{empty(1, 2, 3, 4), []int64{0, 1, 2, 3}},
			{empty(4, 1, 3).Transpose(0, 2), []int64{2, 1, 0}},
			{empty(3).Expand(2, 3), []int64{0, 1}},
			{empty(2, 1, 3, 1).Permute(3, 1, 0, 2), []int64{2, 1, 3, 0}},
			{empty(), []int64{}},
			{torch.Empty(torch.Shape{2, 3, 4, 5, 6}, torch.ChannelsLast3d), []int64{0, 2, 3, 4, 1}},
		} {
			assert.Equal(t, c.want, c.x.DimOrder(), "%v %v", c.x.Shape(), c.x.Stride())
		}
		assert.ErrorIs(t, torch.Try(func() { empty(2, 2).ToSparse().DimOrder() }), torch.ErrRuntime)
	})
}

func TestFactsOfATensor(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2, 3})
		assert.True(t, x.IsCPU())
		assert.False(t,
			x.IsMeta() || x.IsNested() || x.IsInference() || x.IsQuantized() || x.IsSparseCSR() || x.IsNeg())
		assert.True(t, torch.Ones(torch.Shape{2}, torch.Meta).IsMeta())
		assert.True(t, x.ToSparse(torch.SparseCSR).IsSparseCSR())
		torch.InferenceMode(func() { assert.True(t, torch.Ones(nil).IsInference()) })
		assert.True(t, torch.Ones(torch.Shape{2}, torch.Complex64).Conj().Imag().IsNeg())
		for d, signed := range map[torch.DType]bool{
			torch.Bool: false, torch.Uint8: false, torch.Uint64: false,
			torch.Int8: true, torch.Float16: true, torch.Complex64: true,
		} {
			assert.Equal(t, signed, torch.Zeros(torch.Shape{1}, d).IsSigned(), d)
		}
		assert.True(t, torch.Ones(torch.Shape{1, 1}).IsNonzero())
		assert.False(t, torch.Zeros(nil, torch.Int64).IsNonzero())
		assert.ErrorIs(t, torch.Try(func() { x.IsNonzero() }), torch.ErrShape)
		assert.True(t, x.IsSameSize(torch.Zeros(torch.Shape{2, 3}, torch.Bool)))
		assert.False(t, x.IsSameSize(x.T()))
		assert.True(t, x.IsSetTo(x.View(2, 3)))
		assert.False(t, x.IsSetTo(x.View(3, 2)))
		assert.Equal(t, -1, x.GetDevice())
		assert.EqualValues(t, []int64{2, 6, 4}, []int64{x.Dim(), x.Numel(), x.ElementSize()})
	})
}

// Apply_, Map_ and Map2_ call a Go function for every element.
func TestApplyAndMap(t *testing.T) {
	leakFree(t, func() {
		x := torch.Arange(6).View(2, 3).T()
		assert.Same(t, x, x.Apply_(func(v float64) float64 { return 2*v + 0.7 }))
		assert.Equal(t, []int64{0, 6, 2, 8, 4, 10}, x.Int64s())
		y := torch.Zeros(torch.Shape{3, 2})
		y.Map_(torch.FromSlice([]float32{1, 2}), func(a, b float64) float64 { return a - b })
		assert.Equal(t, []float32{-1, -2, -1, -2, -1, -2}, y.Float32s())
		y.Map2_(x, torch.Ones(nil), func(a, b, c float64) float64 { return a + b + c })
		assert.Equal(t, []float32{0, 5, 2, 7, 4, 9}, y.Float32s())
		id := func(v float64) float64 { return v }
		assert.ErrorIs(t, torch.Try(func() { y.Apply_(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { y.Map_(nil, func(a, _ float64) float64 { return a }) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { torch.Ones(nil, torch.RequiresGrad(true)).Apply_(id) }), torch.ErrAutograd)
		assert.ErrorIs(t, torch.Try(func() { torch.Ones(nil, torch.Complex64).Apply_(id) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { torch.Ones(nil, torch.Meta).Apply_(id) }), torch.ErrDevice)
		assert.ErrorIs(t, torch.Try(func() {
			y.Map_(torch.Ones(torch.Shape{4}), func(a, _ float64) float64 { return a })
		}), torch.ErrShape)
		assert.PanicsWithValue(t, "stop", func() { y.Apply_(func(float64) float64 { panic("stop") }) })
		assert.Equal(t, []float32{0, 5, 2, 7, 4, 9}, y.Float32s())
	})
}

// Functions that write elements at indices, or take explicit strides, return Python's results.
func TestPlacesByHand(t *testing.T) {
	leakFree(t, func() {
		x := torch.Arange(6.0).View(2, 3)
		ints := func(v ...int64) *torch.Tensor { return torch.FromSlice(v) }
		assert.Equal(t, []float32{0, 1, 9, 8, 4, 5},
			x.IndexPut([]*torch.Tensor{ints(0, 1), ints(2, 0)}, torch.FromSlice([]float32{9, 8})).Float32s())
		assert.Equal(t, []float32{0, 3, 2, 3, 4, 5},
			x.IndexPut([]*torch.Tensor{ints(0, 0), ints(1, 1)}, torch.Ones(nil), torch.Accumulate(true)).Float32s())
		assert.Equal(t, []float32{0, 7, 2, 3, 7, 5},
			x.Clone().IndexPut_([]*torch.Tensor{nil, ints(1)}, torch.Full(nil, 7.0)).Float32s())
		assert.Equal(t, []float32{0, 7, 2, 3, 8, 5},
			x.AsStridedScatter(torch.FromSlice([]float32{7, 8}), []int64{2}, []int64{3}, 1).Float32s())
		assert.Equal(t, []float32{1, 4}, x.View(6).AsStrided_([]int64{2}, []int64{3}, 1).Float32s())
		y := torch.Empty(torch.Shape{1})
		assert.Same(t, y, y.Set_(x))
		assert.True(t, y.IsSetTo(x))
		assert.Equal(t, []float32{2, 5}, y.SetStrided_(x, 2, []int64{2}, []int64{3}).Float32s())
		assert.Equal(t, torch.Shape{2, 3}, torch.Empty(nil).ResizeAs_(x).Shape())
		assert.Equal(t, []int64{1, 2}, torch.EmptyStrided(torch.Shape{2, 3}, []int64{1, 2}).Stride())
		assert.Equal(t, []int64{1, 2}, torch.EmptyPermuted(torch.Shape{2, 3}, []int64{1, 0}).Stride())
		assert.Equal(t, []int64{0, 2, -1}, ints(1, 0, 2).NonzeroStatic(3).Int64s())
		assert.Equal(t, []float32{1, 4}, x.NarrowCopy(1, 1, 1).Float32s())
		assert.Equal(t, torch.Float64, torch.Fill(x.Double(), 3).DType())
		assert.Equal(t, []float32{0, 0.25, 0.5, 0.75, 1}, torch.Range(0, 1, 0.25).Float32s())
		assert.Equal(t, []float32{42, 61, 80, 150, 214, 278}, torch.ChainMatMul(x, x.T(), x).Float32s())
		for _, f := range []func(){
			func() { torch.EmptyStrided(torch.Shape{2, 3}, []int64{1}) },
			func() { x.NewEmptyStrided(torch.Shape{2, 3}, nil) },
			func() { x.Clone().SetStrided_(x, 0, []int64{2}, nil) },
		} {
			assert.ErrorIs(t, torch.Try(f), torch.ErrShape)
		}
		assert.ErrorIs(t, torch.Try(func() { x.IndexPut(nil, torch.Ones(nil)) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { x.IndexPut([]*torch.Tensor{nil}, torch.Ones(nil)) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { x.IndexPut([]*torch.Tensor{ints(9)}, torch.Ones(nil)) }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { x.SetStrided_(x, -1, nil, nil) }), torch.ErrValue)
	})
}

// The Unsafe functions give the same results as the safe ones, and Trapz the same as Trapezoid.
func TestUnsafeForms(t *testing.T) {
	leakFree(t, func() {
		x := torch.Arange(6.0).View(2, 3).Add_(torch.Ones(nil))
		for name, pair := range map[string][2]func(x *torch.Tensor) *torch.Tensor{
			"UnsafeSplit": {
				func(x *torch.Tensor) *torch.Tensor { return x.Split(2, 1)[1] },
				func(x *torch.Tensor) *torch.Tensor {
					return x.UnsafeSplit(2, 1)[1]
				},
			},
			"UnsafeChunk": {
				func(x *torch.Tensor) *torch.Tensor { return x.Chunk(2, 1)[1] },
				func(x *torch.Tensor) *torch.Tensor {
					return x.UnsafeChunk(2, 1)[1]
				},
			},
			"UnsafeSplitWithSizes": {
				func(x *torch.Tensor) *torch.Tensor { return x.SplitSizes([]int64{1, 2}, 1)[0] },
				func(x *torch.Tensor) *torch.Tensor { return x.UnsafeSplitWithSizes([]int64{1, 2}, 1)[0] },
			},
			"Trapz": {
				func(x *torch.Tensor) *torch.Tensor { return x.Trapezoid() },
				func(x *torch.Tensor) *torch.Tensor {
					return x.Trapz()
				},
			},
		} {
			want, got := pair[0](x.Clone()), pair[1](x.Clone())
			assert.True(t, want.Equal(got), name)
			assert.Equal(t, want.Stride(), got.Stride(), name)
		}
	})
}

// A parameter such as dim ...Dim accepts a plain number, a torch.Dim, nothing, or several values,
// of which the last one counts.
func TestBareOptions(t *testing.T) {
	leakFree(t, func() {
		x := torch.Arange(1.0, 13.0).View(1, 3, 4)
		y := x.AddScalar(1)
		ts := []*torch.Tensor{x, y}
		square := torch.Arange(9.0).View(3, 3)
		places := torch.FromSlice([]int64{2, 0, 1}, 3, 1)
		one := func(f func() *torch.Tensor) func() []*torch.Tensor {
			return func() []*torch.Tensor { return []*torch.Tensor{f()} }
		}
		for name, forms := range map[string][2][]func() []*torch.Tensor{
			"Cat": {
				{one(func() *torch.Tensor { return torch.Cat(ts) }), one(func() *torch.Tensor {
					return torch.Cat(ts, 1, torch.Dim(0))
				})},
				{one(func() *torch.Tensor { return torch.Cat(ts, 2) }), one(func() *torch.Tensor {
					return torch.Cat(ts, 0, -1)
				})},
			},
			"Stack": {
				{one(func() *torch.Tensor { return torch.Stack(ts) }), one(func() *torch.Tensor {
					return torch.Stack(ts, torch.Dim(0))
				})},
				{one(func() *torch.Tensor { return torch.Stack(ts, 2) }), one(func() *torch.Tensor {
					return torch.Stack(ts, 0, torch.Dim(2))
				})},
			},
			"Split": {
				{func() []*torch.Tensor { return x.Split(2) }, func() []*torch.Tensor { return x.Split(2, 1, 0) }},
				{func() []*torch.Tensor { return x.Split(2, -1) }, func() []*torch.Tensor {
					return x.Split(2, 0, torch.Dim(2))
				}},
			},
			"Chunk": {
				{func() []*torch.Tensor { return x.Chunk(1) }, func() []*torch.Tensor { return x.Chunk(1, 0) }},
				{func() []*torch.Tensor { return x.Chunk(2, -1) }, func() []*torch.Tensor {
					return x.Chunk(2, torch.Dim(2))
				}},
			},
			"TensorSplit": {
				{func() []*torch.Tensor { return x.TensorSplit(1) }, func() []*torch.Tensor {
					return x.TensorSplit(1, 0)
				}},
				{func() []*torch.Tensor { return x.TensorSplit(3, 2) }, func() []*torch.Tensor {
					return x.TensorSplit(3, torch.Dim(-1))
				}},
			},
			"Unbind": {
				{func() []*torch.Tensor { return x.Unbind() }, func() []*torch.Tensor { return x.Unbind(1, 0) }},
				{func() []*torch.Tensor { return x.Unbind(1) }, func() []*torch.Tensor {
					return x.Unbind(torch.Dim(1))
				}},
			},
			"GLU": {
				{one(func() *torch.Tensor { return x.GLU() }), one(func() *torch.Tensor { return x.GLU(-1) })},
				{one(func() *torch.Tensor { return x.GLU(2) }), one(func() *torch.Tensor {
					return x.GLU(0, torch.Dim(2))
				})},
			},
			"Flatten": {
				{one(func() *torch.Tensor { return x.Flatten() }), one(func() *torch.Tensor { return x.Flatten() })},
				{one(func() *torch.Tensor { return x.Flatten(1) }), one(func() *torch.Tensor {
					return x.Flatten(1, 2)
				})},
			},
			"Tril": {
				{one(func() *torch.Tensor { return square.Tril() }), one(func() *torch.Tensor {
					return square.Tril(1, 0)
				})},
				{one(func() *torch.Tensor { return square.Tril(-1) }), one(func() *torch.Tensor {
					return square.Tril(torch.Diagonal(-1))
				})},
			},
			"Triu": {
				{one(func() *torch.Tensor { return square.Triu() }), one(func() *torch.Tensor {
					return square.Clone().Triu_(0)
				})},
				{one(func() *torch.Tensor { return square.Triu(1) }), one(func() *torch.Tensor {
					return square.Clone().Triu_(0, torch.Diagonal(1))
				})},
			},
			"Diag": {
				{one(func() *torch.Tensor { return square.Diag() }), one(func() *torch.Tensor {
					return square.Diag(0)
				})},
				{one(func() *torch.Tensor { return square.Diag(1) }), one(func() *torch.Tensor {
					return square.Diag(torch.Diagonal(1))
				})},
			},
			"DiagFlat": {
				{one(func() *torch.Tensor { return x.DiagFlat() }), one(func() *torch.Tensor { return x.DiagFlat(0) })},
				{one(func() *torch.Tensor { return x.DiagFlat(1) }), one(func() *torch.Tensor {
					return x.DiagFlat(torch.Diagonal(1))
				})},
			},
			"Cross": {
				{one(func() *torch.Tensor { return square.Cross(square) }), one(func() *torch.Tensor {
					return square.Cross(square, 0, -1)
				})},
				{one(func() *torch.Tensor { return square.Cross(square.T(), 0) }), one(func() *torch.Tensor {
					return square.Cross(square.T(), torch.Dim(0))
				})},
			},
			"Vecdot": {
				{one(func() *torch.Tensor { return square.Vecdot(square) }), one(func() *torch.Tensor {
					return square.Vecdot(square, 0, -1)
				})},
				{one(func() *torch.Tensor { return square.Vecdot(square, 0) }), one(func() *torch.Tensor {
					return square.Vecdot(square, torch.Dim(0))
				})},
			},
			"TakeAlongDim": {
				{one(func() *torch.Tensor { return square.TakeAlongDim(places) }), one(func() *torch.Tensor {
					return square.View(-1).TakeAlongDim(places.View(-1), 0)
				})},
				{one(func() *torch.Tensor { return square.TakeAlongDim(places, 1) }), one(func() *torch.Tensor {
					return square.TakeAlongDim(places, 0, torch.Dim(1))
				})},
			},
			"UniqueConsecutive": {
				{
					func() []*torch.Tensor { a, _, _ := square.UniqueConsecutive(); return []*torch.Tensor{a} },
					func() []*torch.Tensor {
						return []*torch.Tensor{square.View(-1)}
					},
				},
				{
					func() []*torch.Tensor { a, _, _ := square.UniqueConsecutive(0); return []*torch.Tensor{a} },
					func() []*torch.Tensor {
						a, _, _ := square.UniqueConsecutive(torch.Dim(0))
						return []*torch.Tensor{a}
					},
				},
			},
			"TrapezoidAt": {
				{one(func() *torch.Tensor { return square.TrapezoidAt(square) }), one(func() *torch.Tensor {
					return square.TrapezoidAt(square, -1)
				})},
				{one(func() *torch.Tensor { return square.TrapezoidAt(square, 0) }), one(func() *torch.Tensor {
					return square.TrapezoidAt(square, torch.Dim(0))
				})},
			},
			"Squeeze_": {
				{one(func() *torch.Tensor { return x.Clone().Squeeze_() }), one(func() *torch.Tensor {
					return x.Squeeze()
				})},
				{one(func() *torch.Tensor { return x.Clone().Squeeze_(0) }), one(func() *torch.Tensor {
					return x.Squeeze(0)
				})},
			},
		} {
			var firsts []*torch.Tensor
			for _, equal := range forms {
				want := equal[0]()
				for i, f := range equal[1:] {
					got := f()
					require.Len(t, got, len(want), name)
					for k := range got {
						assert.True(t, want[k].Equal(got[k]), "%s, form %d", name, i)
					}
				}
				firsts = append(firsts, want[0])
			}
			if name != "GLU" && name != "Squeeze_" && name != "Cross" {
				assert.False(t, firsts[0].Equal(firsts[1]), "%s: the option has an effect", name)
			}
		}
		assert.True(t, torch.Ones(torch.Shape{1}).RequiresGrad_().RequiresGrad())
		assert.False(t, torch.Ones(torch.Shape{1}).RequiresGrad_(true, false).RequiresGrad())
		assert.ErrorIs(t, torch.Try(func() { x.Flatten(0, 1, 2) }), torch.ErrValue)
	})
}

// Compressed sparse tensors are created, and their indices and values are read.
func TestCompressedTensors(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float64{0, 0, 1, 2, 0, 0, 0, 3}, 2, 4)
		for layout, s := range map[torch.Layout]*torch.Tensor{
			torch.SparseCOO: x.ToSparseCOO(), torch.SparseCSR: x.ToSparseCSR(), torch.SparseCSC: x.ToSparseCSC(),
			torch.SparseBSR: x.ToSparseBSR(torch.BlockSize{1, 2}),
			torch.SparseBSC: x.ToSparseBSC(torch.BlockSize{2, 1}),
		} {
			assert.Equal(t, layout, s.Layout())
			assert.True(t, x.Equal(s.ToDense()), layout.String())
			var again *torch.Tensor
			switch layout {
			case torch.SparseCSR, torch.SparseBSR:
				again = torch.SparseCompressedTensor(s.CrowIndices(), s.ColIndices(), s.Values(), torch.Shape{2, 4},
					layout)
			case torch.SparseCSC, torch.SparseBSC:
				again = torch.SparseCompressedTensor(s.CcolIndices(), s.RowIndices(), s.Values(), torch.Shape{2, 4},
					layout)
			default:
				continue
			}
			assert.True(t, x.Equal(again.ToDense()), layout.String())
		}
		ints := func(v ...int64) *torch.Tensor { return torch.FromSlice(v) }
		s := torch.SparseCSRTensor(ints(0, 1, 2), ints(1, 0), torch.FromSlice([]float32{5, 6}), nil, torch.Float64,
			torch.RequiresGrad(true))
		assert.Equal(t, []float64{0, 5, 6, 0}, s.ToDense().Float64s())
		assert.True(t, s.RequiresGrad())
		assert.Equal(t, torch.Float32,
			torch.SparseCSCTensor(ints(0, 1, 2), ints(1, 0), torch.FromSlice([]float32{5, 6}),
				torch.Shape{3, 2}).DType())
		coo := x.ToSparse()
		assert.Equal(t, []float64{2, 2, 2},
			torch.Full(torch.Shape{2, 4}, 2, torch.Float64).SparseMask(coo).Values().Float64s())
		b := torch.Ones(torch.Shape{4, 1}, torch.Float64)
		assert.Equal(t, []float64{3, 3}, coo.Smm(b).ToDense().Float64s())
		assert.Equal(t, []float64{3, 3}, torch.Hspmm(coo, b).ToDense().Float64s())
		big := coo.Clone().SparseResize_(torch.Shape{3, 4}, 2, 0)
		assert.Equal(t, torch.Shape{3, 4}, big.Shape())
		assert.Zero(t, big.SparseResizeAndClear_(torch.Shape{1, 1}, 2, 0).Values().Numel())
		for name, f := range map[string]func(){
			"nil":            func() { torch.SparseCSRTensor(ints(0, 1), ints(0), nil, nil) },
			"nil in front":   func() { torch.SparseCSCTensor(nil, ints(0), b, nil) },
			"a nil option":   func() { torch.SparseCSRTensor(ints(0, 1), ints(0), ints(1), nil, nil) },
			"a nil of dense": func() { x.ToSparseCSR(nil) },
		} {
			assert.ErrorIs(t, torch.Try(f), torch.ErrNil, name)
		}
		assert.Error(t, torch.Try(func() { torch.SparseCSRTensor(ints(0, 9), ints(0), ints(1), torch.Shape{1, 1}) }))
		assert.Error(t, torch.Try(func() { x.CrowIndices() }))
		assert.ErrorIs(t, torch.Try(func() {
			torch.SparseCompressedTensor(ints(0, 1), ints(0), ints(1), nil, torch.SparseCOO)
		}), torch.ErrValue)
	})
}

// The getter of each process-wide setting returns the value that was set.
func TestSettings(t *testing.T) {
	assert.Equal(t, torch.MatmulHighest, torch.Float32MatmulPrecision())
	defer torch.SetFloat32MatmulPrecision(torch.MatmulHighest)
	for _, p := range []torch.MatmulPrecision{torch.MatmulHigh, torch.MatmulMedium, torch.MatmulHighest} {
		torch.SetFloat32MatmulPrecision(p)
		assert.Equal(t, p, torch.Float32MatmulPrecision())
	}
	assert.ErrorIs(t, torch.Try(func() { torch.SetFloat32MatmulPrecision("low") }), torch.ErrValue)
	defer torch.SetDeterministicDebugMode(torch.DeterministicDefault)
	for _, m := range []torch.DeterministicDebugMode{
		torch.DeterministicWarn, torch.DeterministicError,
		torch.DeterministicDefault,
	} {
		torch.SetDeterministicDebugMode(m)
		assert.Equal(t, m, torch.GetDeterministicDebugMode())
		assert.Equal(t, m != torch.DeterministicDefault, torch.AreDeterministicAlgorithmsEnabled())
	}
	assert.ErrorIs(t, torch.Try(func() { torch.SetDeterministicDebugMode(3) }), torch.ErrValue)
	seed := torch.Seed()
	assert.Equal(t, seed, torch.InitialSeed())
	assert.NotEqual(t, seed, torch.Seed())
	g := torch.NewGenerator(torch.CPU)
	assert.Equal(t, g.Seed(), g.InitialSeed())
}

// Low-rank decompositions draw the same numbers as Python and give the same result.
func TestLowRank(t *testing.T) {
	leakFree(t, func() {
		a := torch.Arange(12, torch.Float64).Sin().View(4, 3)
		torch.ManualSeed(0)
		u, s, v := torch.SVDLowrank(a, torch.Q(2))
		torchtest.AllClose(t, torch.FromSlice([]float64{2.4194229173417217, 0.3844525896967141}), s)
		torchtest.AllClose(t, torch.FromSlice([]float64{0.1709189582121038, 0.5793442749502844, 0.7969610535063925}),
			v.Abs().Select(1, 0))
		assert.Equal(t, torch.Shape{4, 2}, u.Shape())
		torch.ManualSeed(0)
		_, s, v = torch.PcaLowrank(a.T())
		torchtest.AllClose(t,
			torch.FromSlice([]float64{1.7545161401319624, 0.15811258921415997, 4.0061722632990907e-17}), s)
		torchtest.AllClose(t,
			torch.FromSlice([]float64{0.4029671489872248, 0.47125858086441286, 0.5301177690414611, 0.5783666464668161}),
			v.Abs().Select(1, 0))
		u, s, v = torch.SVDLowrank(a, torch.Q(3), torch.M(a))
		assert.InDelta(t, 0, s.Sum().Item(), 1e-12)
		assert.NotNil(t, u, v)
		x := a.Clone().RequiresGrad_()
		_, s, _ = torch.SVDLowrank(x, torch.Q(3))
		s.Sum().Backward()
		assert.NotNil(t, x.Grad())
		assert.ErrorIs(t, torch.Try(func() { torch.SVDLowrank(a.Select(0, 0)) }), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() { torch.SVDLowrank(a, torch.Q(-1)) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { torch.SVDLowrank(a.Long()) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { torch.SVDLowrank(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { torch.PcaLowrank(a, torch.Q(9)) }), torch.ErrValue)
	})
}

// Gradient returns Python's results. It rejects invalid coordinates, which Python does not check.
func TestGradient(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float32{1, 2, 4, 8, 10, 20, 40, 80, 1, 0, 2, 0}, 3, 4)
		down := []float32{9, 18, 36, 72, 0, -1, -1, -4, -9, -20, -38, -80}
		right := []float32{1, 1.5, 3, 4, 10, 15, 30, 40, -1, 0.5, 0, -2}
		all := x.Gradient()
		assert.Len(t, all, 2)
		assert.Equal(t, down, all[0].Float32s())
		assert.Equal(t, right, all[1].Float32s())
		assert.Equal(t, right, x.Gradient(torch.Dims{-1})[0].Float32s())
		assert.Equal(t, []float32{0.5, 1.5, 3, 5, 5, 15, 30, 50, -2.5, 0.5, 0, -4},
			x.Gradient(torch.Dim(1), torch.EdgeOrder(2))[0].Float32s())
		assert.Equal(t, []float32{2, 3, 6, 8, 20, 30, 60, 80, -2, 1, 0, -4},
			x.Gradient(torch.Spacings{2, 0.5})[1].Float32s())
		places := torch.SpacingTensors{torch.FromSlice([]float32{0, 1, 3}), torch.FromSlice([]float32{0, 1, 3, 4})}
		torchtest.AllClose(t, torch.FromSlice([]float32{1, 1, 3, 4, 10, 10, 30, 40, -1, -1.0 / 3, -1, -2}, 3, 4),
			x.Gradient(places)[1])
		assert.Empty(t, x.Gradient(torch.Dims{}))
		closed := torch.Ones(torch.Shape{3})
		assert.NoError(t, closed.Close())
		for name, c := range map[string]struct {
			kind error
			opts []torch.GradientOption
		}{
			"no dimension":     {torch.ErrIndex, []torch.GradientOption{torch.Dim(2)}},
			"twice":            {torch.ErrShape, []torch.GradientOption{torch.Dims{0, 0}}},
			"order":            {torch.ErrValue, []torch.GradientOption{torch.EdgeOrder(3)}},
			"too few samples":  {torch.ErrShape, []torch.GradientOption{torch.EdgeOrder(2), torch.Dim(0)}},
			"spacings":         {torch.ErrValue, []torch.GradientOption{torch.Spacings{1, 2, 3}}},
			"spacings of dims": {torch.ErrValue, []torch.GradientOption{torch.Spacings{1, 2}, torch.Dim(1)}},
			"no spacings":      {torch.ErrValue, []torch.GradientOption{torch.Spacings{}}},
			"few places": {
				torch.ErrShape,
				[]torch.GradientOption{torch.Dim(0), torch.SpacingTensors{torch.Zeros(torch.Shape{2})}},
			},
			"a matrix":       {torch.ErrShape, []torch.GradientOption{torch.Dim(0), torch.SpacingTensors{x}}},
			"a nil place":    {torch.ErrNil, []torch.GradientOption{torch.Dim(0), torch.SpacingTensors{nil}}},
			"a closed place": {torch.ErrClosed, []torch.GradientOption{torch.Dim(0), torch.SpacingTensors{closed}}},
			"a nil option":   {torch.ErrNil, []torch.GradientOption{nil}},
		} {
			short := x
			if name == "too few samples" {
				short = x.Narrow(0, 0, 2)
			}
			assert.ErrorIs(t, torch.Try(func() { short.Gradient(c.opts...) }), c.kind, name)
		}
		assert.ErrorIs(t, torch.Try(func() { (*torch.Tensor)(nil).Gradient() }), torch.ErrNil)
	})
}

// SegmentReduce, Histogramdd and TriangularSolve return Python's results.
func TestSegmentsAndCounts(t *testing.T) {
	leakFree(t, func() {
		d := torch.Arange(1.0, 10).View(3, 3)
		ints := func(v ...int64) *torch.Tensor { return torch.FromSlice(v) }
		assert.Equal(t, []float32{4, 5, 6, 7, 8, 9},
			torch.SegmentReduce(d, "max", torch.Lengths(ints(2, 1))).Float32s())
		assert.Equal(t, []float32{6, 8, 10, 1, 1, 1, 8, 9, 10},
			torch.SegmentReduce(d, torch.ReduceSum, torch.Offsets(ints(0, 2, 2, 3)), torch.Initial(1)).Float32s())
		points := torch.FromSlice([]float32{0, 0, 1, 1, 2, 2, 2, 1}, 4, 2)
		h, edges := points.Histogramdd([]int64{2, 2})
		assert.Equal(t, []float32{1, 0, 0, 3}, h.Float32s())
		assert.Equal(t, []float32{0, 1, 2}, edges[1].Float32s())
		x, a := torch.FromSlice([]float32{4, 8}, 2, 1).TriangularSolve(torch.FromSlice([]float32{2, 1, 0, 4}, 2, 2))
		assert.Equal(t, []float32{1, 2}, x.Float32s())
		assert.Equal(t, []float32{2, 1, 0, 4}, a.Float32s())
		for name, c := range map[string]struct {
			kind error
			f    func()
		}{
			"another reduce": {torch.ErrValue, func() { torch.SegmentReduce(d, "amax", torch.Lengths(ints(3))) }},
			"no segments":    {torch.ErrValue, func() { torch.SegmentReduce(d, "sum") }},
			"twice": {torch.ErrValue, func() {
				torch.SegmentReduce(d, "sum", torch.Lengths(ints(3)), torch.Offsets(ints(0, 3)))
			}},
			"no number": {torch.ErrType, func() {
				torch.SegmentReduce(d, "sum", torch.Lengths(ints(3)), torch.Initial("one"))
			}},
			"nil": {torch.ErrNil, func() { torch.SegmentReduce(nil, "sum", torch.Lengths(ints(3))) }},
		} {
			assert.ErrorIs(t, torch.Try(c.f), c.kind, name)
		}
		assert.Error(t, torch.Try(func() { torch.SegmentReduce(d, "sum", torch.Lengths(ints(9))) }))
		assert.Error(t, torch.Try(func() { points.Histogramdd([]int64{2}) }))
	})
}
