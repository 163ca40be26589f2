package analyzers_test

import (
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gotorch/gotorch/vet/analyzers"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixing are the checks that suggest fixes. Each check has a package in
// testdata/src/fixes, with code that it fixes and code that it only reports. The golden
// file has a section for each kind of fix.
var fixing = []*analysis.Analyzer{
	analyzers.Carried, analyzers.Cyclic, analyzers.DeferLoop, analyzers.LoopTensor,
	analyzers.LostClose, analyzers.Retained, analyzers.ScopeEscape,
}

func TestSuggestedFixes(t *testing.T) {
	for _, a := range fixing {
		t.Run(a.Name, func(t *testing.T) {
			if *update {
				writeGolden(t, a)
			}
			analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), a, "fixes/"+a.Name)
		})
	}
}

// writeGolden writes the golden file of a check. For each kind of fix, it applies all
// fixes of this kind to the code.
func writeGolden(t *testing.T, a *analysis.Analyzer) {
	name := filepath.Join(analysistest.TestData(), "src", "fixes", a.Name, "a.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	edits := map[string][][3]any{}
	for _, r := range analysistest.Run(quiet{}, analysistest.TestData(), a, "fixes/"+a.Name) {
		for _, d := range r.Diagnostics {
			for _, f := range d.SuggestedFixes {
				for _, e := range f.TextEdits {
					at := r.Pass.Fset.File(e.Pos)
					edit := [3]any{at.Offset(e.Pos), at.Offset(e.End), string(e.NewText)}
					if !slices.Contains(edits[f.Message], edit) {
						edits[f.Message] = append(edits[f.Message], edit)
					}
				}
			}
		}
	}
	var golden strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(edits)) {
		es := edits[kind]
		slices.SortStableFunc(es, func(a, b [3]any) int { return a[0].(int) - b[0].(int) })
		var out strings.Builder
		at := 0
		for _, e := range es {
			out.WriteString(string(text[at:e[0].(int)]) + e[2].(string))
			at = e[1].(int)
		}
		out.Write(text[at:])
		formatted, err := format.Source([]byte(out.String()))
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, out.String())
		}
		fmt.Fprintf(&golden, "-- %s --\n%s", kind, formatted)
	}
	if err := os.WriteFile(name+".golden", []byte(golden.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

type quiet struct{}

func (quiet) Errorf(string, ...any) {}
