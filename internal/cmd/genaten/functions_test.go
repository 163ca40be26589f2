package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The documentation and the call of a function are derived from its operator's arguments.
func TestFunctionsAreDocumented(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "functions.txt")
	table := `# A table.
package special
file pairs
# Some.

special_zeta              | float | complex | | the zeta function of input at other
special_zeta.other_scalar | float | complex | | the zeta function of input at a number
special_zeta.self_scalar  | float | complex | | the zeta function of a number
alias xlogy = xlogy
`
	require.NoError(t, os.WriteFile(path, []byte(table), 0o600))
	pkgs, err := readFunctions(path, ops)
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	assert.Equal(t, "special", pkgs[0].name)
	var b bytes.Buffer
	for _, m := range pkgs[0].files[0].methods {
		m.writeFunction(&b)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "//", "")), " ")
	for _, part := range []string{
		"Zeta returns the zeta function of input at other. Shapes broadcast and dtypes are promoted; integers and " +
			"bools become the default float type. " +
			"It panics with ErrShape if the shapes do not broadcast, with ErrDevice if the tensors are on different " +
			"devices, and with ErrDType for complex numbers. Follows torch.special.zeta.",
		`func Zeta(input, other *torch.Tensor) *torch.Tensor { return operand.Binary("special.Zeta(input, other)", aten.SpecialZeta, input, other) }`,
		"ZetaScalar returns the zeta function of input at a number. The result has input's shape,",
		`return operand.WithNumber("special.ZetaScalar(input)", aten.SpecialZetaOtherScalar, input, "other", other) }`,
		"ScalarZeta returns the zeta function of a number. The result has other's shape,",
		"with ErrType if input is not a number,",
		`return operand.NumberWith("special.ScalarZeta(other)", aten.SpecialZetaSelfScalar, "input", input, other) }`,
	} {
		assert.Contains(t, text, part)
	}
	methods, err := readMethods("methods.txt", ops)
	require.NoError(t, err)
	assert.ErrorContains(t, writeDelegate(&b, methods, "special", "f", "nothing"), "has no nothing")

	require.NoError(t, os.WriteFile(path, []byte("package special\nfile one\nnothing | float | | | x\n"), 0o600))
	_, err = readFunctions(path, ops)
	assert.ErrorContains(t, err, "package special: ")
	_, err = readFunctions(path+"x", ops)
	assert.Error(t, err)
}
