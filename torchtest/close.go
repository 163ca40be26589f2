package torchtest

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// AllClose checks that got has the shape and dtype of want and that their elements
// are close. It returns whether they are. The tensors may be on any device. An
// element is close if |got - want| <= atol + rtol*|want|. The defaults of [RTol] and
// [ATol] depend on the dtype. If the dtypes differ, the larger tolerance is used:
//
//	float16 1e-3, 1e-5    bfloat16 1.6e-2, 1e-5    float32 1.3e-6, 1e-5
//	float64 1e-7, 1e-7    (rtol, atol; complex as its parts)    others 0, 0
//
// RTol(0) and ATol(0) together require equality. AllClose panics with torch.ErrValue
// for a negative tolerance and with torch.ErrNil for a nil option. In PyTorch:
// torch.testing.assert_close.
func AllClose(t testing.TB, want, got *torch.Tensor, opts ...CloseOption) bool {
	t.Helper()
	problem := differenceFor("AllClose", want, got, opts)
	if problem != "" {
		t.Errorf("tensors are not close: %s", problem)
	}
	return problem == ""
}

// Difference returns the report of [AllClose], or "" if the tensors are close. Use it
// in tests with their own message. It panics as AllClose does.
func Difference(want, got *torch.Tensor, opts ...CloseOption) string {
	return differenceFor("Difference", want, got, opts)
}

func differenceFor(op string, want, got *torch.Tensor, opts []CloseOption) (problem string) {
	tol := readCloseness(op, opts)
	if err := torch.Try(func() { torch.Scope(func() { problem = difference(want, got, tol) }) }); err != nil {
		return err.Error()
	}
	return problem
}

// difference describes how the tensors differ, or returns "".
func difference(want, got *torch.Tensor, tol closeness) string {
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil || got == nil:
		return fmt.Sprintf("want %s, got %s", presence(want), presence(got))
	case !want.Shape().Equal(got.Shape()):
		return fmt.Sprintf("want shape %v, got %v", want.Shape(), got.Shape())
	case want.DType() != got.DType() && !tol.ignoreDType:
		return fmt.Sprintf("want dtype %v, got %v", want.DType(), got.DType())
	}
	rtol, atol := defaultTolerance(want.DType())
	r, a := defaultTolerance(got.DType())
	if tol.RTol < 0 {
		tol.RTol = max(rtol, r)
	}
	if tol.ATol < 0 {
		tol.ATol = max(atol, a)
	}
	if isWhole(want) && isWhole(got) && tol.RTol == 0 && tol.ATol == 0 {
		return compareInts(want.Int64s(), got.Int64s(), want.Shape())
	}
	return compareFloats(want.Complex128s(), got.Complex128s(), want.Shape(), tol)
}

func presence(t *torch.Tensor) string {
	if t == nil {
		return "a nil tensor"
	}
	return fmt.Sprintf("a %v tensor of shape %v", t.DType(), t.Shape())
}

func isWhole(t *torch.Tensor) bool { return t.DType().IsInteger() || t.DType() == torch.Bool }

func defaultTolerance(d torch.DType) (rtol, atol float64) {
	switch d {
	case torch.Float16, torch.Complex32:
		return 1e-3, 1e-5
	case torch.BFloat16:
		return 1.6e-2, 1e-5
	case torch.Float32, torch.Complex64:
		return 1.3e-6, 1e-5
	case torch.Float64, torch.Complex128:
		return 1e-7, 1e-7
	default:
		return 0, 0
	}
}

func compareInts(want, got []int64, shape torch.Shape) string {
	bad, first := 0, -1
	for i := range want {
		if want[i] != got[i] {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%s differ, the first at %s: want %d, got %d", share(bad, len(want)), place(first, shape),
		want[first], got[first])
}

func compareFloats(want, got []complex128, shape torch.Shape, tol closeness) string {
	bad, first := 0, -1
	worstAbs, worstRel := worst{}, worst{}
	largest := 0.0
	if tol.OfLargest {
		largest = largestFinite(want)
	}
	for i, w := range want {
		g := got[i]
		if w == g || tol.EqualNaN && isNaN(w) && isNaN(g) {
			continue
		}
		diff := cmplx.Abs(g - w)
		if diff <= tol.ATol+tol.RTol*max(cmplx.Abs(w), largest) && !cmplx.IsInf(w) {
			continue
		}
		if bad++; first < 0 {
			first = i
		}
		worstAbs.see(diff, i)
		worstRel.see(diff/cmplx.Abs(w), i)
	}
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%s differ\n\tfirst at %s: want %s, got %s\n\tlargest absolute difference %.6g at %s (allowed "+
		"%g)\n\tlargest relative difference %.6g at %s (allowed %g)",
		share(bad, len(want)), place(first, shape), element(want[first]), element(got[first]),
		worstAbs.value, place(worstAbs.at, shape), tol.ATol, worstRel.value, place(worstRel.at, shape), tol.RTol)
}

func largestFinite(values []complex128) (largest float64) {
	for _, v := range values {
		if a := cmplx.Abs(v); a > largest && !math.IsInf(a, 0) {
			largest = a
		}
	}
	return largest
}

// isNaN reports whether either part is NaN, even if the other part is infinite, in which
// case cmplx.IsNaN returns false.
func isNaN(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }

// worst is the largest difference found so far. NaN counts as the largest.
type worst struct {
	value float64
	at    int
}

func (w *worst) see(v float64, at int) {
	if v > w.value || math.IsNaN(v) && !math.IsNaN(w.value) {
		w.value, w.at = v, at
	}
}

func share(bad, all int) string {
	return fmt.Sprintf("%d of %d elements (%.3g%%)", bad, all, 100*float64(bad)/float64(all))
}

func element(c complex128) string {
	if imag(c) == 0 {
		return fmt.Sprint(real(c))
	}
	return fmt.Sprint(c)
}

// place returns the index of element i, counted in row-major order, as a tuple.
func place(i int, shape torch.Shape) string {
	at := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = fmt.Sprint(int64(i) % shape[d])
		i = int(int64(i) / shape[d])
	}
	return "(" + strings.Join(at, ", ") + ")"
}
