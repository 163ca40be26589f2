package profiler_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// onDevices returns a profile of the synthetic program of testdata/kineto.json.
func onDevices(t *testing.T) *profiler.Profile {
	t.Helper()
	var given profiler.GivenDevices
	readJSON(t, "kineto.json", &given)
	return given.Profile(2, 8)
}

// CUDA calls belong to the operators that made them, and kernels to the operators that
// launched them, according to CUPTI's correlation IDs. Tables equal Python's.
func TestDeviceTablesAreThoseOfPython(t *testing.T) {
	p := onDevices(t)
	var cases []struct {
		Events bool
		Table  map[string]any
	}
	readJSON(t, "kineto_cases.json", &cases)
	var want []string
	readJSON(t, "kineto_tables.json", &want)
	require.Len(t, want, len(cases))
	for i, c := range cases {
		if c.Events {
			assert.Equal(t, want[i], p.Events().Table(tableOptions(c.Table)...), "case %d", i)
		} else {
			assert.Equal(t, want[i], p.KeyAverages().Table(tableOptions(c.Table)...), "case %d", i)
		}
	}
}

func TestKernelsOfAnOperator(t *testing.T) {
	p := onDevices(t)
	for _, e := range p.Events().Events {
		switch {
		case e.Name == "aten::addmm":
			require.Len(t, e.Kernels, 2)
			assert.Equal(t, profiler.Kernel{Name: "bias_kernel", Duration: 2250}, e.Kernels[1])
			assert.EqualValues(t, 32750, e.SelfDeviceTimeTotal())
		case e.Name == "aten::linear":
			assert.Empty(t, e.Kernels)
			assert.EqualValues(t, 32750, e.DeviceTimeTotal())
		case e.Name == "cudaGraphLaunch":
			assert.Nil(t, e.CPUParent, "no operator made the call")
		case e.Device == torch.CUDA.At(1) && !e.IsUserAnnotation:
			assert.Equal(t, "sgemm_128x64", e.Name)
			assert.Nil(t, e.CPUParent)
		}
	}
}

// Each device has its own rows, with Kineto's properties. Arrows lead from calls to the
// work that they launched.
func TestDeviceTrace(t *testing.T) {
	p := onDevices(t)
	path := filepath.Join(t.TempDir(), "trace.json")
	require.NoError(t, p.ExportChromeTrace(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var got trace
	require.NoError(t, json.Unmarshal(text, &got))
	ids := map[string]float64{}
	rows := map[string]string{}
	arrows := map[int][]traceEvent{}
	kernels := 0
	for _, e := range got.TraceEvents {
		switch {
		case e.Cat == "cpu_op":
			ids[e.Name] = e.Args["External id"].(float64)
		case e.Name == "process_labels":
			rows[fmt.Sprint(e.PID)] = e.Args["labels"].(string)
		case e.Name == "thread_name":
			rows[fmt.Sprint(e.PID, " ", e.TID)] = e.Args["name"].(string)
		case e.Cat == "ac2g":
			arrows[e.ID] = append(arrows[e.ID], e)
		case e.Cat == "kernel":
			kernels++
		}
	}
	assert.Equal(t, "GPU 0", rows["0"])
	assert.Equal(t, "GPU 1", rows["1"])
	assert.Equal(t, "stream 7", rows["0 7"])
	assert.Equal(t, "stream 9", rows["1 9"])
	assert.Equal(t, 7, kernels)
	assert.Len(t, arrows, 8, "what a graph launches has arrows from one call; one call is not known")
	for _, a := range arrows {
		require.Len(t, a, 2)
		assert.Equal(t, []string{"s", "f", "e"}, []string{a[0].Ph, a[1].Ph, a[1].BP})
		assert.Less(t, a[0].TS, a[1].TS)
	}
	for _, e := range got.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		switch e.Name {
		case "bias_kernel":
			assert.Equal(t, []any{0., 7., 71., 2.25}, []any{e.PID, e.TID, e.TS, e.Dur})
			assert.InDelta(t, ids["aten::addmm"], e.Args["External id"], 0)
			assert.Equal(t, []any{128., 1., 1.}, e.Args["block"])
		case "relu_kernel":
			assert.InDelta(t, 20, e.TID, 0)
		case "cuLaunchKernelEx":
			assert.Equal(t, "cuda_driver", e.Cat)
			assert.InDelta(t, ids["aten::relu"], e.Args["External id"], 0)
			assert.InDelta(t, 15, e.Args["correlation"], 0)
		case "Memset (Device)":
			assert.Equal(t, "gpu_memset", e.Cat)
		}
		if e.Cat == "gpu_user_annotation" {
			assert.Contains(t, []string{"forward", "ProfilerStep#3"}, e.Name)
		}
	}
}

func TestDevicePprof(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, onDevices(t).WritePprof(&b))
	path := filepath.Join(t.TempDir(), "ops")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	assert.Regexp(t, `(?m)66us .* aten::mm$`,
		pprofTool(t, path, "-top", "-nodecount=1000", "-unit=us", "-sample_index=device"))
	assert.Regexp(t, `(?m)cudaGraphLaunch$`, pprofTool(t, path, "-top", "-nodecount=1000", "-sample_index=cpu"))
}

func TestDevicePageInBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.html")
	require.NoError(t, onDevices(t).ExportHTML(path))
	b := browser.Start(t)
	b.In(t, 1360, 820, false)
	b.Open(path)
	assert.Subset(t, browser.Eval[[]string](b, `app.data.lanes`),
		[]string{"goroutine 1", "cuda:0 stream 7", "cuda:0 stream 20", "cuda:1 stream 9"})
	browser.Eval[bool](b, `(document.getElementById("tab-timeline").click(), true)`)
	b.Settle()
	b.Screenshot("profile-devices")
	type point struct{ X, Y float64 }
	at := browser.Eval[point](b, `(() => {
		const f = app.views[1][2], r = f.canvas.getBoundingClientRect();
		const o = f.boxes.find(b => app.data.text(b.i) === "sgemm_128x64");
		return { X: r.x + o.x + o.w / 2, Y: r.y + o.y + 8 };
	})()`)
	b.Mouse("mouseMoved", at.X, at.Y)
	assert.Equal(t, "sgemm_128x64", browser.Eval[string](b, `document.querySelector("#details h2").textContent`))
	assert.Contains(t, browser.Eval[string](b, `document.querySelector("#details").textContent`), "cuda:0 stream 7")
}
