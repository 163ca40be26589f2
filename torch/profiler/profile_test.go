package profiler_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torchtest"
)

// count returns the number of events with the given name.
func count(p *profiler.Profile, name string) int {
	n := 0
	for _, e := range p.Events().Events {
		if e.Name == name {
			n++
		}
	}
	return n
}

func find(t *testing.T, p *profiler.Profile, name string) *profiler.Event {
	t.Helper()
	es := p.Events().Events
	i := slices.IndexFunc(es, func(e *profiler.Event) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return es[i]
}

func add() {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{4})
		x.Add(x)
	})
}

func kind(t *testing.T, err, kind error, words string) {
	t.Helper()
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	require.ErrorIs(t, err, kind)
	assert.ErrorContains(t, err, words)
}

// Names are escaped before they are printed to a terminal.
func TestNamesAreEscaped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const name, escaped = "step\x1b[2J\u202e", `step\x1b[2J\u202e`
	p := profiler.NewProfile()
	require.NoError(t, p.Start())
	profiler.RecordFunction(name, add)
	require.NoError(t, p.Stop())
	e := find(t, p, name)
	for _, text := range []string{
		p.String(), p.KeyAverages().Table(),
		p.KeyAverages().Averages[0].String() + e.String(),
	} {
		assert.Contains(t, text, escaped)
		assert.NotContains(t, text, "\x1b")
		assert.NotContains(t, text, "\u202e")
	}
}

func TestMisuse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p := profiler.NewProfile()
	assert.Equal(t, "<unfinished torch.autograd.profile>", p.String())
	kind(t, p.Step(), torch.ErrRuntime, "call Start first")
	kind(t, p.Stop(), torch.ErrRuntime, "call Start first")
	kind(t, torch.Try(func() { p.Events() }), torch.ErrRuntime, "nothing has been recorded")
	kind(t, torch.Try(func() { p.KeyAverages() }), torch.ErrRuntime, "nothing has been recorded")
	require.NoError(t, p.Start())
	kind(t, p.Start(), torch.ErrRuntime, "started before")
	kind(t, profiler.NewProfile().Start(), torch.ErrRuntime, "another profile")
	ran := false
	_, err := profiler.Run(func(*profiler.Profile) { ran = true })
	kind(t, err, torch.ErrRuntime, "another profile")
	assert.False(t, ran)
	require.NoError(t, p.Stop())
	require.NoError(t, p.Stop(), "again")
	kind(t, p.Step(), torch.ErrRuntime, "call Start first")
	kind(t, p.Start(), torch.ErrRuntime, "started before")
	assert.Empty(t, p.Events().Events)
	assert.Empty(t, p.KeyAverages().Table(), "of nothing")
	assert.Equal(t, "Total", p.TotalAverage().Key)
	for arg, call := range map[string]func(){
		"SortBy":             func() { p.KeyAverages().Table(profiler.SortBy("cpu")) },
		"TimeUnit":           func() { p.KeyAverages().Table(profiler.TimeUnit("h")) },
		"MaxNameColumnWidth": func() { p.KeyAverages().Table(profiler.MaxNameColumnWidth(3)) },
		"GroupByStackN":      func() { p.KeyAverages(profiler.GroupByStackN(-1)) },
		"Activities":         func() { profiler.NewProfile(profiler.Activities{}) },
		"Active":             func() { profiler.NewSchedule(profiler.Wait(1)) },
		"Wait":               func() { profiler.NewSchedule(profiler.Wait(-1), profiler.Active(1)) },
		"step":               func() { profiler.NewSchedule(profiler.Active(1))(-1) },
	} {
		kind(t, torch.Try(call), torch.ErrValue, arg)
	}
	require.ErrorIs(t, torch.Try(func() { profiler.NewProfile(profiler.Activities{7}) }), torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { profiler.RecordFunction("f", nil) }), torch.ErrNil)
	_, err = profiler.Run(func(*profiler.Profile) {}, profiler.Schedule(func(int) profiler.Action { return 9 }))
	kind(t, err, torch.ErrValue, "Action(9)")
	// Recording is possible again.
	p, err = profiler.Run(func(*profiler.Profile) { add() })
	require.NoError(t, err)
	assert.Equal(t, p.Events().Table(), p.String())
	assert.Contains(t, p.String(), "aten::add")
}

func TestPanicEndsTheProfile(t *testing.T) {
	var p *profiler.Profile
	assert.PanicsWithValue(t, "oops", func() {
		_, _ = profiler.Run(func(mine *profiler.Profile) {
			p = mine
			profiler.RecordFunction("inside", func() {
				add()
				panic("oops")
			})
		})
	})
	assert.Equal(t, 1, count(p, "aten::add"))
	assert.False(t, find(t, p, "inside").Unfinished)
}

func TestRegions(t *testing.T) {
	profiler.RecordFunction("before", add)
	p, err := profiler.Run(func(*profiler.Profile) {
		profiler.RecordFunction("outer", func() {
			profiler.RecordFunction("inner", add)
			add()
		})
		r := profiler.BeginFunction("begun")
		add()
		r.End()
		r.End()
		profiler.BeginFunction("open")
		add()
	})
	require.NoError(t, err)
	assert.Zero(t, count(p, "before"))
	outer, inner, open := find(t, p, "outer"), find(t, p, "inner"), find(t, p, "open")
	assert.Nil(t, outer.CPUParent)
	assert.Same(t, outer, inner.CPUParent)
	assert.True(t, outer.IsUserAnnotation)
	assert.Equal(t, profiler.ScopeUser, outer.Scope)
	assert.True(t, open.Unfinished)
	assert.False(t, outer.Unfinished)
	names := func(e *profiler.Event) (out []string) {
		for _, c := range e.CPUChildren {
			out = append(out, c.Name)
		}
		return out
	}
	assert.Equal(t, []string{"aten::ones", "aten::add"}, names(inner))
	assert.Equal(t, []string{"inner", "aten::ones", "aten::add"}, names(outer))
	assert.Equal(t, []string{"aten::ones", "aten::add"}, names(find(t, p, "begun")))
	assert.Equal(t, []string{"aten::ones", "aten::add"}, names(open))
	assert.Equal(t, outer.CPUTimeTotal(),
		outer.SelfCPUTimeTotal()+inner.CPUTimeTotal()+outer.CPUChildren[1].CPUTimeTotal()+
			outer.CPUChildren[2].CPUTimeTotal())
}

// Every goroutine is recorded, whichever thread it runs on. Its operators are within its
// own regions.
func TestGoroutines(t *testing.T) {
	const goroutines, calls = 8, 50
	p := profiler.NewProfile()
	done := make(chan error)
	go func() { done <- p.Start() }()
	require.NoError(t, <-done, "from another goroutine")
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			profiler.RecordFunction("worker", func() {
				for range calls {
					add()
					runtime.Gosched()
				}
			})
		})
	}
	wg.Wait()
	require.NoError(t, p.Stop())
	assert.Equal(t, goroutines*calls, count(p, "aten::add"))
	workers := map[int]bool{}
	for _, e := range p.Events().Events {
		if e.Name != "worker" {
			continue
		}
		workers[e.Goroutine] = true
		adds := 0
		for _, c := range e.CPUChildren {
			assert.Equal(t, e.Goroutine, c.Goroutine)
			if c.Name == "aten::add" {
				adds++
			}
		}
		assert.Equal(t, calls, adds)
	}
	assert.NotContains(t, workers, 0)
}

// A profile that starts and stops while operators run misses no operator in between, and
// assigns each to the right goroutine.
func TestStartAndStopBesideOperators(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					profiler.RecordFunction("busy", add)
				}
			}
		})
	}
	for range 30 {
		p, err := profiler.Run(func(*profiler.Profile) {
			for range 5 {
				profiler.RecordFunction("mine", add)
			}
		}, profiler.ProfileMemory(true), profiler.WithStack(true), profiler.RecordShapes(true))
		require.NoError(t, err)
		require.Equal(t, 5, count(p, "mine"))
		for _, e := range p.Events().Events {
			require.GreaterOrEqual(t, e.End, e.Start)
			if e.Name == "mine" {
				require.Equal(t, "aten::add", e.CPUChildren[len(e.CPUChildren)-1].Name)
			}
		}
	}
}

func TestSchedule(t *testing.T) {
	s := profiler.NewSchedule(profiler.SkipFirst(2), profiler.Wait(1), profiler.Warmup(1), profiler.Active(2),
		profiler.Repeat(2))
	var got []string
	for i := range 12 {
		got = append(got, s(i).String())
	}
	assert.Equal(t, "NONE NONE NONE WARMUP RECORD RECORD_AND_SAVE NONE WARMUP RECORD RECORD_AND_SAVE NONE NONE",
		strings.Join(got, " "))
	s = profiler.NewSchedule(profiler.Wait(2), profiler.Active(1), profiler.SkipFirstWait(true))
	assert.Equal(t, profiler.ActionRecordAndSave, s(0))
	assert.Equal(t, profiler.ActionNone, s(1))
	assert.Equal(t, profiler.ActionRecordAndSave, s(3))

	var ready [][]string
	steps := func(p *profiler.Profile) []string {
		var names []string
		for _, e := range p.Events().Events {
			if strings.HasPrefix(e.Name, "ProfilerStep") {
				names = append(names, e.TraceName)
			}
		}
		return names
	}
	p, err := profiler.Run(func(p *profiler.Profile) {
		for range 8 {
			add()
			require.NoError(t, p.Step())
		}
	}, profiler.NewSchedule(profiler.Wait(1), profiler.Warmup(1), profiler.Active(2)),
		profiler.OnTraceReady(func(p *profiler.Profile) error {
			ready = append(ready, steps(p))
			assert.Equal(t, 2, count(p, "aten::add"))
			return nil
		}))
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"ProfilerStep#2", "ProfilerStep#3"}, {"ProfilerStep#6", "ProfilerStep#7"}}, ready)
	assert.Equal(t, 2, count(p, "ProfilerStep*"))

	all, err := profiler.Run(func(p *profiler.Profile) {
		for range 4 {
			add()
			require.NoError(t, p.Step())
		}
	}, profiler.NewSchedule(profiler.Active(2)), profiler.AccEvents(true))
	require.NoError(t, err)
	assert.Equal(t, 4, count(all, "aten::add"), "of all cycles")
}

func TestOnTraceReadyFails(t *testing.T) {
	full := errors.New("disk full")
	_, err := profiler.Run(func(*profiler.Profile) {}, profiler.OnTraceReady(func(*profiler.Profile) error {
		return full
	}))
	require.ErrorIs(t, err, full)
}

// If the function in OnTraceReady stops the profile at the end of a cycle, the profile
// stays stopped, and another profile can record.
func TestOnTraceReadyStops(t *testing.T) {
	p := profiler.NewProfile(profiler.NewSchedule(profiler.Active(1)),
		profiler.OnTraceReady(func(p *profiler.Profile) error {
			return p.Stop()
		}))
	require.NoError(t, p.Start())
	add()
	require.NoError(t, p.Step())
	require.ErrorIs(t, p.Step(), torch.ErrRuntime)
	require.NoError(t, p.Stop())
	other, err := profiler.Run(func(*profiler.Profile) { add() })
	require.NoError(t, err)
	assert.Positive(t, count(other, "aten::add"))
	assert.Positive(t, count(p, "aten::add"))
}

// NewSchedule refuses numbers of steps whose sum overflows an int. It accepts large
// numbers whose sum does not.
func TestScheduleOfManySteps(t *testing.T) {
	for _, opts := range [][]profiler.ScheduleOption{
		{profiler.Wait(math.MaxInt), profiler.Active(1)},
		{profiler.Wait(math.MaxInt), profiler.Warmup(math.MaxInt), profiler.Active(2)},
	} {
		require.ErrorIs(t, torch.Try(func() { profiler.NewSchedule(opts...) }), torch.ErrValue)
	}
	s := profiler.NewSchedule(profiler.Wait(math.MaxInt-1), profiler.Active(1), profiler.SkipFirstWait(true))
	assert.Equal(t, profiler.ActionRecordAndSave, s(0))
}

func TestMemory(t *testing.T) {
	p, err := profiler.Run(func(*profiler.Profile) {
		var kept *torch.Tensor
		profiler.RecordFunction("keeps", func() { kept = torch.Zeros(torch.Shape{100, 25}) })
		profiler.RecordFunction("drops", func() { require.NoError(t, kept.Close()) })
		x := torch.Zeros(torch.Shape{10})
		require.NoError(t, x.Close())
	}, profiler.ProfileMemory(true))
	require.NoError(t, err)
	assert.EqualValues(t, 10000, find(t, p, "aten::zeros").CPUMemoryUsage)
	assert.EqualValues(t, 10000, find(t, p, "aten::empty").SelfCPUMemoryUsage())
	assert.EqualValues(t, 10000, find(t, p, "keeps").CPUMemoryUsage)
	assert.EqualValues(t, -10000, find(t, p, "drops").CPUMemoryUsage)
	assert.EqualValues(t, -40, find(t, p, "[memory]").CPUMemoryUsage, "freed outside of everything")
	without, err := profiler.Run(func(*profiler.Profile) { add() })
	require.NoError(t, err)
	assert.Zero(t, find(t, without, "aten::add").CPUMemoryUsage)
	assert.Zero(t, count(without, "[memory]"))
}

func TestStacksAreLinesOfGo(t *testing.T) {
	w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
	p, err := profiler.Run(func(*profiler.Profile) {
		y := w.Mul(w)
		y.Sum().Backward()
	}, profiler.WithStack(true))
	require.NoError(t, err)
	mul := find(t, p, "aten::mul")
	require.NotEmpty(t, mul.Stack())
	assert.Contains(t, mul.Stack()[0], "profile_test.go(")
	assert.Contains(t, mul.Stack()[0], "profiler_test.TestStacksAreLinesOfGo.func")
	assert.Equal(t, mul.Stack(), find(t, p, "MulBackward0").Stack(), "of the line whose gradient it is")
	assert.NotEqual(t, mul.Stack(), find(t, p, "autograd::engine::evaluate_function: MulBackward0").Stack(),
		"of the call of Backward")
	assert.NotEmpty(t, mul.Frames())
	avg := p.KeyAverages(profiler.GroupByStackN(1))
	assert.Contains(t, avg.Table(), "Source Location")
	without, err := profiler.Run(func(*profiler.Profile) { add() })
	require.NoError(t, err)
	assert.Empty(t, find(t, without, "aten::add").Stack())
}

func TestCUDAWithoutADevice(t *testing.T) {
	if torch.Try(func() { torch.Zeros(torch.Shape{1}, torch.CUDA.At(0)) }) == nil {
		t.Skip("there is a device")
	}
	before := torch.SetWarnings(torch.WarnNever)
	defer torch.SetWarnings(before)
	_, err := profiler.Run(func(*profiler.Profile) {}, profiler.Activities{profiler.CUDA})
	kind(t, err, torch.ErrDevice, "no CUDA device")
	p, err := profiler.Run(func(*profiler.Profile) { add() }, profiler.Activities{profiler.CPU, profiler.CUDA})
	require.NoError(t, err)
	assert.Equal(t, 1, count(p, "aten::add"))
}

func TestStrings(t *testing.T) {
	p, err := profiler.Run(func(*profiler.Profile) { add() })
	require.NoError(t, err)
	assert.Contains(t, find(t, p, "aten::add").String(), "<FunctionEvent id=")
	assert.Contains(t, p.KeyAverages().Averages[0].String(), "<FunctionEventAvg key=aten::ones")
	assert.Equal(t, p.Events().Table(), p.Events().String())
	assert.Equal(t, p.KeyAverages().Table(), p.KeyAverages().String())
	assert.Equal(t, "<nil>", (*profiler.Event)(nil).String())
	assert.Equal(t, "CPU CUDA Activity(5)",
		strings.Join([]string{profiler.CPU.String(), profiler.CUDA.String(), profiler.Activity(5).String()}, " "))
}
