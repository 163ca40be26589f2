package aten_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// A program can convert any integer to a DType, Layout or Device. libtorch does not check
// these values: it divides by the element size, and asserts that the CPU has no index.
func TestNumbersThatNameNothing(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		undefined := 48 // the number after that of the last dtype
		if strings.HasPrefix(torch.Version(), "2.11.") {
			undefined = 47
		}
		kinds := map[string]error{
			"dtype": torch.ErrDType, "layout": torch.ErrValue, "memory format": torch.ErrValue,
			"device": torch.ErrDevice,
		}
		for text, calls := range map[string][]func(n int){
			"dtype": {
				func(n int) { aten.Zeros([]int64{2}, torch.DType(n), 0, nil, nil) },
				func(n int) { aten.ToDType(x, torch.DType(n), false, false, 0) },
				func(n int) { aten.SumDimIntList(x, nil, false, torch.DType(n)) },
				func(n int) { aten.PromoteTypes(torch.DType(n), torch.Float32) },
			},
			"layout":        {func(n int) { aten.Zeros([]int64{2}, 0, torch.Layout(n), nil, nil) }},
			"memory format": {func(n int) { aten.EmptyLike(x, 0, 0, nil, nil, torch.MemoryFormat(n)) }},
		} {
			for i, call := range calls {
				for _, n := range []int{-128, -5, -1, undefined, 100, 127} {
					err := torch.Try(func() { call(n) })
					assert.ErrorIs(t, err, kinds[text], "%s %d, call %d", text, n, i)
					assert.ErrorContains(t, err, "unknown "+text+" number")
				}
			}
		}
		for _, d := range []torch.Device{-5, -1, 2, 3, 200, 4096, 1 << 30} {
			for _, call := range []func(){
				func() { aten.Zeros([]int64{2}, 0, 0, &d, nil) },
				func() { aten.ToDevice(x, d, torch.Float32, false, false, 0) },
			} {
				err := torch.Try(call)
				assert.ErrorIs(t, err, kinds["device"], "%d", int32(d))
				assert.ErrorContains(t, err, d.String()+" is no device")
			}
		}
	})
}

// Operators with a string argument read its first letter before they check its length.
func TestEmptyStrings(t *testing.T) {
	torch.Scope(func() {
		x := torch.Eye(2)
		i := torch.Zeros(torch.Shape{2, 2}, torch.Int64)
		empty := ""
		for name, call := range map[string]func(){
			"LinalgEigh":             func() { aten.LinalgEigh(x, "") },
			"LinalgEigvalsh":         func() { aten.LinalgEigvalsh(x, "") },
			"LinalgQR":               func() { aten.LinalgQR(x, "") },
			"LinalgCondPStr":         func() { aten.LinalgCondPStr(x, "") },
			"LinalgNormOrdStr":       func() { aten.LinalgNormOrdStr(x, "", nil, false, 0) },
			"LinalgMatrixNormStrOrd": func() { aten.LinalgMatrixNormStrOrd(x, "", []int64{-2, -1}, false, 0) },
			"ScatterReduce":          func() { aten.ScatterReduce(x, 0, i, x, "") },
			"IndexReduce":            func() { aten.IndexReduce(x, 0, i.Select(0, 0), x, "", true) },
			"MeshgridIndexing":       func() { aten.MeshgridIndexing([]*torch.Tensor{x.Select(0, 0)}, "") },
			"Pad":                    func() { aten.Pad(x, []int64{1, 1}, "", nil) },
			"GELU":                   func() { aten.GELU(x, "") },
			"Einsum":                 func() { aten.Einsum("", nil, nil) },
			"DivTensorMode":          func() { aten.DivTensorMode(x, x, &empty) },
			"SearchSortedTensor":     func() { aten.SearchSortedTensor(x, x, false, false, &empty, nil) },
		} {
			assert.Error(t, torch.Try(call), name)
		}
	})
}

// IsConj and IsNeg ask the tensor itself. Through the dispatcher, a pending conjugate or
// negation would be computed first if autograd is skipped.
func TestPendingBits(t *testing.T) {
	check := func() {
		torch.Scope(func() {
			z := torch.FromSlice([]complex64{1 + 2i})
			c := z.Conj()
			assert.True(t, c.IsConj())
			assert.True(t, aten.IsConj(c))
			assert.False(t, aten.IsConj(z))
			assert.False(t, c.ResolveConj().IsConj())
			assert.True(t, aten.IsNeg(aten.Imag(c)))
			assert.False(t, aten.IsNeg(aten.Imag(z)))
		})
	}
	check()
	torch.NoGrad(check)
	torch.InferenceMode(check)
}
