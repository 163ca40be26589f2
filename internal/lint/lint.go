// Package lint checks rules of the source tree that compilers do not check. The rules are
// about imports between packages (see docs/architecture.md), process-wide variables,
// forbidden calls, the code inside a crossing, test checks that are never called, and the
// English of comments and pages. Its tests apply the rules to every file.
package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/gotorch/gotorch/"

// layers are the directories of each layer, starting with the lowest layer. A package may
// import packages of its own layer and of lower layers. If several of these directories
// contain a package, the longest path decides.
var layers = [][]string{
	{"cgotorch"},
	{"internal"},
	{"torch"},
	{
		"torch/aten", "torch/backends", "torch/cuda", "torch/linalg", "torch/fft", "torch/special", "torch/sparse",
		"torch/nested",
		"internal/opt", "internal/operand", "internal/optable", "internal/optiontest", "internal/attention",
		"internal/mapped", "internal/pyvalue", "internal/script",
	},
	{"memory/internal"},
	{
		"nn", "optim", "torch/amp", "torch/data", "torch/batching", "torch/profiler", "torch/tensorboard",
		"torch/safetensors", "torch/serialization", "torch/numpy", "torch/jit", "torch/export", "torch/aoti",
		"torch/gonum", "torch/checkpoint", "torch/dlpack", "torch/cmd", "torch/distributed", "torch/distributions",
		"torch/autograd", "torch/functorch", "torch/ops", "torch/recompute", "memory", "memory/internal/viz",
	},
	{
		"torchtest", "internal/failing", "internal/filetest", "internal/ranks", "internal/optimtest",
		"internal/docblocks/blockrun",
	},
	{"vision", "transformers"},
	{"bench", "examples"},
}

// forbidden are imports that the layers would allow. Packages in or below the directory
// from must not import packages in or below the directory to. The packages in except may be
// imported, or may import.
var forbidden = []struct {
	from, to string
	except   []string
	why      string
}{
	{
		"cgotorch/aten", "",
		[]string{"cgotorch/abi", "cgotorch/pkgconfig"},
		"what it imports compiles a minute of C++ anew with every change",
	},
	{"memory/internal/groups", "", nil, aloneInMemory},
	{"memory/internal/picture", "", nil, aloneInMemory},
	{"memory/internal/steps", "", []string{"memory/internal/units"}, aloneInMemory},
	{"memory/internal/trend", "", nil, aloneInMemory},
	{"memory/internal/units", "", nil, aloneInMemory},
	{"memory", "nn", nil, "the accounting of memory knows tensors only"},
	{"memory", "optim", nil, "the accounting of memory knows tensors only"},
	{"nn", "optim", nil, "layers know nothing of how they are trained"},
	{"optim", "nn", nil, "optimizers take parameters, whatever they are of"},
	{"nn", "memory", nil, "layers do not measure themselves"},
	{"torch/amp", "nn", nil, "autocast is a matter of operators"},
	{"torch/data", "nn", nil, "a loader knows tensors only"},
	{"torch/aoti", "nn", nil, "a compiled model is no module"},
	{"torch/batching", "nn", nil, "a batcher knows tensors only"},
	{"torch/gonum", "nn", nil, "a matrix is a tensor"},
	{
		"torch/distributed", "nn", []string{"torch/distributed/dcp"}, // it loads modules by LoadStateDict
		"ranks exchange tensors, whatever they are of",
	},
	{"torch/dlpack", "nn", nil, "other libraries know tensors only"},
	{"torch/numpy", "nn", nil, "a file has tensors only"},
	{"torch/safetensors", "nn", nil, "a file has tensors only"},
	{"torch/serialization", "nn", nil, "a file has tensors only"},
	{"torch/serialization", "optim", nil, "a file has values of Python's, whatever they are of"},
	{"optim", "torch/serialization", nil, "a state dict is loaded from anything with keys and values"},
	{"torch/tensorboard", "", []string{"torch", "internal/wire"}, "a writer knows tensors only"},
}

// decodes is the only package outside cgotorch that imports "C". It calls libjpeg-turbo,
// not libtorch. It is a separate Go module, so that only its users need libjpeg-turbo.
const decodes = "torch/data/codecs/turbojpeg"

// measures is the only package below nn that measures memory.
const measures = "nn/summary"

// averages is the only package below optim that imports modules, because it copies them.
const averages = "optim/swa"

// augments is the directory of the packages below torch/data that change images. They may
// import functions of nn.
const augments = "torch/data/transforms"

const aloneInMemory = "it knows nothing of tensors and allocators"

// Check returns the mistakes in a file. name is relative to the root of the module, with
// slashes.
func Check(name string, src any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	folder := path.Dir(name)
	var wrong []string
	for _, spec := range file.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if to == "C" && !below(folder, "cgotorch") && folder != decodes {
			wrong = append(wrong, fmt.Sprintf(`%s: imports "C", which only packages under cgotorch may`, name))
		}
		if to, ours := strings.CutPrefix(to, module); ours && !strings.HasSuffix(name, "_test.go") {
			if why := badImport(folder, to); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s: imports %s: %s", name, to, why))
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "SetFinalizer" {
			wrong = append(wrong, name+": calls SetFinalizer, which keeps what it is set on alive for a round: use "+
				"runtime.AddCleanup")
		}
		return true
	})
	if strings.HasSuffix(name, "_test.go") {
		wrong = append(wrong, uncalled(name, file)...)
	}
	if !strings.HasSuffix(name, "_test.go") && !below(folder, "cgotorch") {
		wrong = append(wrong, crossings(fset, file)...)
	}
	if public(folder) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "New" {
				wrong = append(wrong, name+": declares New: a constructor is New and the name of the type")
			}
		}
	}
	return wrong, nil
}

// badImport returns why a package in the first directory may not import a package in the
// second, or "" if it may.
func badImport(from, to string) string {
	if layer(to) > layer(from) {
		return "it belongs to a higher layer"
	}
next:
	for _, f := range forbidden {
		if !below(from, f.from) || !below(to, f.to) || from == measures && to == "memory" || from == averages &&
			to == "nn" ||
			below(from, augments) && to == "nn/functional" {
			continue
		}
		for _, e := range f.except {
			if to == e || from == e {
				continue next
			}
		}
		return f.why
	}
	return ""
}

func layer(folder string) int {
	at, length := len(layers), -1 // A folder that no layer lists is above all layers.
	for i, folders := range layers {
		for _, f := range folders {
			if below(folder, f) && len(f) > length {
				at, length = i, len(f)
			}
		}
	}
	return at
}

// public reports whether users of the library import the package.
func public(folder string) bool {
	top, _, _ := strings.Cut(folder, "/")
	return slices.Contains([]string{"memory", "nn", "optim", "torch", "torchtest"}, top) &&
		!strings.Contains(folder+"/", "/internal/")
}

// below reports whether folder is top or is inside top. Every directory is below "".
func below(folder, top string) bool {
	return top == "" || folder == top || strings.HasPrefix(folder, top+"/")
}
