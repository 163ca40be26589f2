package aten_test

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// These are libtorch's numbers of some dtypes.
const (
	int64Type   = 4
	float32Type = 6
	float64Type = 7
	quint8Type  = 13
	none        = -1
)

var noGrad = abi.CtxNoGrad

func integer(i int64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarInt, I: i} }
func float(f float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: f} }
func owned(t *testing.T, h abi.Tensor) abi.Tensor {
	t.Helper()
	t.Cleanup(func() { cgotorch.Free(h) })
	return h
}

// ok returns the tensor of a successful call, and frees it when the test ends.
func ok(t *testing.T, r abi.Ret) abi.Tensor {
	t.Helper()
	done(t, r.Err)
	require.NotZero(t, r.T)
	return owned(t, r.T)
}

func done(t *testing.T, st abi.Status) {
	t.Helper()
	if st != 0 {
		require.Fail(t, cgotorch.TakeError(st).Message)
	}
}

func failure(t *testing.T, st abi.Status) *cgotorch.Error {
	t.Helper()
	require.NotZero(t, st, "the call succeeded")
	return cgotorch.TakeError(st)
}

func vec(t *testing.T, shape []int64, data ...float32) abi.Tensor {
	t.Helper()
	return ok(t, cgotorch.FromData(0, unsafe.Pointer(unsafe.SliceData(data)), int64(len(data))*4, shape, float32Type,
		0))
}

func longs(t *testing.T, shape []int64, data ...int64) abi.Tensor {
	t.Helper()
	return ok(t, cgotorch.FromData(0, unsafe.Pointer(unsafe.SliceData(data)), int64(len(data))*8, shape, int64Type, 0))
}

func values(t *testing.T, h abi.Tensor) []float32 {
	t.Helper()
	f := ok(t, aten.ToDtype(noGrad, h, float32Type, false, false, none))
	out := make([]float32, cgotorch.Numel(f))
	done(t, cgotorch.CopyOut(0, f, unsafe.Pointer(unsafe.SliceData(out)), int64(len(out))*4))
	return out
}

func TestTensorResult(t *testing.T) {
	a, b := vec(t, []int64{2, 2}, 1, 2, 3, 4), vec(t, []int64{2}, 10, 20)
	sum := ok(t, aten.AddTensor(noGrad, a, b, float(0.5)))
	assert.Equal(t, []float32{6, 12, 8, 14}, values(t, sum))
	assert.Equal(t, []int64{2, 2}, cgotorch.Sizes(sum))

	turned := ok(t, aten.T(noGrad, a))
	assert.Equal(t, []float32{1, 3, 2, 4}, values(t, turned))
	assert.Equal(t, cgotorch.TensorInfo(a).Numel, cgotorch.TensorInfo(turned).Numel)

	same := ok(t, aten.Contiguous(noGrad, a, 0))
	assert.Equal(t, a, same, "a contiguous tensor comes back itself, as one more reference")
}

func TestScalarsKeepTheirType(t *testing.T) {
	i := longs(t, []int64{2}, 5, -5)
	assert.EqualValues(t, int64Type, cgotorch.DType(ok(t, aten.AddScalar(noGrad, i, integer(2), integer(1)))))
	assert.EqualValues(t, float32Type, cgotorch.DType(ok(t, aten.AddScalar(noGrad, i, float(2), integer(1)))))
	big := integer(math.MaxInt64)
	got, st := aten.UnderLocalScalarDense(noGrad, ok(t, aten.ScalarTensor(noGrad, big, int64Type, none, none, nil)))
	done(t, st)
	assert.Equal(t, big, got)

	c, st := aten.UnderLocalScalarDense(noGrad, ok(t,
		aten.ScalarTensor(noGrad, abi.Scalar{Kind: abi.ScalarComplex, D: 1, Im: -2}, 10, none, none, nil)))
	done(t, st)
	assert.Equal(t, abi.Scalar{Kind: abi.ScalarComplex, D: 1, Im: -2}, c)

	b, st := aten.UnderLocalScalarDense(noGrad, ok(t,
		aten.ScalarTensor(noGrad, abi.Scalar{Kind: abi.ScalarBool, I: 1}, 11, none, none, nil)))
	done(t, st)
	assert.Equal(t, abi.Scalar{Kind: abi.ScalarBool, I: 1}, b)
}

func TestWritingOperators(t *testing.T) {
	a := vec(t, []int64{3}, 1, 2, 3)
	done(t, aten.Add_Scalar(noGrad, a, integer(1), integer(2)))
	assert.Equal(t, []float32{3, 4, 5}, values(t, a))

	out := vec(t, []int64{3}, 0, 0, 0)
	done(t, aten.AddOut(noGrad, a, a, integer(1), out))
	assert.Equal(t, []float32{6, 8, 10}, values(t, out))

	// An out parameter is resized in place, so its handle does not change.
	done(t, aten.Resize_(noGrad, out, []int64{0}, none))
	done(t, aten.MulOut(noGrad, a, a, out))
	assert.Equal(t, []float32{9, 16, 25}, values(t, out))

	m, top, at := vec(t, []int64{2, 2}, 1, 9, 4, 3), vec(t, []int64{0}), longs(t, []int64{0})
	done(t, aten.MaxDimMax(noGrad, m, 1, false, top, at))
	assert.Equal(t, []float32{9, 4}, values(t, top))
	assert.Equal(t, []float32{1, 0}, values(t, at))

	e := failure(t, aten.Add_Scalar(noGrad, 0, integer(1), integer(1)))
	assert.Contains(t, e.Message, "undefined")
}

func TestSeveralResults(t *testing.T) {
	m := vec(t, []int64{2, 2}, 1, 9, 4, 3)
	res, st := aten.MaxDim(noGrad, m, 1, true)
	done(t, st)
	assert.Equal(t, []float32{9, 4}, values(t, owned(t, res[0])))
	assert.Equal(t, []float32{1, 0}, values(t, owned(t, res[1])))
	assert.Equal(t, []int64{2, 1}, cgotorch.Sizes(res[0]))

	res, st = aten.MaxDim(noGrad, m, 7, true)
	assert.Equal(t, cgotorch.KindIndex, failure(t, st).Kind)
	assert.Zero(t, res, "nothing is handed over on failure")
}

func TestOutputMask(t *testing.T) {
	x, w, g := vec(t, []int64{1, 1, 3}, 1, 2, 3), vec(t, []int64{1, 1, 2}, 1, -1), vec(t, []int64{1, 1, 2}, 1, 1)
	res, st := aten.ConvolutionBackward(noGrad, g, x, w, []int64{1}, []int64{1}, []int64{0}, []int64{1}, false,
		[]int64{0}, 1, [3]bool{true, false, true})
	done(t, st)
	assert.Equal(t, []float32{1, 0, -1}, values(t, owned(t, res[0])))
	assert.Zero(t, res[1], "an undefined result is zero")
	assert.Equal(t, []float32{2}, values(t, owned(t, res[2])))
}

func TestTensorLists(t *testing.T) {
	a := vec(t, []int64{5}, 1, 2, 3, 4, 5)
	parts, st := aten.SplitTensor(noGrad, a, 2, 0)
	done(t, st)
	require.Len(t, parts, 3)
	for _, p := range parts {
		owned(t, p)
	}
	assert.Equal(t, []float32{3, 4}, values(t, parts[1]))
	assert.Equal(t, []float32{5, 1, 2}, values(t, ok(t, aten.Cat(noGrad, []abi.Tensor{parts[2], parts[0]}, 0))))

	done(t, aten.UnderForeachAdd_Scalar(noGrad, parts[:2], integer(10)))
	assert.Equal(t, []float32{11, 12, 13, 14, 5}, values(t, a))

	more, st := aten.UnderForeachAddScalarList(noGrad, parts[:2], []abi.Scalar{float(0.5), integer(1)})
	done(t, st)
	require.Len(t, more, 2)
	assert.Equal(t, []float32{11.5, 12.5}, values(t, owned(t, more[0])))
	assert.Equal(t, []float32{14, 15}, values(t, owned(t, more[1])))

	failure(t, aten.Cat(noGrad, nil, 0).Err)
	// An undefined tensor in a list is not a null pointer in C++. cat skips an undefined
	// tensor, unless it is the first.
	assert.Equal(t, values(t, a), values(t, ok(t, aten.Cat(noGrad, []abi.Tensor{a, 0, 0}, 0))))
	failure(t, aten.Cat(noGrad, []abi.Tensor{0, a}, 0).Err)
	_, st = aten.UnderForeachAddScalarList(noGrad, []abi.Tensor{a, 0}, []abi.Scalar{float(0.5), integer(1)})
	failure(t, st)
}

func TestOptionalTensors(t *testing.T) {
	x, w, b := vec(t, []int64{1, 2}, 1, 2), vec(t, []int64{1, 2}, 3, 4), vec(t, []int64{1}, 100)
	assert.Equal(t, []float32{11}, values(t, ok(t, aten.Linear(noGrad, x, w, 0))))
	assert.Equal(t, []float32{111}, values(t, ok(t, aten.Linear(noGrad, x, w, b))))
	failure(t, aten.Linear(noGrad, x, w, x).Err)
	assert.EqualValues(t, 1, uses(t, b), "a borrowed argument keeps its reference count")
	assert.EqualValues(t, 1, uses(t, x))

	// This is the Tensor?[] argument of x[:, [1, 0, 1]].
	m := vec(t, []int64{2, 2}, 1, 2, 3, 4)
	picked := ok(t, aten.IndexTensor(noGrad, m, []abi.Tensor{0, longs(t, []int64{3}, 1, 0, 1)}))
	assert.Equal(t, []float32{2, 1, 2, 4, 3, 4}, values(t, picked))
}

func uses(t *testing.T, h abi.Tensor) int64 {
	t.Helper()
	s, st := cgotorch.Storage(h)
	done(t, st)
	return s.Uses
}

func TestOptionalNumbersAndLists(t *testing.T) {
	m := vec(t, []int64{2, 2}, 1, 2, 3, float32(math.NaN()))
	assert.Equal(t, []float32{1, 2, 3, 0}, values(t, ok(t, aten.NanToNum(noGrad, m, nil, nil, nil))))
	assert.Equal(t, []float32{1, 2, 3, 7}, values(t, ok(t, aten.NanToNum(noGrad, m, new(7.0), nil, nil))))

	a := vec(t, []int64{2, 2}, 1, 2, 3, 0)
	assert.Equal(t, []float32{2}, values(t, ok(t, aten.Argmax(noGrad, a, nil, false))))
	assert.Equal(t, []float32{1, 0}, values(t, ok(t, aten.Argmax(noGrad, a, new(int64(1)), false))))

	assert.Equal(t, []float32{6}, values(t, ok(t, aten.SumDimIntList(noGrad, a, nil, false, none))))
	assert.Equal(t, []float32{4, 2}, values(t, ok(t, aten.SumDimIntList(noGrad, a, []int64{0}, false, none))))
	assert.EqualValues(t, float64Type,
		cgotorch.DType(ok(t, aten.SumDimIntList(noGrad, a, []int64{0, 1}, true, float64Type))))

	assert.Equal(t, []float32{2, 2, 3, 2}, values(t, ok(t, aten.Clamp(noGrad, a, integer(2), abi.Scalar{}))))
	assert.Equal(t, []float32{1, 2, 2, 0}, values(t, ok(t, aten.Clamp(noGrad, a, abi.Scalar{}, integer(2)))))

	row := vec(t, []int64{1, 1, 1, 2}, 1, 2)
	wide := ok(t, aten.UpsampleNearest2dVec(noGrad, row, nil, []float64{1, 2}))
	assert.Equal(t, []float32{1, 1, 2, 2}, values(t, wide))
	assert.Equal(t, []int64{1, 1, 2, 2},
		cgotorch.Sizes(ok(t, aten.UpsampleNearest2dVec(noGrad, row, []int64{2, 2}, nil))))
}

func TestStrings(t *testing.T) {
	a, b := vec(t, []int64{2}, 7, -7), vec(t, []int64{1}, 2)
	assert.Equal(t, []float32{3.5, -3.5}, values(t, ok(t, aten.DivTensorMode(noGrad, a, b, nil))))
	assert.Equal(t, []float32{3, -4}, values(t, ok(t, aten.DivTensorMode(noGrad, a, b, new("floor")))))
	failure(t, aten.DivTensorMode(noGrad, a, b, new("")).Err)

	m := vec(t, []int64{2, 2}, 2, 0, 0, 1)
	res, st := aten.LinalgEigh(noGrad, m, "U")
	done(t, st)
	assert.Equal(t, []float32{1, 2}, values(t, owned(t, res[0])))
	owned(t, res[1])
}

func TestFactories(t *testing.T) {
	z := ok(t, aten.Zeros(noGrad, []int64{2, 0, 3}, float64Type, 0, 0, new(false)))
	assert.Equal(t, []int64{2, 0, 3}, cgotorch.Sizes(z))
	assert.EqualValues(t, float64Type, cgotorch.DType(z))
	assert.Empty(t, cgotorch.Sizes(ok(t, aten.Ones(noGrad, nil, none, none, none, nil))))

	last := ok(t, aten.EmptyMemoryFormat(noGrad, []int64{1, 2, 3, 4}, none, none, none, nil, 2))
	strides, st := cgotorch.Strides(last)
	done(t, st)
	assert.Equal(t, []int64{24, 1, 8, 2}, strides)

	meta := ok(t, aten.Zeros(noGrad, []int64{4}, none, none, 14<<8, nil))
	assert.EqualValues(t, 14, cgotorch.TensorInfo(meta).Device>>8)

	for _, st := range []abi.Status{
		aten.Zeros(noGrad, nil, 100, none, none, nil).Err,
		aten.Zeros(noGrad, nil, none, 100, none, nil).Err,
		aten.Clone(noGrad, z, 100).Err,
		aten.ToDtype(noGrad, z, none, false, false, none).Err,
	} {
		assert.Contains(t, failure(t, st).Message, "unknown")
	}
}

func TestGenerators(t *testing.T) {
	g, st := cgotorch.NewGenerator(0)
	done(t, st)
	defer cgotorch.FreeGenerator(g)
	draw := func() []float32 {
		return values(t, ok(t, aten.RandnGenerator(noGrad, []int64{4}, g, none, none, none, nil)))
	}
	done(t, cgotorch.SeedGenerator(g, 7))
	first := draw()
	next := draw()
	done(t, cgotorch.SeedGenerator(g, 7))
	assert.Equal(t, first, draw())
	assert.NotEqual(t, first, next)
}

func TestNumbersAsResults(t *testing.T) {
	m := vec(t, []int64{2, 3}, 1, 2, 3, 4, 5, 6)
	n, st := aten.SizeInt(noGrad, m, -1)
	done(t, st)
	assert.EqualValues(t, 3, n)
	_, st = aten.SizeInt(noGrad, m, 2)
	assert.Equal(t, cgotorch.KindIndex, failure(t, st).Kind)

	same, st := aten.Equal(noGrad, m, m)
	done(t, st)
	assert.True(t, same)

	d, st := aten.ResultTypeTensor(noGrad, longs(t, []int64{1}, 1), m)
	done(t, st)
	assert.EqualValues(t, float32Type, d)

	q := ok(t, aten.QuantizePerTensor(noGrad, m, 0.25, 3, quint8Type))
	scale, st := aten.QScale(noGrad, q)
	done(t, st)
	assert.Equal(t, 0.25, scale)
}

func TestMixedResults(t *testing.T) {
	m := vec(t, []int64{4}, 0, 1, 2, 2.55)
	zero, scale, st := aten.UnderChooseQparamsPerTensor(noGrad, m, false)
	done(t, st)
	assert.InDelta(t, 0.01, scale[0], 1e-6)
	assert.EqualValues(t, 0, zero[0])

	hist, edges, st := aten.Histogramdd(noGrad, vec(t, []int64{3, 2}, 0, 0, 1, 1, 1, 2), []int64{1, 2}, nil, 0, false)
	done(t, st)
	assert.Equal(t, []float32{1, 2}, values(t, owned(t, hist[0])))
	require.Len(t, edges[0], 2)
	assert.Equal(t, []float32{0, 1}, values(t, owned(t, edges[0][0])))
	assert.Equal(t, []float32{0, 1, 2}, values(t, owned(t, edges[0][1])))
}

func TestContextApplies(t *testing.T) {
	a := vec(t, []int64{1}, 2)
	done(t, cgotorch.SetRequiresGrad(0, a, true))
	assert.True(t, cgotorch.TensorInfo(ok(t, aten.MulTensor(0, a, a))).RequiresGrad)
	assert.False(t, cgotorch.TensorInfo(ok(t, aten.MulTensor(abi.CtxNoGrad, a, a))).RequiresGrad)
	assert.True(t, cgotorch.TensorInfo(ok(t, aten.MulTensor(0, a, a))).RequiresGrad)
}

func TestRetry(t *testing.T) {
	calls, takes := 0, true
	aten.RetryOOM = func(st abi.Status) bool {
		calls++
		if takes {
			cgotorch.FreeStatus(st)
		}
		return takes
	}
	defer func() { aten.RetryOOM = nil }()
	a, b := vec(t, []int64{2}, 1, 2), vec(t, []int64{3}, 1, 2, 3)

	failure(t, aten.AddTensor(noGrad, a, b, integer(1)).Err)
	assert.Equal(t, 1, calls, "one more attempt, and only one")
	takes = false
	failure(t, aten.AddTensor(noGrad, a, b, integer(1)).Err)
	assert.Equal(t, 2, calls)

	failure(t, aten.Add_Tensor(noGrad, a, b, integer(1)))
	failure(t, aten.AddOut(noGrad, a, b, integer(1), a))
	_, st := aten.NativeBatchNorm(noGrad, a, 0, 0, b, b, true, 0.1, 1e-5)
	failure(t, st)
	assert.Equal(t, 2, calls, "what wrote to an argument is not called again")

	ok(t, aten.AddTensor(noGrad, a, a, integer(1)))
	assert.Equal(t, 2, calls)
}

func TestOperatorsOfOtherVersions(t *testing.T) {
	m := vec(t, []int64{2, 2}, 4, 0, 0, 9)
	old := strings.HasPrefix(cgotorch.Version(), "2.11.")
	root := aten.Cholesky(noGrad, m, false)
	res, st := aten.LinalgPolar(noGrad, m)
	if old {
		assert.Equal(t, []float32{2, 0, 0, 3}, values(t, ok(t, root)))
		e := failure(t, st)
		assert.Equal(t, cgotorch.KindMissing, e.Kind)
		assert.Equal(t, "operator linalg_polar is not in libtorch "+cgotorch.Version(), e.Message)
	} else {
		done(t, st)
		assert.InDeltaSlice(t, []float32{1, 0, 0, 1}, values(t, owned(t, res[0])), 1e-6)
		owned(t, res[1])
		assert.Equal(t, cgotorch.KindMissing, failure(t, root.Err).Kind)
	}

	// An argument that older versions lack is an error there only if it is used.
	q := vec(t, []int64{1, 1, 1, 1}, 1)
	for _, gqa := range []bool{false, true} {
		_, st = aten.UnderScaledDotProductAttentionMathForMps(noGrad, q, q, q, 0, 0, false, 0, nil, gqa)
		kind := cgotorch.KindNotImplemented // a Metal kernel
		if old && gqa {
			kind = cgotorch.KindMissing
		}
		assert.Equal(t, kind, failure(t, st).Kind)
	}
}

// C must not keep the address of a Go slice after the call, so that slices can stay on
// the stack.
func TestSlicesDoNotEscape(t *testing.T) {
	a := vec(t, []int64{2, 3}, 1, 2, 3, 4, 5, 6)
	out := vec(t, []int64{0})
	n := testing.AllocsPerRun(100, func() {
		dims := [1]int64{1}
		if aten.SumIntListOut(noGrad, a, dims[:], false, none, out) != 0 {
			panic("sum failed")
		}
		res, st := aten.MaxDim(noGrad, a, 1, false)
		if st != 0 {
			panic("max failed")
		}
		cgotorch.FreeMany(res[:])
	})
	assert.Zero(t, n)
	runtime.KeepAlive(out)
}
