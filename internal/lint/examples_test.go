package lint_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pictured are the types that need no example on pkg.go.dev, with the reason.
var pictured = map[string]string{
	"memory.MemPool":           "UsePool's example makes one; it needs a GPU",
	"optim.BetaPair":           "an option: Adam's example gives it by Betas",
	"optim.EpsTuple":           "an option, as BetaPair",
	"optim.EtaPair":            "an option, as BetaPair",
	"optim.NSCoefficientTuple": "an option, as BetaPair",
	"optim.StepSizePair":       "an option, as BetaPair",
	"optim/swa.SWALR":          "a second name of a type that schedule has an example of",
	"torch.Raw":                "for bindings of other operators; its comment has the code",
	"torch/aoti.Dim":           "the example of Inputs makes some",
}

const (
	needsGPU  = "there is no GPU everywhere"
	needsFile = "a compiled model runs only on machines like the one that compiled it"
)

// unread are the examples that are compiled but not run, with the reason. They have no
// output to compare.
var unread = map[string]string{
	"memory.ExampleBackend":                  "it depends on a setting of the environment",
	"memory.ExampleHostStats":                needsGPU,
	"memory.ExampleUsePool":                  needsGPU,
	"torch/aoti.Example":                     needsFile,
	"torch/aoti.ExampleInputs":               needsFile,
	"torch/aoti.ExampleLoad":                 needsFile,
	"torch/aoti.ExampleModel_LoadConstants":  needsFile,
	"torch/aoti.ExampleReadInfo":             needsFile,
	"torch/cuda.Example":                     needsGPU,
	"torch/cuda.ExampleCUDAGraph":            needsGPU,
	"torch/cuda.ExampleEvent":                needsGPU,
	"torch/cuda.ExampleGetDeviceProperties":  needsGPU,
	"torch/cuda.ExampleGraphPoolHandle":      needsGPU,
	"torch/cuda.ExampleMakeGraphedCallables": needsGPU,
	"torch/cuda.ExampleStream_Do":            needsGPU,
	"torchtest.ExampleLoadGoldens":           "it is for a test, which it may end",
}

// pkg.go.dev shows an example for every package, and for every type that a function of
// its package returns. The example may belong to the type, to that function, or to a
// method.
func TestEveryPageHasAnExample(t *testing.T) {
	used, silent := map[string]bool{}, []string{}
	for _, folder := range libraries(t) {
		if folder == "torch/aten" { // a generated package with one function for each operator
			continue
		}
		p := documented(t, folder)
		if p.Name == "main" {
			continue
		}
		assert.NotEmpty(t, p.Examples, "package %s has no example of its own", folder)
		for _, x := range p.Types {
			if len(x.Funcs) == 0 || strings.HasSuffix(x.Name, "Option") {
				continue
			}
			name := folder + "." + x.Name
			_, excepted := pictured[name]
			found := shown(x)
			assert.False(t, excepted && found, "%s has an example and is excepted", name)
			assert.True(t, excepted || found, "%s has no example: name one Example%s, or after %s", name, x.Name,
				x.Funcs[0].Name)
			used[name] = excepted || used[name]
		}
		for _, x := range examples(p) {
			if x.Output == "" && !x.EmptyOutput {
				silent = append(silent, folder+".Example"+x.Name)
			}
		}
	}
	for name := range pictured {
		assert.True(t, used[name], "%s is excepted, and no such type is there", name)
	}
	slices.Sort(silent)
	assert.Equal(t, slices.Sorted(maps.Keys(unread)), silent,
		"an example without output to compare is compiled and not run")
}

// shown reports whether pkg.go.dev shows an example for a type.
func shown(x *doc.Type) bool {
	if len(x.Examples) > 0 {
		return true
	}
	has := func(f *doc.Func) bool { return len(f.Examples) > 0 }
	return slices.ContainsFunc(x.Funcs, has) || slices.ContainsFunc(x.Methods, has)
}

// examples returns all examples of a package, including those of its types and methods.
func examples(p *doc.Package) []*doc.Example {
	out := slices.Clone(p.Examples)
	add := func(fs []*doc.Func) {
		for _, f := range fs {
			out = append(out, f.Examples...)
		}
	}
	add(p.Funcs)
	for _, x := range p.Types {
		out = append(out, x.Examples...)
		add(x.Funcs)
		add(x.Methods)
	}
	return out
}

// libraries returns the directories of all packages that programs may import.
func libraries(t *testing.T) []string {
	t.Helper()
	return publicPackages(t, "memory", "nn", "notebooks/show", "optim", "torch", "torchtest", "vet/analyzers")
}

// documented returns the documentation of a package and its examples, as pkg.go.dev shows
// them.
func documented(t *testing.T, folder string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*.go"))
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/gotorch/gotorch/"+folder)
	require.NoError(t, err)
	return p
}
