package fixing

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/gotorch/gotorch/vet/analyzers" // the tests build torchvet, whose code includes this package
)

const goMod = `module programs

go 1.26.0

require github.com/gotorch/gotorch v0.0.0

replace github.com/gotorch/gotorch => %s
`

// build compiles torchvet.
func build(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "torchvet")
	cmd := exec.Command("go", "build", "-o", tool, "github.com/gotorch/gotorch/vet/cmd/torchvet")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// put writes a file to the directory dir.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// standIn creates a module in a new directory. In place of the library, the module has
// the stubs that the tests of package analyzers use.
func standIn(t *testing.T) string {
	t.Helper()
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	src := filepath.Join("..", "..", "analyzers", "testdata", "src")
	copyDir(t, filepath.Join(src, "github.com", "gotorch", "gotorch"), filepath.Join(dir, "library"))
	put(t, dir, "library/go.mod", "module github.com/gotorch/gotorch\n\ngo 1.26.0\n")
	put(t, dir, "go.mod", fmt.Sprintf(goMod, "./library"))
	return dir
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(text)
	}
	return files
}

// Run fixes the leaky programs, and prints each fix. The files are formatted and compile.
// Lines with a directive stay as they are. A second Run changes nothing.
func TestLeakyPrograms(t *testing.T) {
	tool := build(t)
	dir := standIn(t)
	programs := filepath.Join(dir, "plain")
	copyDir(t, filepath.Join("..", "..", "analyzers", "testdata", "src", "leaky", "plain"), programs)
	put(t, programs, "meant.go", `package plain

import "github.com/gotorch/gotorch/torch"

func meant(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w) //torchvet:ignore looptensor the collector is looked at
		sum += x.Item()
	}
	return sum
}
`)
	before := read(t, programs)
	var out bytes.Buffer
	left, err := Run(dir, tool, []string{"./plain"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	after := read(t, programs)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if said := strings.Contains(out.String(), "plain/"+name+":"); said != (before[name] != after[name]) {
			t.Errorf("%s: changed: %v, printed: %v", name, !said, said)
		}
	}
	if before["meant.go"] != after["meant.go"] {
		t.Error("what a comment says to ignore was changed")
	}
	mended := 0
	for name := range before {
		if before[name] != after[name] && !slices.ContainsFunc(left, func(l string) bool {
			return strings.HasPrefix(l, "plain/"+name+":")
		}) {
			mended++
		}
	}
	fmt.Printf("%d of %d leaky programs are mended\n", mended, len(before)-1)
	if mended != 14 {
		t.Errorf("left:\n%s\nchanges:\n%s", strings.Join(left, "\n"), out.String())
	}
	out.Reset()
	if _, err := Run(dir, tool, []string{"./plain"}, &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || !maps.Equal(after, read(t, programs)) {
		t.Errorf("the second time it changes:\n%s", out.String())
	}
	gofmt := exec.Command("gofmt", "-l", programs)
	if text, err := gofmt.CombinedOutput(); err != nil || len(text) > 0 {
		t.Errorf("not formatted: %s %v", text, err)
	}
}

// If a fix keeps the package from compiling, it is skipped. Other fixes of the same line
// are applied.
func TestFixesThatDoNotCompile(t *testing.T) {
	dir := standIn(t)
	put(t, dir, "p/p.go", "package p\n\nvar a, b = 1, 2\n")
	name := filepath.Join(dir, "p", "p.go")
	f := &fixer{dir: dir, args: []string{"./p"}, refused: map[string]bool{}}
	if err := f.list(); err != nil {
		t.Fatal(err)
	}
	says := func(message string, start int, text string) report {
		return report{
			Check: "test", Message: message, Posn: name + ":3:1",
			Fixes: []fix{{message, []edit{{name, start, start + 1, text}}}},
		}
	}
	reports := []report{says("good", 22, "5"), says("bad", 25, "x"), says("overlaps", 22, "7")}
	done, err := f.round(reports)
	if err != nil || len(done) != 1 || done[0].fix.Message != "good" {
		t.Fatalf("%v %v", done, err)
	}
	if got := read(t, filepath.Dir(name))["p.go"]; got != "package p\n\nvar a, b = 5, 2\n" {
		t.Error(got)
	}
	if done, err := f.round(reports[1:2]); err != nil || len(done) != 0 {
		t.Errorf("tried again: %v %v", done, err)
	}
}

// For a program that does not compile, Run returns an error.
func TestBrokenProgram(t *testing.T) {
	tool := build(t)
	dir := standIn(t)
	put(t, dir, "p/p.go", "package p\n\nvar a int = nothing\n")
	if _, err := Run(dir, tool, []string{"./p"}, &bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "nothing") {
		t.Errorf("%v", err)
	}
}

var exported = regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(`)

// The fixed programs compute the same results as the programs that were written with
// scopes. Their peak of native memory is the same too.
func TestMendedProgramsRun(t *testing.T) {
	if testing.Short() || exec.Command("pkg-config", "--exists", "libtorch").Run() != nil {
		t.Skip("needs libtorch, where pkg-config finds it")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("CGO_ENABLED", "1")
	tool := build(t)
	// Put the programs into the library's module, whose packages are already compiled.
	// The name of the directory begins with _, so that ./... does not include it.
	if err := os.MkdirAll(filepath.Join(root, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "build"), "_programs") //nolint:usetesting // has to be in the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	copyDir(t, "testdata/naive", filepath.Join(dir, "naive"))
	copyDir(t, "testdata/scoped", filepath.Join(dir, "scoped"))
	var names []string
	for file, text := range read(t, "testdata/naive") {
		put(t, dir, filepath.Join("before", file), strings.Replace(text, "package naive", "package before", 1))
		for _, m := range exported.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	var rows strings.Builder
	for _, n := range names {
		fmt.Fprintf(&rows, "{%q, before.%s, naive.%s, scoped.%s},\n", n, n, n, n)
	}
	text, err := os.ReadFile("testdata/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	main := strings.Replace(string(text), "PROGRAMS", rows.String(), 1)
	put(t, dir, "main.go", strings.ReplaceAll(main, `"programs/`,
		`"github.com/gotorch/gotorch/build/`+filepath.Base(dir)+"/"))

	var changes bytes.Buffer
	left, err := Run(dir, tool, []string{"./naive"}, &changes)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("not mended:\n%s", strings.Join(left, "\n"))
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(names) {
		t.Fatalf("%d programs, not %d:\n%s", len(lines), len(names), out)
	}
	for _, line := range lines {
		var name string
		var naive, mended, scoped float64
		var before, after, wanted int64
		if _, err := fmt.Sscan(line, &name, &naive, &mended, &scoped, &before, &after, &wanted); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if mended != scoped || naive != mended && naive != -1 {
			t.Errorf("%s: %v before, %v mended, %v with scopes", name, naive, mended, scoped)
		}
		if after != wanted || naive != -1 && before <= after {
			t.Errorf("%s: at most %d bytes before, %d mended, %d with scopes", name, before, after, wanted)
		}
	}
}

// A link at a name beside a file, which a stranger's program may have, is not followed.
func TestReplaceDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go", "package a\n")
	put(t, dir, "mine", "mine")
	name := filepath.Join(dir, "a.go")
	if err := os.Symlink(filepath.Join(dir, "mine"), name+".torchvet"); err != nil {
		t.Fatal(err)
	}
	if err := write(map[string][]byte{name: []byte("package b\n")}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"a.go": "package b\n", "mine": "mine"} {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "a.go.torchvet-*")); err != nil || len(names) > 0 {
		t.Errorf("left: %v, %v", names, err)
	}
}

// A directive //line may name a file of another package. Fixes do not change that file.
func TestLineDirectives(t *testing.T) {
	tool := build(t)
	dir := standIn(t)
	const line = "//line ../mine/a.go:1"
	program := `
package plain

import "github.com/gotorch/gotorch/torch"

func leaky(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		sum += x.Item()
	}
	return sum
}
`
	put(t, dir, "theirs/a.go", line+program)
	put(t, dir, "mine/a.go", "//"+strings.Repeat("-", len(line)-2)+program)
	left, err := Run(dir, tool, []string{"./theirs"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) == 0 {
		t.Error("the check reported nothing")
	}
	if got := read(t, filepath.Join(dir, "mine"))["a.go"]; !strings.HasSuffix(got, program) {
		t.Error("the file of another package was changed:\n" + got)
	}
	put(t, dir, "theirs/a.go", program)
	if left, err = Run(dir, tool, []string{"./theirs"}, io.Discard); err != nil || len(left) > 0 {
		t.Errorf("the fix was not applied: %v, %v", left, err)
	}
}
