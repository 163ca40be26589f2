package analyzers_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// assumed declares the variables that the code blocks use without declaring them. Any
// other undeclared name has no type, so the checks report nothing about it.
const assumed = `
var (
	steps, epochs            int
	total, limit             float64
	loader, tests            *data.Loader
	model                    *nn.Sequential
	opt                      *optim.AdamW
	a, b, x, y, w, h, loss   *torch.Tensor
)
`

var (
	snippet  = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	declares = regexp.MustCompile(`(?m)^(func|type) `)
)

// The checks report nothing in the code of the documentation, except in examples of
// mistakes.
func TestDocumentation(t *testing.T) {
	if exec.Command("pkg-config", "--exists", "libtorch").Run() != nil {
		t.Skip("needs libtorch, where pkg-config finds it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := inModule(t, "_docs")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range snippet.FindAllStringSubmatch(string(text), -1) {
			name := fmt.Sprintf("s%d", len(patterns))
			patterns = append(patterns, "./"+name)
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			file := strings.TrimSuffix(filepath.Base(page), ".md") + ".go"
			if err := os.WriteFile(filepath.Join(dir, name, file), []byte(program(m[1])), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax, Dir: dir,
		Env: append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1"),
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	// The leaks that pages show, by the file and the check.
	shown := map[string]int{"leaks.go growing": 0, "README.go growing": 0, "first-hour.go retained": 0}
	wrong := 0
	for _, act := range analyzeAll(t, pkgs) {
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			if filepath.Base(at.Filename) == "vet.go" {
				wrong++
				continue
			}
			leak := filepath.Base(at.Filename) + " " + act.Analyzer.Name
			if _, ok := shown[leak]; ok {
				shown[leak]++
				continue
			}
			text, _ := os.ReadFile(at.Filename)
			t.Errorf("%s: %s: %s\n%s", filepath.Base(at.Filename), act.Analyzer.Name, d.Message,
				strings.Split(string(text), "\n")[at.Line-1])
		}
	}
	if wrong < 3 {
		t.Errorf("%d reports of the example of what is wrong", wrong)
	}
	for leak, n := range shown {
		if n != 1 {
			t.Errorf("%d reports of the leak %s", n, leak)
		}
	}
	fmt.Printf("documentation: no alarm in %d pieces of code\n", len(patterns))
}

// program returns the source of a package that contains a code block.
func program(src string) string {
	if strings.HasPrefix(src, "package ") {
		return src
	}
	var b strings.Builder
	b.WriteString("package docs\n\nimport (\n")
	for _, path := range []string{"context", "errors", "fmt", "log", "log/slog", "runtime", "sync/atomic", "testing"} {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString("\tF \"github.com/gotorch/gotorch/nn/functional\"\n")
	for _, path := range []string{
		"memory", "nn", "nn/nninit", "nn/nnutil", "optim", "optim/schedule", "torch",
		"torch/cuda", "torch/data", "torchtest",
	} {
		fmt.Fprintf(&b, "\t\"github.com/gotorch/gotorch/%s\"\n", path)
	}
	b.WriteString(")\n" + assumed)
	src = strings.ReplaceAll(src, "...\n", "\n")
	if declares.MatchString(src) {
		return b.String() + src
	}
	return b.String() + "func _() {\n" + src + "}\n"
}
