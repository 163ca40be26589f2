package analyzers_test

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gotorch/gotorch/vet/analyzers"
)

// testdata/programs has 60 leaky and 60 clean programs, one per file. The checks were
// developed with the odd numbers; the even numbers are held out. Up to number 30 the leak
// is in one function. From 31 on it passes through a field, a helper, a channel or a type
// parameter. A clean program is a correct variant of the leaky program with the same
// number. "want leak" marks the lines where a person expects the report.
const (
	programsDir = "programs"
	plainUpTo   = 30
	wantLeak    = "// want leak"
)

// half contains the results for one half of the programs.
type half struct {
	programs, found         int // leaky programs
	plain, foundPlain       int
	reports, wrong          int
	cleanPrograms, cleanBad int
	missed, alarms          []string
}

func (h *half) recall() float64    { return float64(h.found) / float64(h.programs) }
func (h *half) precision() float64 { return float64(h.reports-h.wrong) / float64(max(h.reports, 1)) }

// The expected numbers are the current results, so finding fewer leaks is a failure. No
// clean program has an alarm. docs/vet.md has the first results for the held-out half.
func TestCorpus(t *testing.T) {
	if exec.Command("pkg-config", "--exists", "libtorch").Run() != nil {
		t.Skip("needs libtorch, where pkg-config finds it")
	}
	for _, want := range []struct {
		name                   string
		in                     func(number int) bool
		foundPlain, foundOther int
	}{
		{"odd, built against", func(n int) bool { return n <= 60 && n%2 == 1 }, 15, 15},
		{"even, held out until the checks were done", func(n int) bool { return n <= 60 && n%2 == 0 }, 15, 14},
		{"61 to 90, written by someone who had not seen the checks", func(n int) bool { return n > 60 }, 0, 0},
	} {
		h := measure(t, want.in)
		fmt.Printf("%s: %d of %d leaky programs found (plain %d of %d, awkward %d of %d), recall %.2f; %d reports, "+
			"%d of them wrong, precision %.2f; alarms in %d of %d clean programs\n",
			want.name, h.found, h.programs, h.foundPlain, h.plain, h.found-h.foundPlain, h.programs-h.plain, h.recall(),
			h.reports, h.wrong, h.precision(), h.cleanBad, h.cleanPrograms)
		fmt.Printf("  missed: %s\n", strings.Join(h.missed, ", "))
		for _, a := range h.alarms {
			t.Errorf("%s: %s", want.name, a)
		}
		if h.foundPlain < want.foundPlain || h.found-h.foundPlain < want.foundOther {
			t.Errorf("%s: %d plain and %d awkward leaks are found, not %d and %d", want.name, h.foundPlain,
				h.found-h.foundPlain, want.foundPlain, want.foundOther)
		}
	}
}

// measure runs all checks on the programs with odd or even numbers.
func measure(t *testing.T, in func(number int) bool) *half {
	t.Helper()
	h := &half{}
	marks := map[string]map[int]bool{} // by the path below testdata/programs
	texts := map[string][]byte{}
	for _, kind := range []string{"leaky", "clean"} {
		files, err := filepath.Glob(filepath.Join(analysistest.TestData(), programsDir, kind, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := kind + "/" + filepath.Base(file)
			if !in(number(t, name)) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = text
			marks[name] = map[int]bool{}
			for i, l := range strings.Split(string(text), "\n") {
				if strings.Contains(l, wantLeak) {
					marks[name][i+1] = true
				}
			}
			if len(marks[name]) > 0 != (kind == "leaky") {
				t.Errorf("%s: %d lines are marked", name, len(marks[name]))
			}
		}
	}
	reports := reportsOf(t, texts)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		hit := false
		for line, messages := range reports[name] {
			h.reports += len(messages)
			if marks[name][line] {
				hit = true
				continue
			}
			h.wrong += len(messages)
			h.alarms = append(h.alarms, fmt.Sprintf("%s:%d: %s", name, line, strings.Join(messages, "; ")))
		}
		if strings.HasPrefix(name, "clean/") {
			h.cleanPrograms++
			if len(reports[name]) > 0 {
				h.cleanBad++
			}
			continue
		}
		n := number(t, name)
		plain := n <= 30 || n > 60 && n <= 75
		h.programs++
		if plain {
			h.plain++
		}
		switch {
		case !hit:
			h.missed = append(h.missed, strings.TrimSuffix(strings.TrimPrefix(name, "leaky/"), ".go"))
		case plain:
			h.foundPlain++
			h.found++
		default:
			h.found++
		}
	}
	return h
}

func number(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(filepath.Base(name)[:2])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// reportsOf returns the reports on programs by line. Each program is a package in the
// library's module.
func reportsOf(t *testing.T, texts map[string][]byte) map[string]map[int][]string {
	t.Helper()
	dir := inModule(t, "_programs")
	var patterns []string
	names := map[string]string{}
	for name, text := range texts {
		pkg := strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "/", "_")
		patterns = append(patterns, "./"+pkg)
		file := filepath.Join(dir, pkg, "main.go")
		names[file] = name
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax, Dir: dir,
		Env: append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1"),
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the programs do not compile")
	}
	found := map[string]map[int][]string{}
	for _, act := range analyzeAll(t, pkgs) {
		if act.Analyzer == analyzers.LoopTensor {
			continue // reports garbage, which is not a leak
		}
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			name := names[at.Filename]
			if found[name] == nil {
				found[name] = map[int][]string{}
			}
			found[name][at.Line] = append(found[name][at.Line], act.Analyzer.Name+": "+d.Message)
		}
	}
	return found
}

// inModule returns a new folder in the library's module.
func inModule(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "build"), name) //nolint:usetesting // has to be in the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// analyzeAll runs all checks on packages whose imports were read from export data.
func analyzeAll(t *testing.T, pkgs []*packages.Package) []*checker.Action {
	t.Helper()
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		p.IllTyped = false // set because of unused variables and missing code
		if p.TypesInfo == nil {
			p.TypesInfo = new(types.Info) // an import, whose code is not read
		}
	})
	graph, err := checker.Analyze(analyzers.All(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%v: %v", act, act.Err)
		}
	}
	return graph.Roots
}
