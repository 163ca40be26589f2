package aten_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

func operator(t testing.TB, name string) aten.Operator {
	t.Helper()
	for _, op := range aten.Operators() {
		if op.Name == name {
			return op
		}
	}
	require.Failf(t, "no such operator", name)
	return aten.Operator{}
}

// Each operator of the table must be in libtorch's dispatcher with the table's schema,
// unless the generator knows that this version of libtorch lacks it.
func TestTableMatchesDispatcher(t *testing.T) {
	listing, err := os.ReadFile("../../internal/cmd/genaten/operators.txt")
	require.NoError(t, err)
	version := cgotorch.Version()
	has, versions := map[string]bool{}, ""
	for line := range strings.Lines(string(listing)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) == 2 && f[0] == "versions" {
			versions = f[1]
		}
		if len(f) == 3 {
			name, _, _ := strings.Cut(f[2], "(")
			has[name] = has[name] || f[0] == "*" || strings.Contains(","+f[0]+",", ","+version+",")
		}
	}
	if !strings.Contains(","+versions+",", ","+version+",") {
		t.Skip("the generator has not read libtorch " + version)
	}
	typed := 0
	for i, op := range aten.Operators() {
		require.Equal(t, i, op.Number)
		st := op.Installed()
		if !has[op.Name] {
			e := failure(t, st)
			assert.Equal(t, cgotorch.KindMissing, e.Kind)
			assert.Equal(t, "operator "+op.Name+" is not in libtorch "+version, e.Message)
			continue
		}
		if st != 0 {
			assert.Failf(t, op.Name, failure(t, st).Message)
		}
		if op.HasTyped {
			typed++
		}
	}
	assert.Greater(t, typed, 100)
	assert.Less(t, typed, len(has)/2)
}

// Some kinds of arguments and results occur only in operators that have no C++ function
// of their own.
func TestKindsThatOnlyBoxedCallsHave(t *testing.T) {
	m := vec(t, []int64{2, 2}, 1, 2, 3, 4)
	rows := longs(t, []int64{3}, 1, 0, 1)
	t.Run("Tensor?[]", func(t *testing.T) {
		assert.Equal(t, []float32{2, 1, 2, 4, 3, 4}, values(t,
			ok(t, aten.IndexTensor(noGrad, m, []abi.Tensor{0, rows}))))
		assert.Equal(t, []float32{3, 4, 1, 2, 3, 4}, values(t,
			ok(t, aten.UnderUnsafeIndexTensor(noGrad, m, []abi.Tensor{rows, 0}))))
	})
	t.Run("Scalar[]", func(t *testing.T) {
		a := []abi.Tensor{vec(t, []int64{2}, 1, 2), vec(t, []int64{1}, 3)}
		done(t, aten.UnderForeachMul_ScalarList(noGrad, a, []abi.Scalar{float(0.5), integer(2)}))
		assert.Equal(t, []float32{0.5, 1}, values(t, a[0]))
		assert.Equal(t, []float32{6}, values(t, a[1]))
		more, st := aten.UnderForeachSubScalarList(noGrad, a, []abi.Scalar{integer(1), {Kind: abi.ScalarBool, I: 1}})
		failure(t, st) // sub fails, because the last scalar of the list is a bool
		assert.Empty(t, more)
		more, st = aten.UnderForeachAddScalarList(noGrad, a,
			[]abi.Scalar{{Kind: abi.ScalarComplex, D: 1, Im: 2}, integer(1)})
		done(t, st)
		assert.EqualValues(t, 9, cgotorch.DType(owned(t, more[0])), "complex64")
		assert.Equal(t, []float32{7}, values(t, owned(t, more[1])))
	})
	t.Run("bool[N]", func(t *testing.T) {
		x, g := vec(t, []int64{2, 2}, 1, 2, 3, 5), vec(t, []int64{2, 2}, 1, 0, 0, 1)
		mean, rstd := vec(t, []int64{2, 1}, 1.5, 4), vec(t, []int64{2, 1}, 2, 1)
		for _, mask := range [][3]bool{{true, false, true}, {false, true, false}} {
			res, st := aten.NativeLayerNormBackward(noGrad, g, x, []int64{2}, mean, rstd, vec(t, []int64{2}, 1, 1),
				vec(t, []int64{2}, 0, 0), mask)
			done(t, st)
			for i, on := range mask {
				assert.Equal(t, on, res[i] != 0)
				owned(t, res[i])
			}
		}
	})
	t.Run("Device", func(t *testing.T) {
		for _, device := range []int32{0, 14 << 8} {
			x := ok(t, aten.ToDevice(noGrad, m, device, float64Type, false, false, none))
			assert.EqualValues(t, device>>8, cgotorch.TensorInfo(x).Device>>8)
			assert.EqualValues(t, float64Type, cgotorch.DType(x))
		}
		assert.Contains(t, failure(t, aten.ToDevice(noGrad, m, none, float64Type, false, false, none).Err).Message,
			"expected a device")
	})
	t.Run("string", func(t *testing.T) {
		n, d := vec(t, []int64{2}, 7, -7), vec(t, []int64{2}, 2, 2)
		op := operator(t, "div.Tensor_mode")
		for mode, want := range map[string][]float32{"floor": {3, -4}, "trunc": {3, -3}} {
			var got [1]uint64
			word := uint64(0)
			for i := range mode {
				word |= uint64(mode[i]) << (8 * i)
			}
			done(t, op.Call(noGrad, []uint64{uint64(n), uint64(d), uint64(len(mode)), word}, got[:]))
			assert.Equal(t, want, values(t, owned(t, abi.Tensor(got[0]))))
		}
	})
}

// This kernel assigns a different tensor to the tensor that it should write to. The value
// must reach the caller's tensor, and neither tensor may leak.
func TestKernelThatReplacesItsResult(t *testing.T) {
	for _, cx := range []abi.Ctx{0, abi.CtxNoGrad, abi.CtxInference} {
		a, b := vec(t, []int64{2}, 1, -5), vec(t, []int64{2}, 2, 2)
		out := ok(t, aten.Zeros(cx, []int64{2}, float64Type, none, none, nil))
		for range 3 {
			done(t, aten.UnderAddReluOut(cx, a, b, integer(2), out))
			assert.Equal(t, []float32{5, 0}, values(t, out))
			assert.EqualValues(t, float64Type, cgotorch.DType(out))
			assert.EqualValues(t, 1, uses(t, out))
		}
		small := ok(t, aten.Zeros(cx, []int64{0}, float64Type, none, none, nil))
		done(t, aten.UnderAddReluOut(cx, a, b, integer(1), small))
		assert.Equal(t, []float32{3, 0}, values(t, small))
	}
}

func TestStringsWithoutCharacters(t *testing.T) {
	m := vec(t, []int64{2, 2}, 2, 0, 0, 1)
	for _, st := range []func() abi.Status{
		func() abi.Status { _, st := aten.LinalgEigh(noGrad, m, ""); return st },
		func() abi.Status { return aten.LinalgEigvalsh(noGrad, m, "").Err },
		func() abi.Status { _, st := aten.LinalgQr(noGrad, m, ""); return st },
		func() abi.Status { return aten.DivTensorMode(noGrad, m, m, new("")).Err },
		func() abi.Status { return aten.DivScalarMode(noGrad, m, integer(2), new("")).Err },
		func() abi.Status { return aten.Einsum(noGrad, "", []abi.Tensor{m}, nil).Err },
	} {
		failure(t, st())
	}
}

// Only the numbers of valid dtypes are accepted as a dtype.
func TestNumbersOfDTypes(t *testing.T) {
	zeros, like := operator(t, "zeros"), ok(t, aten.Ones(noGrad, []int64{2}, none, none, none, nil))
	for number := -1; number < 128; number++ {
		typed := aten.Zeros(noGrad, []int64{2}, int8(number), none, none, nil)
		var got [1]uint64
		words := []uint64{1, 2, uint64(int64(number)), math.MaxUint64, math.MaxUint64, 0, 0}
		boxed := zeros.Call(noGrad, words, got[:])
		assert.Equal(t, typed.Err == 0, boxed == 0, number)
		for _, r := range []abi.Ret{
			typed,
			{T: abi.Tensor(got[0]), Err: boxed},
			aten.EmptyLike(noGrad, like, int8(number), none, none, nil, none),
		} {
			if r.Err != 0 {
				failure(t, r.Err)
			} else {
				assert.NotZero(t, cgotorch.TensorInfo(owned(t, r.T)).Numel)
			}
		}
	}
}

// The words of a call without long lists stay on the stack.
func TestBoxedCallsDoNotEscape(t *testing.T) {
	a, b := vec(t, []int64{2, 3}, 1, 2, 3, 4, 5, 6), vec(t, []int64{2, 3}, 1, 2, 3, 4, 5, 6)
	mul := operator(t, "mul.Tensor")
	for name, call := range map[string]func() abi.Ret{
		"tensors":  func() abi.Ret { return aten.FmodTensor(noGrad, a, b) },
		"a scalar": func() abi.Ret { return aten.RsubScalar(noGrad, a, integer(1), integer(2)) },
		"a list":   func() abi.Ret { return aten.SumToSize(noGrad, a, []int64{2, 1}) },
		"two lists": func() abi.Ret {
			return aten.AsStridedCopy(noGrad, a, []int64{2, 2}, []int64{3, 1}, nil)
		},
		"None": func() abi.Ret { return aten.ViewCopyDtype(noGrad, a, 3) },
		"words": func() abi.Ret {
			var got [1]uint64
			words := [2]uint64{uint64(a), uint64(b)}
			st := mul.Call(noGrad, words[:], got[:])
			return abi.Ret{T: abi.Tensor(got[0]), Err: st}
		},
	} {
		n := testing.AllocsPerRun(100, func() {
			r := call()
			if r.Err != 0 {
				panic(cgotorch.TakeError(r.Err).Message)
			}
			cgotorch.Free(r.T)
		})
		assert.Zero(t, n, name)
	}
}

// A call with too few or too many words must fail. The check finds generated code that
// does not match the generated table.
func TestWordsThatDoNotFit(t *testing.T) {
	a := vec(t, []int64{1}, 1)
	mul, sum := operator(t, "mul.Tensor"), operator(t, "sum.dim_IntList")
	var got [1]uint64
	for _, words := range [][]uint64{nil, {uint64(a)}, {uint64(a), uint64(a), 0}} {
		assert.Contains(t, failure(t, mul.Call(noGrad, words, got[:])).Message, "words")
	}
	for _, n := range []uint64{2, 100, 1 << 40, 1 << 62} {
		assert.Contains(t, failure(t, sum.Call(noGrad, []uint64{uint64(a), n, 0}, got[:])).Message, "words")
	}
	assert.Zero(t, got[0])
}

// A call that fails must leak neither tensors nor other values.
func TestBoxedErrors(t *testing.T) {
	a, b := vec(t, []int64{2}, 1, 2), vec(t, []int64{3}, 1, 2, 3)
	for range 3 {
		failure(t, aten.FmodTensor(noGrad, a, b).Err)
		failure(t, aten.FmodTensorOut(noGrad, a, b, a))
		failure(t, aten.FmodTensorOut(noGrad, a, a, 0))
		_, st := aten.UnderForeachAddScalarList(noGrad, []abi.Tensor{a, b}, []abi.Scalar{integer(1)})
		failure(t, st)
		_, _, st = aten.Histogramdd(noGrad, a, []int64{1, 2}, nil, 0, false)
		failure(t, st)
	}
	assert.EqualValues(t, 1, uses(t, a))
	assert.EqualValues(t, 1, uses(t, b))
	require.Equal(t, []float32{0, 0}, values(t, ok(t, aten.FmodTensor(noGrad, a, a))))
}
