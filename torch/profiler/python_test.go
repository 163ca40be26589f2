package profiler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

type cnn struct {
	conv *nn.Conv2d
	norm *nn.BatchNorm2d
	fc   *nn.Linear
}

func (c *cnn) forward(x *torch.Tensor) *torch.Tensor {
	x = F.MaxPool2d(F.ReLU(c.norm.Forward(c.conv.Forward(x))), 2)
	return c.fc.Forward(x.Flatten(1))
}

func train(forward func(*torch.Tensor) *torch.Tensor, opt optim.Optimizer, x, y *torch.Tensor) {
	torch.Scope(func() {
		opt.ZeroGrad()
		var loss *torch.Tensor
		profiler.RecordFunction("forward", func() { loss = F.CrossEntropy(forward(x), y) })
		loss.Backward()
		opt.Step()
	})
}

// programs are the programs of testdata/make_profiler.py. Each function runs one step.
func programs() map[string]func() {
	mlp := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 3))
	c := &cnn{conv: nn.NewConv2d(1, 4, 3), norm: nn.NewBatchNorm2d(4), fc: nn.NewLinear(4*13*13, 10)}
	params := append(append(c.conv.Parameters(), c.norm.Parameters()...), c.fc.Parameters()...)
	forMLP, forCNN := optim.NewSGD(mlp.Parameters(), optim.LR(0.1)),
		optim.NewSGD(params, optim.LR(0.1), optim.Momentum(0.9))
	x, y := torch.Randn(torch.Shape{5, 4}), torch.FromSlice([]int64{0, 1, 2, 0, 1}, 5)
	xc, yc := torch.Randn(torch.Shape{2, 1, 28, 28}), torch.FromSlice([]int64{0, 1}, 2)
	return map[string]func(){
		"mlp": func() { train(mlp.Forward, forMLP, x, y) },
		"cnn": func() { train(c.forward, forCNN, xc, yc) },
	}
}

// The same programs run the same operators in Go and Python, with the same counts,
// shapes and estimated FLOPs.
func TestOperatorsAreThoseOfPython(t *testing.T) {
	var want map[string][][5]any
	readJSON(t, "programs.json", &want)
	for name, step := range programs() {
		t.Run(name, func(t *testing.T) {
			step()
			p, err := profiler.Run(func(*profiler.Profile) { step() }, profiler.WithFlops(true),
				profiler.ProfileMemory(true))
			require.NoError(t, err)
			rows := func(of func(yield func(key string, shapes any, count, flops, bytes any))) map[string]string {
				out := map[string]string{}
				of(func(key string, shapes any, count, flops, bytes any) {
					// The lifetime of a tensor depends on the language. Operators allocate the
					// same memory, but frees within regions and backward nodes differ.
					if !strings.HasPrefix(key, "aten::") {
						bytes = "any"
					}
					out[fmt.Sprintf("%s %v", key, shapes)] = fmt.Sprintf("%v calls, %v flops, %v bytes", count, flops,
						bytes)
				})
				return out
			}
			python := rows(func(yield func(string, any, any, any, any)) {
				for _, r := range want[name] {
					yield(r[0].(string), r[1], r[2], r[3], r[4])
				}
			})
			ours := rows(func(yield func(string, any, any, any, any)) {
				for _, a := range p.KeyAverages(profiler.GroupByInputShape(true)).Averages {
					if a.Key != "[memory]" {
						yield(a.Key, a.InputShapes, a.Count, float64(a.Flops), float64(a.CPUMemoryUsage))
					}
				}
			})
			assert.Equal(t, python, ours)
		})
	}
}

func TestTablesAreThoseOfPython(t *testing.T) {
	var given []profiler.GivenEvent
	readJSON(t, "events.json", &given)
	var cases []struct {
		profiler.Given
		Events bool
		Group  struct {
			Shapes bool `json:"group_by_input_shapes"`
			Stack  int  `json:"group_by_stack_n"`
		}
		Table map[string]any
	}
	readJSON(t, "cases.json", &cases)
	var want []string
	readJSON(t, "tables.json", &want)
	require.Len(t, want, len(cases))
	for i, c := range cases {
		l := profiler.ListOf(given, c.Given)
		opts := tableOptions(c.Table)
		if c.Events {
			assert.Equal(t, want[i], l.Table(opts...), "case %d", i)
			continue
		}
		avg := l.KeyAverages(profiler.GroupByInputShape(c.Group.Shapes), profiler.GroupByStackN(c.Group.Stack))
		assert.Equal(t, want[i], avg.Table(opts...), "case %d", i)
	}
}

// tableOptions converts options that are given by their Python names.
func tableOptions(of map[string]any) []profiler.TableOption {
	width := func(v any) int {
		if v == nil {
			return -1
		}
		return int(v.(float64))
	}
	var opts []profiler.TableOption
	for name, v := range of {
		switch name {
		case "sort_by":
			opts = append(opts, profiler.SortBy(v.(string)))
		case "row_limit":
			opts = append(opts, profiler.RowLimit(v.(float64)))
		case "header":
			opts = append(opts, profiler.Header(v.(string)))
		case "time_unit":
			opts = append(opts, profiler.TimeUnit(v.(string)))
		case "top_level_events_only":
			opts = append(opts, profiler.TopLevelEventsOnly(v.(bool)))
		case "max_name_column_width":
			opts = append(opts, profiler.MaxNameColumnWidth(width(v)))
		case "max_src_column_width":
			opts = append(opts, profiler.MaxSrcColumnWidth(width(v)))
		case "max_shapes_column_width":
			opts = append(opts, profiler.MaxShapesColumnWidth(width(v)))
		}
	}
	return opts
}
