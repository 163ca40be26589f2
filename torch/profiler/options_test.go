package profiler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// Each option is tried alone, after a different value of it, and together with a nil
// option.
func TestOptions(t *testing.T) {
	layer := nn.NewLinear(2, 3)
	x := torch.Ones(torch.Shape{4, 2})
	before := torch.SetWarnings(torch.WarnNever)
	defer torch.SetWarnings(before)
	// kept describes the parts of a profile of three steps that are the same in each run.
	kept := func(p *profiler.Profile, err error) optiontest.Outcome {
		if err != nil {
			return optiontest.Outcome{"kept": err.Error()}
		}
		if count(p, "aten::addmm") == 0 {
			return optiontest.Outcome{"kept": "no operator"}
		}
		e := find(t, p, "aten::addmm")
		return optiontest.Outcome{"kept": fmt.Sprint(e.InputShapes, e.CPUMemoryUsage, len(e.Stack()) > 0, e.Flops,
			count(p, "aten::addmm"), len(p.Modules()) > 0)}
	}
	steps := func(p *profiler.Profile) {
		for i := range 3 {
			if i > 0 {
				_ = p.Step()
			}
			torch.Scope(func() { layer.Forward(x) })
		}
	}
	each := func(opts []profiler.Option) []profiler.Option {
		return append([]profiler.Option{profiler.NewSchedule(profiler.Active(1))}, opts...)
	}
	first := profiler.Schedule(func(step int) profiler.Action {
		if step == 0 {
			return profiler.ActionRecordAndSave
		}
		return profiler.ActionNone
	})
	failing := func(text string) any {
		return profiler.OnTraceReady(func(*profiler.Profile) error { return fmt.Errorf("%s", text) })
	}
	profile := []optiontest.Pair{
		optiontest.Values(profiler.Activities{profiler.CPU}, profiler.Activities{profiler.CUDA}),
		optiontest.Values(profiler.RecordShapes(true), profiler.RecordShapes(false)),
		optiontest.Values(profiler.ProfileMemory(true), profiler.ProfileMemory(false)),
		optiontest.Values(profiler.WithStack(true), profiler.WithStack(false)),
		optiontest.Values(profiler.WithFlops(true), profiler.WithFlops(false)),
		optiontest.Values(profiler.WithModules(true), profiler.WithModules(false)),
		optiontest.Values(first, profiler.Schedule(func(int) profiler.Action { return profiler.ActionRecord })),
		optiontest.Values(failing("a"), failing("b")),
		optiontest.Values(profiler.AccEvents(true), profiler.AccEvents(false)),
		optiontest.Values(profiler.MemoryLimit(1), profiler.MemoryLimit(0)),
	}
	p, err := profiler.Run(func(*profiler.Profile) {
		for range 2 {
			torch.Scope(func() { layer.Forward(x).Mul(x.Sum()) })
		}
	}, profiler.RecordShapes(true), profiler.WithStack(true), profiler.ProfileMemory(true))
	require.NoError(t, err)
	table := func(l *profiler.AverageList) func(opts ...profiler.TableOption) optiontest.Outcome {
		return func(opts ...profiler.TableOption) optiontest.Outcome {
			return optiontest.Outcome{"printed": l.Table(opts...)}
		}
	}
	tables := []optiontest.Pair{
		optiontest.Values(profiler.SortByCPUTimeTotal, profiler.SortByNothing),
		optiontest.Values(profiler.RowLimit(1), profiler.RowLimit(2)),
		optiontest.Values(profiler.Header("a"), profiler.Header("b")),
		optiontest.Values(profiler.TopLevelEventsOnly(true), profiler.TopLevelEventsOnly(false)),
		optiontest.Values(profiler.TimeUnitS, profiler.TimeUnitMS),
		optiontest.Values(profiler.MaxNameColumnWidth(8), profiler.MaxNameColumnWidth(9)),
		optiontest.Values(profiler.MaxSrcColumnWidth(20), profiler.MaxSrcColumnWidth(30)),
		optiontest.Values(profiler.MaxShapesColumnWidth(10), profiler.MaxShapesColumnWidth(12)),
	}
	grouped := func(
		f func(opts ...profiler.GroupOption) *profiler.AverageList) func(
		opts ...profiler.GroupOption) optiontest.Outcome {
		return func(opts ...profiler.GroupOption) optiontest.Outcome {
			l := f(opts...)
			return optiontest.Outcome{"rows": fmt.Sprint(len(l.Averages), l.Averages[1].InputShapes,
				l.Averages[1].Stack)}
		}
	}
	groups := []optiontest.Pair{
		optiontest.Values(profiler.GroupByInputShape(true), profiler.GroupByInputShape(false)),
		optiontest.Values(profiler.GroupByStackN(1), profiler.GroupByStackN(2)),
	}
	averages := p.KeyAverages(profiler.GroupByInputShape(true), profiler.GroupByStackN(2))
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewProfile": optiontest.For(func(opts ...profiler.Option) optiontest.Outcome {
			p := profiler.NewProfile(each(opts)...)
			if err := p.Start(); err != nil {
				return kept(p, err)
			}
			steps(p)
			return kept(p, p.Stop())
		}, profile...),
		"Run": optiontest.For(func(opts ...profiler.Option) optiontest.Outcome {
			return kept(profiler.Run(steps, each(opts)...))
		}, profile...),
		"TensorBoardTraceHandler": optiontest.For(func(opts ...profiler.HandlerOption) optiontest.Outcome {
			dir := t.TempDir()
			if err := profiler.TensorBoardTraceHandler(dir, opts...)(p); err != nil {
				return optiontest.Outcome{"file": err.Error()}
			}
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			worker, _, _ := strings.Cut(files[0].Name(), ".")
			return optiontest.Outcome{"file": worker + filepath.Ext(files[0].Name())}
		}, optiontest.Values(profiler.WorkerName("a"), profiler.WorkerName("")),
			optiontest.Values(profiler.UseGzip(true), profiler.UseGzip(false))),
		"Profile.KeyAverages":   optiontest.For(grouped(p.KeyAverages), groups...),
		"EventList.KeyAverages": optiontest.For(grouped(p.Events().KeyAverages), groups...),
		"AverageList.Table":     optiontest.For(table(averages), tables...),
		"EventList.Table": optiontest.For(func(opts ...profiler.TableOption) optiontest.Outcome {
			return optiontest.Outcome{"printed": p.Events().Table(opts...)}
		}, tables...),
		"Profile.MemoryTimeline": optiontest.For(func(opts ...profiler.TimelineOption) optiontest.Outcome {
			return optiontest.Outcome{"points": fmt.Sprint(len(p.MemoryTimeline(opts...)))}
		}, optiontest.Values(profiler.Device(torch.CUDA.At(0)), profiler.Device(torch.CPU))),
		"Profile.ExportMemoryTimeline": optiontest.For(func(opts ...profiler.TimelineOption) optiontest.Outcome {
			path := filepath.Join(t.TempDir(), "m.raw.json")
			if err := p.ExportMemoryTimeline(path, opts...); err != nil {
				return optiontest.Outcome{"file": err.Error()}
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			return optiontest.Outcome{"file": string(text)}
		}, optiontest.Values(profiler.Device(torch.CUDA.At(0)), profiler.Device(torch.CPU))),
		"NewSchedule": optiontest.For(func(opts ...profiler.ScheduleOption) optiontest.Outcome {
			s := profiler.NewSchedule(append([]profiler.ScheduleOption{profiler.Wait(1), profiler.Active(1)},
				opts...)...)
			var actions []string
			for i := range 12 {
				actions = append(actions, s(i).String())
			}
			return optiontest.Outcome{"actions": strings.Join(actions, " ")}
		}, optiontest.Values(profiler.Wait(2), profiler.Wait(3)),
			optiontest.Values(profiler.Warmup(1), profiler.Warmup(0)),
			optiontest.Values(profiler.Active(2), profiler.Active(3)),
			optiontest.Values(profiler.Repeat(1), profiler.Repeat(0)),
			optiontest.Values(profiler.SkipFirst(1), profiler.SkipFirst(0)),
			optiontest.Values(profiler.SkipFirstWait(true), profiler.SkipFirstWait(false))),
	})
}

func TestOtherOptionsDoNotCompile(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/profiler"},
		Decls:   "var p *profiler.Profile",
	}
	scope.Accepts(t,
		`profiler.NewProfile(profiler.RecordShapes(true), profiler.NewSchedule(profiler.Active(1)), `+
			`profiler.TensorBoardTraceHandler("dir"))`,
		`profiler.NewSchedule(profiler.Wait(1), profiler.Active(1), profiler.SkipFirst(1))`,
		`profiler.TensorBoardTraceHandler("dir", profiler.UseGzip(true))`,
		`p.KeyAverages(profiler.GroupByStackN(1)).`+
			`Table(profiler.SortByCount, profiler.TimeUnitMS, profiler.RowLimit(1))`,
	)
	scope.Rejects(t,
		`profiler.NewProfile(profiler.Active(1))`,
		`profiler.NewProfile(torch.Float32)`,
		`profiler.NewSchedule(profiler.RecordShapes(true))`,
		`profiler.TensorBoardTraceHandler("dir", profiler.RowLimit(1))`,
		`p.KeyAverages(profiler.RowLimit(1))`,
		`p.KeyAverages().Table(profiler.GroupByStackN(1))`,
		`p.MemoryTimeline(torch.CPU)`,
	)
}
