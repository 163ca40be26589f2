package analyzers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// finding identifies a report by its place and its check.
type finding struct {
	file  string
	line  int
	check string
}

// analyze runs all checks on packages in testdata/src and returns their reports.
func analyze(t *testing.T, patterns ...string) map[finding]string {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Dir:  filepath.Join(analysistest.TestData(), "src"),
		Env:  append(os.Environ(), "GOPATH="+analysistest.TestData(), "GO111MODULE=off", "GOPROXY=off", "GOWORK=off"),
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the programs do not compile")
	}
	graph, err := checker.Analyze(analyzers.All(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[finding]string{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			found[finding{filepath.Base(at.Filename), at.Line, act.Analyzer.Name}] = d.Message
		}
	}
	return found
}

// marked returns the lines in dir that are marked as leaks, with the check that must
// report each line. It also returns the number of programs.
func marked(t *testing.T, dir string) (leaks []finding, programs int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(analysistest.TestData(), "src", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(string(text), "\n") {
			if _, check, ok := strings.Cut(l, "// leak: "); ok {
				leaks = append(leaks, finding{filepath.Base(name), i + 1, check})
			}
		}
	}
	return leaks, len(files)
}

// In every leaky program, exactly the leaking lines are reported. The programs in
// leaky/indirect leak through a table, a closure, a method or a different package.
func TestLeakyPrograms(t *testing.T) {
	for _, set := range []struct {
		dir      string
		programs int
	}{{"leaky/plain", 26}, {"leaky/indirect", 21}} {
		t.Run(filepath.Base(set.dir), func(t *testing.T) {
			found := analyze(t, set.dir)
			leaks, programs := marked(t, set.dir)
			missed := map[string]bool{}
			for _, l := range leaks {
				if _, ok := found[l]; !ok {
					missed[l.file] = true
					t.Errorf("%s:%d: %s does not report the leak", l.file, l.line, l.check)
				}
			}
			for f, message := range found {
				if !slices.Contains(leaks, f) {
					t.Errorf("%s:%d: %s reports a line that does not leak: %s", f.file, f.line, f.check, message)
				}
			}
			if programs != set.programs {
				t.Errorf("%d programs, not %d", programs, set.programs)
			}
			fmt.Printf("%s: %d of %d leaky programs are named\n", set.dir, programs-len(missed), programs)
		})
	}
}

// Clean programs have no reports.
func TestCleanPrograms(t *testing.T) {
	for f, message := range analyze(t, "clean", "leaky/parts") {
		t.Errorf("%s:%d: %s: %s", f.file, f.line, f.check, message)
	}
	_, programs := marked(t, "clean")
	fmt.Printf("clean: no alarm in %d programs\n", programs)
}
