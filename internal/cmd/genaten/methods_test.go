package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parsed parses one line of methods.txt. It knows only the few operators listed here.
func parsed(t *testing.T, line string) (*method, error) {
	t.Helper()
	const both = "2.11.0,2.15.0"
	ops, _ := model(t, map[string]string{
		"exp(Tensor self) -> Tensor":                                  both,
		"exp_(Tensor(a!) self) -> Tensor(a!)":                         both,
		"real(Tensor(a) self) -> Tensor(a)":                           both,
		"eq.Scalar(Tensor self, Scalar other) -> Tensor":              both,
		"relu(Tensor self) -> Tensor":                                 both,
		"mul.Tensor(Tensor self, Tensor other) -> Tensor":             both,
		"mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)":    both,
		"mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)":    both,
		"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor":       both,
		"named(Tensor self, Dimname d) -> Tensor":                     both,
		"frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor expo)": both,
	})
	return parseMethod(line, "", ops)
}

func TestMethodsAreDocumented(t *testing.T) {
	for line, want := range map[string][2]string{
		`exp | float | complex | in | e to the power of t`: {
			"Exp returns e to the power of t. The result has t's shape and dtype; integers and bools become the " +
				"default float type. " +
				"It panics with ErrDType for complex numbers. Follows torch.exp.",
			"Exp_ is the in-place form of Exp. It modifies t, which keeps its shape and dtype, and returns t. It " +
				"panics as Exp does, with ErrDType if " +
				"the result does not fit t's dtype, and with ErrAutograd for a leaf that requires gradients, " +
				"outside NoGrad. Follows Tensor.exp_.",
		},
		`real | real | | plain | the real parts | ErrRuntime on Sundays`: {
			"Real returns the real parts. The result is a view of t. It panics with ErrRuntime on Sundays. Follows " +
				"torch.real.",
		},
		`eq.Scalar | bool | | | where t is other \| nothing`: {
			"EqScalar is true where t is other | nothing. The result has t's shape and dtype Bool. " +
				"It panics with ErrType if other is not a number, and with ErrValue if it is out of range. Follows " +
				"torch.eq.",
		},
		`relu | keep | bool int complex | F py=relu_ | max(t, 0)`: {
			"ReLU returns max(t, 0). The result has t's shape and dtype. It panics with ErrDType for bools, " +
				"integers and complex numbers. " +
				"Follows torch.nn.functional.relu_.",
		},
	} {
		m, err := parsed(t, line)
		require.NoError(t, err)
		assert.Equal(t, want[0], m.doc(m.form(m.op)))
		if m.twin != nil {
			assert.Equal(t, want[1], m.inPlaceDoc(m.form(m.op)))
		}
	}
}

func TestInPlaceTwinHasTheSameArguments(t *testing.T) {
	m, err := parsed(t, "mul.Tensor | keep | | in hot | t * other")
	require.NoError(t, err)
	assert.Equal(t, "mul_.Tensor", m.twin.Name())
	assert.Equal(t, "Mul_", m.methodName(m.twin))
}

func TestMistakesInTheTableOfMethods(t *testing.T) {
	for line, want := range map[string]string{
		"exp | float | |":                   "4 columns",
		"expo | float | | | x":              "no operator expo",
		"named | float | | | x":             "no operator named",
		"exp | floats | | | x":              "no dtype rule floats",
		"exp | float | bools | | x":         "no kind of dtype bools",
		"exp | float | | out | x":           "no flag out",
		"relu | keep | | in | x":            "no in-place form",
		"sum | keep | | | x":                "fits none of the forms",
		"frexp.Tensor | keep | | | x":       "fits none of the forms",
		"exp | float | | | x | errors | so": "7 columns",
	} {
		_, err := parsed(t, line)
		assert.ErrorContains(t, err, want, line)
	}
	path := filepath.Join(t.TempDir(), "methods.txt")
	require.NoError(t, os.WriteFile(path, []byte("# A line too early.\n\nexp | float | | | x\n"), 0o600))
	_, err := readMethods(path, nil)
	assert.ErrorContains(t, err, "methods.txt:3: ")
	_, err = readMethods(path+"x", nil)
	assert.Error(t, err)
}

// The table of methods rejects aliases, because package torch has only one method for
// each operator.
func TestMethodsHaveOneName(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "methods.txt")
	require.NoError(t, os.WriteFile(path, []byte("file one\nalias absolute = abs\n"), 0o600))
	_, err = readMethods(path, ops)
	assert.ErrorContains(t, err, "methods.txt:2: second name of an operator, which package torch does not allow")
}

// The comment of every generated method names the function of PyTorch that it follows.
// The comment of an in-place form also refers to the method that documents its errors.
func TestGeneratedMethodsSayEverything(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	files, err := readMethods("methods.txt", ops)
	require.NoError(t, err)
	methods, n := exported(t, "torch", "Tensor"), 0
	say := func(name, part string) {
		n++
		text := strings.Join(strings.Fields(methods[name].Doc.Text()), " ")
		assert.Contains(t, text, part, name)
		assert.Contains(t, text, "Follows ", name)
	}
	for _, f := range files {
		for _, m := range f.methods {
			name := m.methodName(m.op)
			say(name, name+" ")
			if m.twin != nil {
				say(m.methodName(m.twin), "is the in-place form of "+name+". It modifies t, which keeps its shape "+
					"and dtype, and returns t. It panics as "+name+" does")
			}
		}
	}
	assert.Greater(t, n, 150)
}
