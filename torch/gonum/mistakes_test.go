package gonum_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/gonum"
	"github.com/gotorch/gotorch/torchtest"
)

// calls has all functions. Each is called with nil, and with tensors that are invalid for
// some or all functions.
var calls = map[string]func(x *torch.Tensor){
	"ToDense":      func(x *torch.Tensor) { gonum.ToDense(x) },
	"ToVecDense":   func(x *torch.Tensor) { gonum.ToVecDense(x) },
	"ToSymDense":   func(x *torch.Tensor) { gonum.ToSymDense(x) },
	"ToTriDense":   func(x *torch.Tensor) { gonum.ToTriDense(x, mat.Upper) },
	"ToCDense":     func(x *torch.Tensor) { gonum.ToCDense(x) },
	"ViewDense":    func(x *torch.Tensor) { _ = gonum.ViewDense(x, func(*mat.Dense) error { return nil }) },
	"ViewVecDense": func(x *torch.Tensor) { _ = gonum.ViewVecDense(x, func(*mat.VecDense) error { return nil }) },
	"ViewCDense":   func(x *torch.Tensor) { _ = gonum.ViewCDense(x, func(*mat.CDense) error { return nil }) },
	"ViewMatrix":   func(x *torch.Tensor) { _ = gonum.ViewMatrix(x, func(mat.Matrix) error { return nil }) },

	"FromMatrix":         func(*torch.Tensor) { gonum.FromMatrix((*mat.SymDense)(nil)) },
	"FromVector":         func(*torch.Tensor) { gonum.FromVector(nil) },
	"FromCMatrix":        func(*torch.Tensor) { gonum.FromCMatrix((*mat.CDense)(nil)) },
	"FromDenseShared":    func(*torch.Tensor) { gonum.FromDenseShared(nil) },
	"FromVecDenseShared": func(*torch.Tensor) { gonum.FromVecDenseShared(nil) },
	"FromCDenseShared":   func(*torch.Tensor) { gonum.FromCDenseShared(nil) },
}

// Each mistake gives its own kind of error, which names the function and the argument.
// Nothing leaks.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Zeros(nil)
		require.NoError(t, closed.Close())
		square := torch.Eye(3, torch.Float64)
		for name, c := range map[string]struct {
			x    *torch.Tensor
			kind error
		}{
			"nil":       {nil, torch.ErrNil},
			"closed":    {closed, torch.ErrClosed},
			"number":    {torch.FromSlice([]float64{1}).Squeeze(), torch.ErrShape},
			"cube":      {torch.Zeros(torch.Shape{2, 2, 2}, torch.Float64), torch.ErrShape},
			"gradients": {torch.Zeros(torch.Shape{2, 2}, torch.Float64, torch.RequiresGrad(true)), torch.ErrAutograd},
			"sparse":    {square.ToSparse(), torch.ErrValue},
			"meta":      {torch.Empty(torch.Shape{2, 2}, torch.Meta, torch.Float64), torch.ErrDevice},
		} {
			for fn, call := range calls {
				err := torch.Try(func() { call(c.x) })
				want, arg := c.kind, "x"
				if strings.HasPrefix(fn, "From") {
					want, arg = torch.ErrNil, "a nil matrix"
				}
				require.ErrorIs(t, err, want, "%s %s", fn, name)
				assert.ErrorContains(t, err, arg, "%s %s", fn, name)
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, "gonum."+fn, e.Op, name)
			}
		}
	})
}

// Some mistakes can only be made with some of the functions.
func TestOwnMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		f := torch.Arange(0, 6, 1, torch.Float64).View(2, 3)
		square := f.Narrow(1, 0, 2)
		c := torch.Ones(torch.Shape{2, 2}, torch.Complex128)
		for _, w := range []struct {
			fn   string
			x    *torch.Tensor
			kind error
			text string
		}{
			{"ToDense", f.To(torch.Int64), torch.ErrDType, "got int64"},
			{"ToDense", f.To(torch.Bool), torch.ErrDType, "got bool"},
			{"ToDense", c, torch.ErrDType, "got complex128"},
			{"ToCDense", f, torch.ErrDType, "expected complex numbers, got float64"},
			{"ToDense", torch.Empty(torch.Shape{0, 3}), torch.ErrShape, "does not support matrices of shape (0, 3)"},
			{"ToCDense", torch.Empty(torch.Shape{3, 0}, torch.Complex64), torch.ErrShape, "(3, 0)"},
			{"ToVecDense", f, torch.ErrShape, "expected 1 dimensions"},
			{"ToSymDense", f, torch.ErrShape, "square"},
			{"ToTriDense", f, torch.ErrShape, "square"},
			{"ToSymDense", square, torch.ErrValue, "not symmetric: 3 at (1, 0) and 1 at (0, 1)"},
			{"ToTriDense", square, torch.ErrValue, "not triangular: 3 at (1, 0)"},
			{"ViewDense", f.To(torch.Float32), torch.ErrDType, "expected float64, got float32"},
			{"ViewCDense", c.To(torch.Complex64), torch.ErrDType, "expected complex128"},
			{"ViewVecDense", f.To(torch.Float32).Select(0, 0), torch.ErrDType, "expected float64"},
			{"ViewMatrix", f.To(torch.Float16), torch.ErrDType, "expected float64"},
			{"ViewDense", f.T(), torch.ErrValue, "strides of 1 and 3"},
			{"ViewDense", f.Narrow(0, 0, 1).Expand(2, 3), torch.ErrValue, "strides of 0 and 1"},
			{"ViewDense", f.AsStrided([]int64{2, 3}, []int64{2, 1}, 0), torch.ErrValue, "strides of 2 and 1"},
			{"ViewVecDense", f.Select(0, 0).Narrow(0, 0, 1).Expand(3), torch.ErrValue, "the same memory location"},
			{"ViewCDense", c.Conj(), torch.ErrValue, "ResolveConj"},
			{"ViewMatrix", c.Conj().Imag(), torch.ErrValue, "ResolveNeg"},
			{"ViewMatrix", c.To(torch.Complex64).Conj().Imag(), torch.ErrValue, "ResolveNeg"},
		} {
			err := torch.Try(func() { calls[w.fn](w.x) })
			require.ErrorIs(t, err, w.kind, "%s %s", w.fn, w.text)
			assert.ErrorContains(t, err, w.text, w.fn)
			assert.ErrorContains(t, err, "gonum."+w.fn)
		}
		assert.ErrorContains(t, torch.Try(func() { gonum.ToTriDense(square, mat.Lower) }),
			"not triangular: 1 at (0, 1)")
		for name, call := range map[string]func(){
			"ViewDense":    func() { _ = gonum.ViewDense(f, nil) },
			"ViewVecDense": func() { _ = gonum.ViewVecDense(f, nil) },
			"ViewCDense":   func() { _ = gonum.ViewCDense(f, nil) },
			"ViewMatrix":   func() { _ = gonum.ViewMatrix(f.To(torch.Float32), nil) },
		} {
			err := torch.Try(call)
			require.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "fn")
		}
		huge := torch.Zeros(torch.Shape{1, 1}).Expand(1<<24, 1<<24)
		require.ErrorIs(t, torch.Try(func() { gonum.ToDense(huge) }), torch.ErrOutOfMemory)
		require.NoError(t, gonum.ViewMatrix(huge, func(m mat.Matrix) error {
			if m.At(1<<24-1, 5) != 0 {
				return errors.New("no zero")
			}
			return nil
		}), "an expanded one needs no memory")
	})
}

// The table calls has every function of the package.
func TestTable(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
				found[fn.Name.Name] = true
				assert.Contains(t, calls, fn.Name.Name, fmt.Sprint("no row for ", fn.Name.Name))
			}
		}
	}
	assert.Len(t, calls, len(found))
}
