package analyzers_test

import (
	"flag"
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

// testdata/programs has 90 leaky and 90 clean programs, one per file. The programs with
// odd numbers were used to develop the checks, and those with even numbers were held out.
// In the programs 1 to 30 and 61 to 75 the leak is plain; in other programs it passes
// through a field, a helper, a channel or a type parameter.
//
// The programs from 61 on were written by someone who had not seen the checks. Up to 60,
// a clean program is a correct variant of the leaky program with the same number. "want
// leak" marks the lines that a person expects to be reported.
const (
	programsDir = "programs"
	wantLeak    = "// want leak"
)

var chosen = flag.String("programs", "", "run only the programs with these `numbers`, such as 7,61, and print reports")

// plain reports whether the leaky program with this number leaks within one function.
func plain(number int) bool { return number <= 30 || number > 60 && number <= 75 }

// group counts the results for a group of programs.
type group struct {
	programs, found         int // leaky programs
	plain, foundPlain       int
	reports, wrong          int
	cleanPrograms, cleanBad int
	missed, alarms          []string
}

func (g *group) recall() float64    { return float64(g.found) / float64(max(g.programs, 1)) }
func (g *group) precision() float64 { return float64(g.reports-g.wrong) / float64(max(g.reports, 1)) }

// In each group of programs, the checks find at least as many leaks as when the numbers
// below were recorded. They report nothing in clean programs. docs/vet.md has the first
// results for the held-out programs.
func TestCorpus(t *testing.T) {
	if exec.Command("pkg-config", "--exists", "libtorch").Run() != nil {
		t.Skip("needs libtorch, where pkg-config finds it")
	}
	programs := readPrograms(t)
	reports := reportsOf(t, programs)
	if *chosen != "" {
		printReports(programs, reports)
		return
	}
	for _, want := range []struct {
		name                   string
		first, last            int
		foundPlain, foundOther int
	}{
		{"odd up to 60, built against", 1, 59, 15, 15},
		{"even up to 60, held out until the checks were done", 2, 60, 15, 15},
		{"odd from 61, by someone who had not seen the checks", 61, 89, 8, 6},
		{"even from 62, held out as well", 62, 90, 7, 6},
	} {
		g := measure(programs, reports, want.first, want.last)
		fmt.Printf("%s: %d of %d leaky programs found (plain %d of %d, awkward %d of %d), recall %.2f; %d reports, "+
			"%d of them wrong, precision %.2f; alarms in %d of %d clean programs\n",
			want.name, g.found, g.programs, g.foundPlain, g.plain, g.found-g.foundPlain, g.programs-g.plain, g.recall(),
			g.reports, g.wrong, g.precision(), g.cleanBad, g.cleanPrograms)
		fmt.Printf("  missed: %s\n", strings.Join(g.missed, ", "))
		for _, a := range g.alarms {
			t.Errorf("%s: %s", want.name, a)
		}
		if g.foundPlain < want.foundPlain || g.found-g.foundPlain < want.foundOther {
			t.Errorf("%s: %d plain and %d awkward leaks are found, not %d and %d", want.name, g.foundPlain,
				g.found-g.foundPlain, want.foundPlain, want.foundOther)
		}
	}
}

// sample is a program of testdata/programs.
type sample struct {
	number int
	leaky  bool
	text   []byte
	marks  map[int]bool // the lines that must be reported
}

// readPrograms returns the programs by their paths below testdata/programs. If the flag
// -programs is set, it returns only the programs with those numbers.
func readPrograms(t *testing.T) map[string]*sample {
	t.Helper()
	all := map[string]*sample{}
	for _, kind := range []string{"leaky", "clean"} {
		files, err := filepath.Glob(filepath.Join(analysistest.TestData(), programsDir, kind, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := kind + "/" + filepath.Base(file)
			number, err := strconv.Atoi(filepath.Base(name)[:2])
			if err != nil {
				t.Fatal(err)
			}
			if *chosen != "" && !slices.Contains(strings.Split(*chosen, ","), strconv.Itoa(number)) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &sample{number: number, leaky: kind == "leaky", text: text, marks: map[int]bool{}}
			for i, l := range strings.Split(string(text), "\n") {
				if strings.Contains(l, wantLeak) {
					p.marks[i+1] = true
				}
			}
			if len(p.marks) > 0 != p.leaky {
				t.Errorf("%s: %d lines are marked", name, len(p.marks))
			}
			all[name] = p
		}
	}
	return all
}

// measure counts the reports in the programs with the numbers first, first+2 and so on,
// up to last.
func measure(programs map[string]*sample, reports map[string]map[int][]string, first, last int) *group {
	g := &group{}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		p := programs[name]
		if p.number < first || p.number > last || p.number%2 != first%2 {
			continue
		}
		hit := false
		for line, messages := range reports[name] {
			g.reports += len(messages)
			if p.marks[line] {
				hit = true
				continue
			}
			g.wrong += len(messages)
			g.alarms = append(g.alarms, fmt.Sprintf("%s:%d: %s", name, line, strings.Join(messages, "; ")))
		}
		if !p.leaky {
			g.cleanPrograms++
			if len(reports[name]) > 0 {
				g.cleanBad++
			}
			continue
		}
		g.programs++
		if plain(p.number) {
			g.plain++
		}
		switch {
		case !hit:
			g.missed = append(g.missed, strings.TrimSuffix(strings.TrimPrefix(name, "leaky/"), ".go"))
		case plain(p.number):
			g.foundPlain++
			g.found++
		default:
			g.found++
		}
	}
	return g
}

// printReports prints all reports, and whether a report is expected on that line.
func printReports(programs map[string]*sample, reports map[string]map[int][]string) {
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		p := programs[name]
		if p.leaky && len(reports[name]) == 0 {
			fmt.Printf("%s: missed\n", name)
		}
		for _, line := range slices.Sorted(maps.Keys(reports[name])) {
			verdict := "wrong"
			if p.marks[line] {
				verdict = "right"
			}
			fmt.Printf("%s:%d: %s: %s\n", name, line, verdict, strings.Join(reports[name][line], "; "))
		}
	}
}

// reportsOf returns the reports in each program, by line. It writes each program to a
// package in the library's module, and runs the checks.
func reportsOf(t *testing.T, programs map[string]*sample) map[string]map[int][]string {
	t.Helper()
	dir := inModule(t, "_programs")
	var patterns []string
	names := map[string]string{}
	for name, p := range programs {
		pkg := strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "/", "_")
		patterns = append(patterns, "./"+pkg)
		file := filepath.Join(dir, pkg, "main.go")
		names[file] = name
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, p.text, 0o644); err != nil {
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
			continue // it reports tensors that the garbage collector frees, which do not leak
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

// inModule returns a new directory in the library's module. The directory is removed when
// the test ends.
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

// analyzeAll runs all checks on packages. The types of imported packages may come from
// export data.
func analyzeAll(t *testing.T, pkgs []*packages.Package) []*checker.Action {
	t.Helper()
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		p.IllTyped = false // set for unused variables and missing code, which do not matter here
		if p.TypesInfo == nil {
			p.TypesInfo = new(types.Info) // for an imported package, whose source was not read
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
