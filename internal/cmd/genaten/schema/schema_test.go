package schema

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	f, err := Parse(
		`conv2d.padding(Tensor input, Tensor? bias=None, SymInt[2] stride=1, str padding="val,id", *, ScalarType? dtype=None, Tensor(a!)[] out, Tensor?[] idx, int[2]? d=[1,0], float[]? s=None) -> (Tensor(a!) x, int, Tensor[])`)
	require.NoError(t, err)
	assert.Equal(t, "conv2d", f.Root)
	assert.Equal(t, "padding", f.Overload)
	assert.Equal(t, "conv2d.padding", f.Name())
	want := []struct {
		name, typ, def string
		kw, mut        bool
	}{
		{"input", "Tensor", "", false, false},
		{"bias", "Tensor?", "None", false, false},
		{"stride", "SymInt[2]", "1", false, false},
		{"padding", "str", `"val,id"`, false, false},
		{"dtype", "ScalarType?", "None", true, false},
		{"out", "Tensor[]", "", true, true},
		{"idx", "Tensor?[]", "", true, false},
		{"d", "int[2]?", "[1,0]", true, false},
		{"s", "float[]?", "None", true, false},
	}
	require.Len(t, f.Args, len(want))
	for i, w := range want {
		a := f.Args[i]
		assert.Equal(t, w.name, a.Name)
		assert.Equal(t, w.typ, a.Type.String(), w.name)
		assert.Equal(t, w.def, a.Default, w.name)
		assert.Equal(t, w.def != "", a.HasDefault, w.name)
		assert.Equal(t, w.kw, a.KwargOnly, w.name)
		assert.Equal(t, w.mut, a.Type.Mutable(), w.name)
	}
	require.Len(t, f.Returns, 3)
	assert.Equal(t, "x", f.Returns[0].Name)
	assert.True(t, f.Returns[0].Type.Mutable())
	assert.Equal(t, "int", f.Returns[1].Type.String())
	assert.Equal(t, "Tensor[]", f.Returns[2].Type.String())
}

func TestParseReturns(t *testing.T) {
	for text, n := range map[string]int{
		"a() -> ()":                             0,
		"a() -> Tensor":                         1,
		"a(Tensor(a -> *) self) -> Tensor(a)[]": 1,
		"a.b(*, int x) -> (Tensor, Tensor)":     2,
	} {
		f, err := Parse(text)
		require.NoError(t, err)
		assert.Len(t, f.Returns, n, text)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"", "add", "add(", "add()", "add() ->", "add.(Tensor a) -> Tensor", "add(Tensor) -> Tensor",
		"add(Tensor a b) -> Tensor", "add(Tensor a=) -> Tensor", `add(str a="x) -> Tensor`,
		"add(Tensor a) -> Tensor trailing rubbish", "add(Tensor(a! x) -> Tensor", "add(int[x] a) -> ()",
		"add(int?? a) -> ()", "add(int[][] a) -> ()", "(Tensor a) -> Tensor",
	} {
		_, err := Parse(text)
		assert.Error(t, err, text)
	}
}

// Parse accepts every schema of the supported libtorch versions.
func TestParseInventory(t *testing.T) {
	file, err := os.Open("../operators.txt")
	require.NoError(t, err)
	defer file.Close()
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		if fields := strings.Split(s.Text(), "\t"); len(fields) == 3 {
			n++
			_, err := Parse(fields[2])
			assert.NoError(t, err)
		}
	}
	assert.Greater(t, n, 3000)
}

func FuzzParse(f *testing.F) {
	f.Add(`add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`)
	f.Add(`x(Tensor(a!)?[3]? a=[1,(2)], str b='\'') -> (Tensor(a!) r, int)`)
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := Parse(text)
		if err != nil {
			return
		}
		// The text of an accepted schema parses to the same signature again.
		again, err := Parse(fn.Text)
		require.NoError(t, err)
		assert.Equal(t, fn, again)
	})
}
