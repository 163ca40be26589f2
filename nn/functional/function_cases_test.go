package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
)

// A function describes a function of the package that has its own test file. The
// functions without their own test file are in the tables of calls, members and errors.
type function struct {
	name    string
	cases   []compared
	options func() member // nil if the function has no options
	bad     []badCall
}

// A compared call must give the same result and gradients as a Python function.
type compared struct {
	python string // Python code of a function of the inputs
	in     []input
	call   func(x in) *torch.Tensor
}

// An input describes a tensor, as in JSON: a shape, a dtype and the elements. Without
// elements in the list, they are random.
type input []any

func floats(shape ...int64) input { return input{shape, "float32"} }

// A badCall must panic with an error that has the given kind and contains the text.
type badCall struct {
	kind error
	text string
	fn   func()
}

var functions []function

// addFunction adds f to functions. It returns a value so that a var declaration of the
// package can call it.
func addFunction(f function) bool {
	functions = append(functions, f)
	return true
}

func TestOwnFunctions(t *testing.T) {
	rows, calls := map[string]any{}, map[string]func(x in) *torch.Tensor{}
	for _, f := range functions {
		assert.NotEmpty(t, f.cases, f.name)
		for _, c := range f.cases {
			rows[c.python] = map[string]any{"python": c.python, "in": c.in}
			calls[c.python] = c.call
		}
	}
	for name, c := range pythontest.Goldens[golden](t, "testdata/functions.json", rows, "testdata/make_functions.py") {
		t.Run(name, func(t *testing.T) { scoped(t, func() { check(t, &c, calls[name]) }) })
	}
	for _, f := range functions {
		for _, b := range f.bad {
			scoped(t, func() {
				err := torch.Try(b.fn)
				assert.ErrorIs(t, err, b.kind, f.name)
				assert.ErrorContains(t, err, b.text)
			})
		}
	}
}
