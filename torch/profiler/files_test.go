package profiler_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// everything returns a profile of a step with all options.
func everything(t *testing.T) *profiler.Profile {
	t.Helper()
	step := programs()["mlp"]
	step()
	p, err := profiler.Run(func(*profiler.Profile) { step() }, profiler.RecordShapes(true),
		profiler.ProfileMemory(true),
		profiler.WithStack(true), profiler.WithFlops(true), profiler.WithModules(true))
	require.NoError(t, err)
	return p
}

type traceEvent struct {
	Ph, Cat, Name string
	PID, TID      any
	TS, Dur       float64
	ID            int
	BP            string
	Args          map[string]any
}

type trace struct {
	SchemaVersion       int
	DisplayTimeUnit     string
	BaseTimeNanoseconds int64
	WithStack           int `json:"with_stack"`
	Run                 string
	Numbers             []int
	TraceEvents         []traceEvent
	DeviceProperties    []any
	ProfileMemory       int `json:"profile_memory"`
	RecordShapes        int `json:"record_shapes"`
	WithFlops           int `json:"with_flops"`
}

// ExportChromeTrace writes Kineto's format: its fields, its categories, and arrows from
// forward operators to backward ones. In each row, children lie within their parents.
func TestChromeTrace(t *testing.T) {
	p := everything(t)
	p.AddMetadata("run", `a "quoted" name`)
	require.NoError(t, p.AddMetadataJSON("numbers", "[1]"))
	require.NoError(t, p.AddMetadataJSON("numbers", "[1, 2]"))
	kind(t, p.AddMetadataJSON("x", "{"), torch.ErrValue, "expected JSON")
	path := filepath.Join(t.TempDir(), "trace.json")
	require.NoError(t, p.ExportChromeTrace(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var got trace
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, []any{1, "ms", 1, 1, 1, 1, `a "quoted" name`, []int{1, 2}},
		[]any{
			got.SchemaVersion, got.DisplayTimeUnit, got.WithStack, got.ProfileMemory, got.RecordShapes, got.WithFlops,
			got.Run, got.Numbers,
		})
	assert.Positive(t, got.BaseTimeNanoseconds)

	categories := map[string]int{}
	starts, ends := map[int]traceEvent{}, map[int]traceEvent{}
	open := map[any][]traceEvent{}
	for _, e := range got.TraceEvents {
		categories[e.Ph+" "+e.Cat]++
		switch e.Ph {
		case "s":
			starts[e.ID] = e
		case "f":
			ends[e.ID] = e
			assert.Equal(t, "e", e.BP)
		case "X":
			if e.Cat != "cpu_op" && e.Cat != "user_annotation" {
				break
			}
			row := open[e.TID]
			for len(row) > 0 && row[len(row)-1].TS+row[len(row)-1].Dur <= e.TS {
				row = row[:len(row)-1]
			}
			if len(row) > 0 {
				up := row[len(row)-1]
				assert.LessOrEqual(t, e.TS+e.Dur, up.TS+up.Dur+0.0005, "%s within %s", e.Name, up.Name)
			}
			open[e.TID] = append(row, e)
		}
	}
	assert.Len(t, starts, 7, "as many as in Python")
	for id, from := range starts {
		assert.Less(t, from.TS, ends[id].TS)
	}
	for _, c := range []string{
		"X cpu_op", "X user_annotation", "X python_function", "X Trace", "i cpu_instant_event",
		"s fwdbwd", "f fwdbwd", "M ",
	} {
		assert.Positive(t, categories[c], c)
	}
	for _, e := range got.TraceEvents {
		if e.Name != "aten::addmm" {
			continue
		}
		assert.Equal(t, []any{[]any{8.}, []any{5., 4.}, []any{4., 8.}, []any{}, []any{}}, e.Args["Input Dims"])
		assert.Equal(t, []any{[]any{1.}, []any{4., 1.}, []any{1., 4.}, []any{}, []any{}}, e.Args["Input Strides"])
		assert.Equal(t, []any{"float", "float", "float", "Scalar", "Scalar"}, e.Args["Input type"])
		assert.Equal(t, []any{"", "", "", "1", "1"}, e.Args["Concrete Inputs"])
		assert.Contains(t, e.Args["Call stack"], "python_test.go(")
		assert.InDelta(t, 320, e.Args["Total FLOPs"], 0)
		break
	}
}

func TestCompressedTraceAndHandler(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs", "run")
	for _, zip := range []bool{false, true} {
		_, err := profiler.Run(func(*profiler.Profile) { add() },
			profiler.TensorBoardTraceHandler(dir, profiler.WorkerName("worker0"), profiler.UseGzip(zip)))
		require.NoError(t, err)
	}
	plain, err := filepath.Glob(filepath.Join(dir, "worker0.*.pt.trace.json"))
	require.NoError(t, err)
	require.Len(t, plain, 1)
	zipped, err := filepath.Glob(filepath.Join(dir, "worker0.*.pt.trace.json.gz"))
	require.NoError(t, err)
	require.Len(t, zipped, 1)
	f, err := os.Open(zipped[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.True(t, json.Valid(text))

	_, err = profiler.Run(func(*profiler.Profile) {}, profiler.TensorBoardTraceHandler(plain[0]))
	kind(t, err, torch.ErrRuntime, "not a directory")
	p, err := profiler.Run(func(*profiler.Profile) {})
	require.NoError(t, err)
	kind(t, p.ExportChromeTrace(filepath.Join(dir, "none", "x")), torch.ErrRuntime, "no such file")
}

func TestStackFile(t *testing.T) {
	p := everything(t)
	path := filepath.Join(t.TempDir(), "stacks")
	require.NoError(t, p.ExportStacks(path, profiler.SortByNothing))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		assert.Regexp(t, `^([^ ;]+;)*[^ ;]+ [0-9]+$`, line)
	}
	require.NoError(t, p.ExportStacks(path, "self_cuda_time_total"))
	kind(t, p.ExportStacks(path, profiler.SortByCount), torch.ErrValue, "metric")
	without, err := profiler.Run(func(*profiler.Profile) {})
	require.NoError(t, err)
	kind(t, without.ExportStacks(path, ""), torch.ErrValue, "WithStack")
}

func TestToggleCollection(t *testing.T) {
	p := profiler.NewProfile()
	kind(t, p.ToggleCollection(true, profiler.CPU), torch.ErrRuntime, "is not recording")
	require.NoError(t, p.Start())
	add()
	require.NoError(t, p.ToggleCollection(false, profiler.CPU))
	add()
	add()
	require.NoError(t, p.ToggleCollection(true, profiler.CPU))
	add()
	kind(t, p.ToggleCollection(true, profiler.CUDA), torch.ErrValue, "CUDA")
	kind(t, p.ToggleCollection(true), torch.ErrValue, "none")
	require.NoError(t, p.Stop())
	assert.Equal(t, 2, count(p, "aten::add"))
}

// go tool pprof shows operators below the lines that called them, and operators of a
// backward pass below the line of the forward operator.
func TestPprof(t *testing.T) {
	p := everything(t)
	var b bytes.Buffer
	require.NoError(t, p.WritePprof(&b))
	path := filepath.Join(t.TempDir(), "ops")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	tool := func(args ...string) string { return pprofTool(t, path, args...) }
	top := tool("-top", "-nodecount=1000", "-sample_index=calls")
	assert.Regexp(t, `(?m)^\s+4 .* aten::add_$`, top)
	assert.Regexp(t, `(?m)\s[0-9]+ .* github.com/gotorch/gotorch/nn/functional.Linear$`, top)
	peek := tool("-peek", "AddmmBackward0", "-sample_index=calls")
	assert.Contains(t, peek, "aten::mm")
	assert.Regexp(t, `cpu`, tool("-top"))
	assert.Contains(t, tool("-tags"), "backward")
	assert.Regexp(t, `aten::mm`, tool("-top", "-nodecount=1000", "-sample_index=operations"))
	assert.Regexp(t, `aten::addmm`, tool("-top", "-nodecount=1000", "-sample_index=space"))
	require.ErrorIs(t, p.WritePprof(brokenWriter{}), io.ErrClosedPipe)
	for name, err := range map[string]error{"WritePprof": p.WritePprof(nil), "WriteHTML": p.WriteHTML(nil)} {
		require.EqualError(t, err, "torch: profiler.Profile."+name+": argument w: a nil writer")
		require.ErrorIs(t, err, torch.ErrNil)
	}
}

func pprofTool(t *testing.T, path string, args ...string) string {
	t.Helper()
	text, err := exec.Command("go", append(append([]string{"tool", "pprof"}, args...), path)...).CombinedOutput()
	require.NoError(t, err, string(text))
	return string(text)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
