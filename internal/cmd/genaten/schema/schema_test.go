package schema

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	f, err := Parse(`conv2d.padding(Tensor input, Tensor? bias=None, SymInt[2] stride=1, str padding="val,id", *, ScalarType? dtype=None, Tensor(a!)[] out, Tensor?[] idx, int[2]? d=[1,0], float[]? s=None) -> (Tensor(a!) x, int, Tensor[])`)
	if err != nil {
		t.Fatal(err)
	}
	if f.Root != "conv2d" || f.Overload != "padding" || f.Name() != "conv2d.padding" {
		t.Errorf("name: %q %q", f.Root, f.Overload)
	}
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
	if len(f.Args) != len(want) {
		t.Fatalf("%d arguments, want %d", len(f.Args), len(want))
	}
	for i, w := range want {
		a := f.Args[i]
		if a.Name != w.name || a.Type.String() != w.typ || a.Default != w.def || a.KwargOnly != w.kw || a.Type.Mutable() != w.mut {
			t.Errorf("argument %d: %+v (%s), want %+v", i, a, a.Type, w)
		}
		if a.HasDefault != (w.def != "") {
			t.Errorf("argument %d: HasDefault %v", i, a.HasDefault)
		}
	}
	if len(f.Returns) != 3 || f.Returns[0].Name != "x" || !f.Returns[0].Type.Mutable() ||
		f.Returns[1].Type.String() != "int" || f.Returns[2].Type.String() != "Tensor[]" {
		t.Errorf("returns: %+v", f.Returns)
	}
}

func TestParseReturns(t *testing.T) {
	for text, n := range map[string]int{
		"a() -> ()":                             0,
		"a() -> Tensor":                         1,
		"a(Tensor(a -> *) self) -> Tensor(a)[]": 1,
		"a.b(*, int x) -> (Tensor, Tensor)":     2,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if len(f.Returns) != n {
			t.Errorf("%s: %d returns, want %d", text, len(f.Returns), n)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"", "add", "add(", "add()", "add() ->", "add.(Tensor a) -> Tensor", "add(Tensor) -> Tensor",
		"add(Tensor a b) -> Tensor", "add(Tensor a=) -> Tensor", `add(str a="x) -> Tensor`,
		"add(Tensor a) -> Tensor trailing rubbish", "add(Tensor(a! x) -> Tensor", "add(int[x] a) -> ()",
		"add(int?? a) -> ()", "add(int[][] a) -> ()", "(Tensor a) -> Tensor",
	} {
		if f, err := Parse(text); err == nil {
			t.Errorf("%q parsed as %+v", text, f)
		}
	}
}

// Every schema of the supported libtorch versions parses.
func TestParseInventory(t *testing.T) {
	file, err := os.Open("../operators.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		if fields := strings.Split(s.Text(), "\t"); len(fields) == 3 {
			n++
			if _, err := Parse(fields[2]); err != nil {
				t.Error(err)
			}
		}
	}
	if n < 3000 {
		t.Errorf("only %d schemas in the inventory", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`)
	f.Add(`x(Tensor(a!)?[3]? a=[1,(2)], str b='\'') -> (Tensor(a!) r, int)`)
	f.Fuzz(func(t *testing.T, text string) {
		fn, err := Parse(text)
		if err != nil {
			return
		}
		// What was accepted is stable: it parses again to the same signature.
		again, err := Parse(fn.Text)
		if err != nil || again.Name() != fn.Name() || len(again.Args) != len(fn.Args) || len(again.Returns) != len(fn.Returns) {
			t.Errorf("%q: second parse differs: %+v, %v", text, again, err)
		}
	})
}
