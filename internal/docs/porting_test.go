package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
)

// portingScope is what the lines of docs/porting.md take for granted. set makes all of
// it anew, so that no line sees what another one did.
var portingScope = compilefail.Scope{
	Imports: []string{
		"errors", "fmt", "math", "os", "slices", "strings", "testing",
		"github.com/gotorch/gotorch/memory",
		"github.com/gotorch/gotorch/nn",
		"F github.com/gotorch/gotorch/nn/functional",
		"github.com/gotorch/gotorch/nn/nninit",
		"github.com/gotorch/gotorch/nn/utils",
		"github.com/gotorch/gotorch/nn/utils/parametrizations",
		"github.com/gotorch/gotorch/nn/utils/parametrize",
		"github.com/gotorch/gotorch/nn/utils/prune",
		"github.com/gotorch/gotorch/nn/utils/rnn",
		"github.com/gotorch/gotorch/optim",
		"github.com/gotorch/gotorch/optim/lr_scheduler",
		"github.com/gotorch/gotorch/optim/swa",
		"github.com/gotorch/gotorch/torch",
		"github.com/gotorch/gotorch/torch/amp",
		"github.com/gotorch/gotorch/torch/backends",
		"github.com/gotorch/gotorch/torch/cuda",
		"github.com/gotorch/gotorch/torch/data",
		"github.com/gotorch/gotorch/torch/data/transforms",
		"github.com/gotorch/gotorch/torch/fft",
		"github.com/gotorch/gotorch/torch/linalg",
		"github.com/gotorch/gotorch/torch/numpy",
		"github.com/gotorch/gotorch/torch/profiler",
		"github.com/gotorch/gotorch/torch/safetensors",
		"github.com/gotorch/gotorch/torch/serialization",
		"github.com/gotorch/gotorch/torch/special",
		"github.com/gotorch/gotorch/torch/tensorboard",
		"github.com/gotorch/gotorch/torchtest",
	},
	Decls: `
var (
	x, y, a, b, v, i, classes, mask, img, logits, target, w, logProbs, spoken *torch.Tensor

	g        *torch.Generator
	array    []float32
	training bool
	lstm     *nn.LSTM
	layer    *nn.Linear
	model    *nn.Sequential
	hook     func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor
	sd       nn.StateDict
	opt      *optim.AdamW
	sched    *lr_scheduler.StepLR
	dataset  *data.TensorDataset
	loader   *data.Loader
	collate  func([]data.Example) data.Example
	device   = torch.CPU
	root     string
	path     string
	resize   *transforms.Resize
	scaler   *amp.GradScaler
	p        *profiler.Profile
	ready    func(p *profiler.Profile) error
	info     data.WorkerInfo
	s        *cuda.Stream
	start    *cuda.Event
	end      *cuda.Event
	graph    *cuda.CUDAGraph
	writer   *tensorboard.SummaryWriter
	tensors  map[string]*torch.Tensor
	f        *safetensors.File
	weights  *serialization.StateDict
	npz      *numpy.NpzFile
	err      error
	t        testing.TB
	fn       func(in ...*torch.Tensor) *torch.Tensor
)

func set() {
	torch.ManualSeed(0)
	x, y = torch.Randn(torch.Shape{3, 4}), torch.Randn(torch.Shape{3, 4})
	a, b, v = torch.Randn(torch.Shape{3, 3}), torch.Randn(torch.Shape{3, 3}), torch.Randn(torch.Shape{4})
	i, classes, mask = torch.FromSlice([]int64{2, 0}), torch.FromSlice([]int64{2, 0, 1}, 3, 1), x.GtScalar(0)
	img = torch.Randn(torch.Shape{2, 3, 8, 8})
	logits, target = torch.Randn(torch.Shape{3, 4}), torch.FromSlice([]int64{2, 0, 3})
	logProbs, spoken = torch.Randn(torch.Shape{5, 2, 4}).LogSoftmax(2), torch.FromSlice([]int64{1, 2, 3, 0}, 2, 2)
	w = torch.Ones(torch.Shape{4}, torch.RequiresGrad)
	g, array = torch.NewGenerator(torch.CPU), make([]float32, 6)
	model = nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
	lstm, layer = nn.NewLSTM(8, 16), nn.NewLinear(4, 4)
	hook = func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor { return nil }
	sd = model.StateDict()
	opt = optim.NewAdamW(model.Parameters())
	sched = lr_scheduler.NewStepLR(opt, 10)
	dataset = data.NewTensorDataset(x, target)
	loader, collate = data.NewLoader(dataset), data.Stack
	resize, scaler = transforms.NewResize(4), amp.NewGradScaler(torch.CPU)
	model.Forward(x).Sum().Backward()
}
`,
}

// notRun has what is in lines that are compiled alone, with the reason.
var notRun = map[string]string{
	"CUDA(":               "needs a GPU",
	"cuda.Synchronize":    "needs a GPU",
	"cuda.NewStream":      "needs a GPU",
	"cuda.CurrentStream":  "needs a GPU",
	"cuda.NewCUDAGraph":   "needs a GPU",
	"cuda.Graph(":         "needs a GPU",
	"graph.Replay":        "needs a GPU",
	"s.Do(":               "needs a GPU",
	".Record()":           "needs a GPU",
	"s.RecordStream":      "needs a GPU",
	"start.Elapsed":       "needs a GPU",
	".PinMemory()":        "needs a GPU",
	"memory.DumpSnapshot": "writes a file",
	"ExportChromeTrace":   "writes a file",
	"NewSummaryWriter":    "writes a file",
	"writer.Add":          "writes a file",
	"safetensors.":        "reads or writes a file",
	"serialization.":      "reads or writes a file",
	"numpy.":              "reads or writes a file",
	"npz.":                "comes after reading a file",
	"NewStateDict(tens":   "comes after reading a file",
	"f.Tensor(":           "comes after reading a file",
	"f.Slice(":            "comes after reading a file",
	"data.ReadImage":      "reads a file",
	"data.ReadCSV":        "reads a file",
	"data.NewImageFolder": "reads files",
	"data.PinMemory":      "needs a GPU",
	"scaler.Unscale_":     "comes after a scaled loss",
	"scaler.Step":         "comes after a scaled loss",
	"scaler.Update":       "comes after a scaled loss",
	"p.KeyAverages().Tab": "comes after a profile",
	"torchtest.":          "is for tests",
	"SetDetectAnomaly":    "a setting of the process, which the line puts back at the end of its function",
	"UseDeterministic":    "a setting of the process",
	"SetPrintOptions":     "a setting of the process",
	"SetFloat32Matmul":    "a setting of the process",
}

// portingLines are the second cells of the tables.
func portingLines(t *testing.T) []string {
	page, err := os.ReadFile("../../docs/porting.md")
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		require.Len(t, cells, 2, line)
		m := code.FindAllStringSubmatch(cells[1], -1)
		require.Len(t, m, 1, "one piece of Go: %s", line)
		require.Equal(t, cells[1], m[0][0], "and nothing beside it")
		lines = append(lines, m[0][1])
	}
	return lines
}

func TestPortingCompiles(t *testing.T) {
	lines := portingLines(t)
	assert.GreaterOrEqual(t, len(lines), 200)
	if portingScope.Compile("{"+strings.Join(lines, "}\n{")+"}") == nil {
		return
	}
	for _, l := range lines {
		assert.NoError(t, portingScope.Compile(l), l)
	}
}

// The lines run, one after the other, in one program, each in a scope of its own.
func TestPortingRuns(t *testing.T) {
	var src strings.Builder
	src.WriteString("package main\n\n")
	for _, spec := range portingScope.Imports {
		name, path, renamed := strings.Cut(spec, " ")
		if !renamed {
			name, path = "", spec
		}
		fmt.Fprintf(&src, "import %s %q\n", name, path)
	}
	src.WriteString(portingScope.Decls + portingMain)
	unused := map[string]bool{}
	for fragment := range notRun {
		unused[fragment] = true
	}
	run := 0
lines:
	for _, l := range portingLines(t) {
		for fragment := range notRun {
			if strings.Contains(l, fragment) {
				delete(unused, fragment)
				continue lines
			}
		}
		run++
		fmt.Fprintf(&src, "\trun(%q, func() {\n%s\n\t})\n", l, statement(t, l))
	}
	src.WriteString("\tos.Exit(failed)\n}\n")
	assert.Empty(t, unused, "in no line")
	assert.Greater(t, run, 200)
	program := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(program, []byte(src.String()), 0o600))
	out, err := exec.Command("go", "run", program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, failures.Find(out))
	}
}

// failures begins where a program says what went wrong.
var failures = regexp.MustCompile(`(?s)(FAIL:|# command-line-arguments|panic:).*`)

const portingMain = `
var failed int

func run(line string, fn func()) {
	err := torch.Try(func() {
		torch.Scope(func() {
			set()
			fn()
		})
	})
	if err != nil {
		fmt.Printf("FAIL: %s: %v\n", line, err)
		failed = 1
	}
}

func main() {
	var _ = []any{errors.Is, math.Pow, cuda.IsAvailable, utils.ClipGradNorm, nninit.Zeros_, F.ReLU, memory.Collect, torchtest.AllClose}
`

// statement makes a statement that compiles of a line, whose values may be unused.
func statement(t *testing.T, line string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+line+"\n}", parser.SkipObjectResolution)
	require.NoError(t, err, line)
	body := f.Decls[0].(*ast.FuncDecl).Body.List
	for _, s := range body {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, l := range a.Lhs {
				line += "\n_ = " + l.(*ast.Ident).Name
			}
		}
	}
	if e, ok := body[0].(*ast.ExprStmt); ok {
		if _, call := e.X.(*ast.CallExpr); !call {
			return "_ = " + line
		}
	}
	return line
}
