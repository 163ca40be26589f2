package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// gpu are fragments of lines that need a GPU. These lines are only compiled.
var gpu = []string{
	"torch.CUDA", "cuda.Synchronize", "cuda.NewStream", "cuda.CurrentStream", "cuda.NewCUDAGraph", "cuda.Graph(",
	"graph.Replay", "distributed.NCCL", "s.Do(", ".Record()", "s.RecordStream", "start.Elapsed", ".PinMemory()",
	"data.PinMemory",
}

// before maps a fragment to the statements to put before each line that contains it. They
// set up what testdata/porting.go does not declare.
var before = map[string]string{
	"safetensors.LoadFile(":         "err := safetensors.SaveFile(tensors, path)",
	"safetensors.Open(":             "err := safetensors.SaveFile(tensors, path)",
	"LoadStateDict(path);":          "err := serialization.Save(sd, path)",
	`Key("model")`:                  `err := serialization.Save(serialization.NewDict("model", sd), path)`,
	"serialization.Load(":           `err := serialization.Save(serialization.NewDict("epoch", 3), path)`,
	"serialization.LoadDict(":       `err := serialization.Save(serialization.NewDict("scheduler", sched.StateDict()), path)`,
	"numpy.Load(":                   `path := "array.npy"; err := numpy.Save(x, path)`,
	"numpy.OpenNpz(":                "openedNpz(a)",
	"numpy.LoadNpz(":                "openedNpz(a)",
	"jit.Load(":                     "err := script.Save(path)",
	"ops.Kernels{Forward: forward}": "forward := func(args []any) []any { return args }",
	"ops.Kernels{Forward: forward, Setup": "forward := func(args []any) []any { return args }; " +
		"setup := func(*torch.Context, []any, []any) {}; " +
		"backward := func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return g }",
	"data.ReadImage(":      `writeImages(root); path := filepath.Join(root, "cat", "0.png")`,
	"data.NewImageFolder(": "writeImages(root)",
	"data.ReadCSV(":        `err := os.WriteFile("iris.csv", []byte("length,width\n5.1,3.5\n"), 0o600)`,
	"scaler.Unscale_(":     "scaler.Scale(model.Forward(x).Sum()).Backward()",
	"scaler.Step(":         "scaler.Scale(model.Forward(x).Sum()).Backward()",
	"scaler.Update(":       "scaler.Scale(model.Forward(x).Sum()).Backward(); scaler.Step(opt)",
	"torchtest.AllClose(":  "y := x.Clone()",
	"torchtest.GradCheck(": "w := torch.Ones(torch.Shape{4}, torch.Float64, torch.RequiresGrad(true))",
	"InitProcessGroup(": `ctx := context.Background(); for _, v := range [][2]string{` +
		`{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "0"}, ` +
		`{"GLOO_SOCKET_IFNAME", "lo"}} { _ = os.Setenv(v[0], v[1]) }`,
	"group.AllReduce(":        "ctx, group := context.Background(), alone()",
	"group.Close(":            "group := alone()",
	"parallel.NewDistributed": "ctx, group := context.Background(), alone()",
	"net.NoSync(":             "net := wrapped()",
	"group.Size()":            "group := alone()",
	"group.NewGroup(":         "ctx, group := context.Background(), alone()",
	"group.BroadcastObject(":  "ctx, group := context.Background(), alone()",
	"net.RegisterCommHook(":   "net := wrapped()",
	"zero.NewZeroRedundancy":  "group := alone()",
	"ConvertSyncBatchNorm(":   "group := alone()",
	"net.Join(":               "ctx, net := context.Background(), wrapped(); train := func() error { return nil }",
	"join.Join(": "ctx, net := context.Background(), wrapped(); train := func() error { return nil }; " +
		"opt, _ := zero.NewZeroRedundancyOptimizer(net.JoinGroup(), optim.NewSGD(net.Parameters()))",
	"UseDeterministicAlgorithm": "defer torch.UseDeterministicAlgorithms(false)",
}

// after maps a fragment to the statements to put after each line that contains it.
var after = map[string]string{
	"torch.Try(func() { x.MatMul(y) })": "err = nil // the mistake is the point",
	"export.Load(path)":                 "_, err = program, nil // the file is another one",
	"ops.LoadLibrary(path)":             "err = nil // the file is another one",
}

// portingLines returns the Go code of docs/porting.md: the second cell of each table row.
func portingLines(t *testing.T) []docblocks.Block {
	page, err := os.ReadFile(filepath.Join(repository, "docs", "porting.md"))
	require.NoError(t, err)
	var lines []docblocks.Block
	n := 0
	for line := range strings.Lines(string(page)) {
		n++
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		require.Len(t, cells, 2, line)
		m := code.FindAllStringSubmatch(cells[1], -1)
		require.Len(t, m, 1, "one piece of Go: %s", line)
		require.Equal(t, cells[1], m[0][0], "and nothing beside it")
		lines = append(lines, docblocks.Block{
			Page: "docs/porting.md", Line: n, Lang: "go",
			Source: statement(t, m[0][1]) + "\n",
		})
	}
	return lines
}

// Each line of Go in docs/porting.md compiles, and runs unless it needs a GPU.
func TestPortingRuns(t *testing.T) {
	lines := portingLines(t)
	assert.GreaterOrEqual(t, len(lines), 350)
	unused := map[string]bool{}
	mark := func(b *docblocks.Block, kind, fragment, text string) {
		unused[fragment] = unused[fragment] || false
		if strings.Contains(b.Source, fragment) {
			unused[fragment] = true
			b.Marks = append(b.Marks, docblocks.Mark{Kind: kind, Text: text, Line: b.Line})
		}
	}
	for i := range lines {
		for _, fragment := range gpu {
			mark(&lines[i], "compiled only", fragment, "needs a GPU")
		}
		for fragment, text := range before {
			mark(&lines[i], "given", fragment, text)
		}
		for fragment, text := range after {
			mark(&lines[i], "then", fragment, text)
		}
	}
	for fragment, used := range unused {
		assert.True(t, used, "no line has %q", fragment)
	}
	docblocks.RunBlocks(t, repository, "", "porting.go", lines)
}

// statement returns line as a statement. An expression that is not a call becomes an
// assignment to _.
func statement(t *testing.T, line string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+line+"\n}",
		parser.SkipObjectResolution)
	require.NoError(t, err, line)
	if e, ok := f.Decls[0].(*ast.FuncDecl).Body.List[0].(*ast.ExprStmt); ok {
		if _, call := e.X.(*ast.CallExpr); !call {
			return "_ = " + line
		}
	}
	return line
}
