package torchtest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// update is the name of the flag that makes Golden write files. It has a prefix, so that
// tests can have a flag -update of their own.
const update = "torchtest.update"

func init() { flag.Bool(update, false, "write the files of torchtest.Golden instead of comparing") }

// Golden compares tensors with the file at path, which an earlier run of the test wrote.
// Each tensor is compared by [AllClose]; a missing or an additional name is an error too. To
// write the file, or to accept new values, run the package's tests with the flag
// -torchtest.update:
//
//	go test ./model -run TestOutputs -torchtest.update
//
// The file is JSON, in the form that [LoadGoldens] reads, and holds each number exactly.
// Golden reports whether the tensors are close. It ends the test if the file cannot be read
// or written, or if a tensor is nil. It panics as AllClose does.
func Golden(t testing.TB, path string, got map[string]*torch.Tensor, opts ...CloseOption) bool {
	t.Helper()
	readCloseness("Golden", opts)
	if flag.Lookup(update).Value.String() == "true" {
		writeGolden(t, path, got)
		return true
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		t.Fatalf("golden: %v; run the test with -torchtest.update to write it", err)
	}
	want := LoadGoldens(t, path)
	ok := true
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: "+format, append([]any{path}, args...)...)
		ok = false
	}
	for _, name := range slices.Sorted(maps.Keys(want.values)) {
		if _, there := got[name]; !there {
			fail("%q is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !want.Has(name) {
			fail("%q is not in the file", name)
			continue
		}
		w := want.Tensor(name)
		if problem := differenceFor("Golden", w, got[name], opts); problem != "" {
			fail("%q is not close: %s", name, problem)
		}
		_ = w.Close() // never fails
	}
	if !ok {
		t.Log("run the test with -torchtest.update to accept the new values")
	}
	return ok
}

func writeGolden(t testing.TB, path string, tensors map[string]*torch.Tensor) {
	t.Helper()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x := tensors[name]
		if x == nil {
			t.Fatalf("golden: %s: %q is a nil tensor", path, name)
		}
		var text []byte
		err := torch.Try(func() {
			torch.Scope(func() {
				data, err := elements(x)
				if err != nil {
					panic(err)
				}
				text, err = json.Marshal(Value{DType: x.DType().String(), Shape: x.Shape(), Data: data})
				if err != nil {
					panic(err)
				}
			})
		})
		if err != nil {
			t.Fatalf("golden: %s: %q: %v", path, name, err)
		}
		key, _ := json.Marshal(name) // a string has a form in JSON
		lines = append(lines, fmt.Sprintf("  %s: %s", key, text))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatalf("golden: %v", err)
	}
	file := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatalf("golden: %v", err)
	}
}

// elements returns the elements of a tensor in row-major order, in JSON.
func elements(x *torch.Tensor) (out []json.RawMessage, err error) {
	add := func(v any) {
		text, e := json.Marshal(v)
		if e != nil {
			err = e
		}
		out = append(out, text)
	}
	out = []json.RawMessage{}
	x = x.Detach()
	switch d := x.DType(); {
	case d == torch.Bool:
		for _, v := range x.Bools() {
			add(v)
		}
	case d == torch.Uint64:
		for _, v := range x.Uint64s() {
			add(v)
		}
	case d.IsInteger():
		for _, v := range x.Int64s() {
			add(v)
		}
	case d.IsComplex():
		for _, v := range x.Complex128s() {
			add([]any{special(real(v)), special(imag(v))})
		}
	default:
		for _, v := range x.Complex128s() {
			add(special(real(v)))
		}
	}
	return out, err
}

// special returns a number, or the word for a number that JSON does not have.
func special(v float64) any {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return v
}

// Repeatable calls fn twice with the same seed, and checks that both results have the same
// bits. NaN equals NaN. It restores the default generator's state at the end, frees the
// results, and reports whether they are equal. Use it to find code whose results depend on
// the order of a map, on goroutines or on a generator that is not seeded.
func Repeatable(t testing.TB, fn func() *torch.Tensor) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("torchtest.Repeatable", "fn"))
	}
	problem := ""
	err := torch.Try(func() {
		torch.Scope(func() {
			state := torch.RNGState()
			defer torch.SetRNGState(state)
			torch.ManualSeed(0)
			first := fn()
			torch.ManualSeed(0)
			problem = difference(first, fn(), closeness{Tolerance: Tolerance{EqualNaN: true}})
		})
	})
	if err != nil {
		problem = err.Error()
	}
	if problem != "" {
		t.Errorf("two runs with the same seed differ: %s", problem)
	}
	return problem == ""
}
