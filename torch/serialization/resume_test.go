package serialization_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// Every optimizer, scheduler, scaler and average can continue from the state of its
// Python counterpart, with the same results as in Python.
func TestPythonsTrainingsGoOn(t *testing.T) { goOn(t, "testdata/resume.pt") }

// goOn continues from the states in a file that testdata/resume.py wrote. If a state
// includes the settings, goOn makes the object with different settings, which loading the
// state must replace.
func goOn(t *testing.T, path string) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		file, err := serialization.LoadDict(path)
		require.NoError(t, err)
		cases := file.Dict("optimizers")
		require.Len(t, resumeOptimizers, cases.Len())
		for name, make := range resumeOptimizers {
			t.Run(name, func(t *testing.T) {
				c := cases.Dict(name)
				ps := tensors(t, c, "middle")
				for _, p := range ps {
					p.SetRequiresGrad(true)
				}
				o := make(ps)
				defer func() { require.NoError(t, o.Close()) }()
				for _, g := range o.ParamGroups() {
					g.SetLR(7)
				}
				require.NoError(t, o.LoadStateDict(c.Dict("dict")))
				resumeTrain(name, ps, o)
				for i, end := range tensors(t, c, "end") {
					// rounding in float32 may differ in each of the three steps
					assert.InDeltaSlice(t, end.Double().Reshape(-1).Float64s(), ps[i].Double().Reshape(-1).Float64s(),
						1e-6)
				}
			})
		}
		cases = file.Dict("schedulers")
		require.Len(t, resumeSchedulers, cases.Len())
		for name, make := range resumeSchedulers {
			t.Run(name, func(t *testing.T) {
				c := cases.Dict(name)
				o := resumeGroups()
				defer func() { require.NoError(t, o.Close()) }()
				s := make(o, true)
				require.NoError(t, o.LoadStateDict(c.Dict("optimizer")))
				require.NoError(t, s.LoadStateDict(c.Dict("scheduler")))
				rows := get[[]any](t, c, "rows")
				for i, row := range resumeCourse(name, o, s, 3, 9) {
					for j, want := range rows[i].([]any) {
						assert.InDelta(t, want, row[j], 1e-15, "step %d", i)
					}
				}
			})
		}
		s := amp.NewGradScaler(amp.Device(torch.CPU))
		defer func() { require.NoError(t, s.Close()) }()
		require.NoError(t, s.LoadStateDict(file.Dict("scaler").Dict("dict")))
		resumeScale(s)
		likePython(t, "scaler", file.Dict("scaler").Dict("end"), reloaded(t, s.StateDict()))

		a := swa.NewAveragedModel(nn.NewLinear(3, 2))
		defer func() { require.NoError(t, a.Close()) }()
		require.NoError(t, a.LoadStateDict(file.Dict("averaged").Dict("dict")))
		resumeAverage(a, 2, 4)
		end := file.Dict("averaged").Dict("end")
		assert.Equal(t, end.Names(), a.StateDict().Names())
		for _, n := range a.StateDict() {
			want, err := end.Tensor(n.Name)
			require.NoError(t, err)
			assert.True(t, want.AllClose(n.Tensor), n.Name)
		}
	})
}

func tensors(t *testing.T, d *serialization.Dict, key string) (out []*torch.Tensor) {
	t.Helper()
	for _, v := range get[[]any](t, d, key) {
		if p, ok := v.(*serialization.Parameter); ok {
			v = p.Tensor
		}
		out = append(out, v.(*torch.Tensor))
	}
	return out
}

// trainings does what testdata/resume.py does, and returns the dict that resume.py saves.
func trainings() *serialization.Dict {
	optimizers, schedulers := serialization.NewDict(), serialization.NewDict()
	copies := func(ps params) (out []any) {
		for _, p := range ps {
			out = append(out, p.Detach().Clone())
		}
		return out
	}
	for name, make := range resumeOptimizers {
		ps := resumeParams()
		o := make(ps)
		resumeTrain(name, ps, o)
		c := serialization.NewDict("dict", o.StateDict().Clone(), "middle", copies(ps))
		resumeTrain(name, ps, o)
		c.Set("end", copies(ps))
		optimizers.Set(name, c)
		_ = o.Close()
	}
	for name, make := range resumeSchedulers {
		o := resumeGroups()
		s := make(o, false)
		resumeCourse(name, o, s, 0, 3)
		c := serialization.NewDict("optimizer", o.StateDict(), "scheduler", s.StateDict())
		c.Set("rows", resumeCourse(name, o, s, 3, 9))
		schedulers.Set(name, c)
		_ = o.Close()
	}
	s := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(8), amp.GrowthInterval(4))
	defer func() { _ = s.Close() }()
	resumeScale(s)
	scaler := serialization.NewDict("dict", s.StateDict())
	resumeScale(s)
	scaler.Set("end", s.StateDict())
	a := swa.NewAveragedModel(nn.NewLinear(3, 2))
	defer func() { _ = a.Close() }()
	resumeAverage(a, 0, 2)
	averaged := serialization.NewDict("dict", a.StateDict().Clone())
	resumeAverage(a, 2, 4)
	averaged.Set("end", a.StateDict().Clone())
	return serialization.NewDict("optimizers", optimizers, "schedulers", schedulers, "scaler", scaler, "averaged",
		averaged)
}

// reloaded saves a value and loads it again.
func reloaded(t *testing.T, v any) *serialization.Dict {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pt")
	require.NoError(t, serialization.Save(v, path))
	d, err := serialization.LoadDict(path)
	require.NoError(t, err)
	return d
}

// After the same steps, the state dicts in Go and in Python are equal.
func TestStateDictsArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		file, err := serialization.LoadDict("testdata/resume.pt")
		require.NoError(t, err)
		ours := reloaded(t, trainings())
		for name := range resumeOptimizers {
			likePython(t, name, file.Dict("optimizers").Dict(name).Dict("dict"),
				ours.Dict("optimizers").Dict(name).Dict("dict"))
		}
		for name := range resumeSchedulers {
			for _, key := range []string{"optimizer", "scheduler"} {
				likePython(t, name, file.Dict("schedulers").Dict(name).Dict(key),
					ours.Dict("schedulers").Dict(name).Dict(key))
			}
		}
		likePython(t, "scaler", file.Dict("scaler").Dict("dict"), ours.Dict("scaler").Dict("dict"))
	})
}

// likePython compares values in dicts from Python and from this package. float32 numbers
// may differ in the last bits, and an integral float may equal Python's int.
func likePython(t *testing.T, where string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case *serialization.Dict:
		got, ok := got.(*serialization.Dict)
		require.True(t, ok, where)
		assert.Equal(t, want.Class, got.Class, where)
		n := 0
		for key, v := range want.All() {
			switch key {
			case "_is_initial", "_get_lr_called_within_step", "mode_worse", "param_names", "al":
				continue // only in Python
			}
			n++
			other, ok := got.Get(key)
			at := where + "[" + serialization.Repr(key) + "]"
			require.True(t, ok, at)
			if key == "_step_count" && strings.HasPrefix(where, "CosineAnnealingWarm") {
				v = other // it is 0 in Python
			}
			likePython(t, at, v, other)
		}
		assert.Equal(t, n, got.Len(), "%s: %v", where, got.Keys())
	case []any:
		got, ok := got.([]any)
		require.True(t, ok && len(got) == len(want), where)
		for i, v := range want {
			likePython(t, where, v, got[i])
		}
	case serialization.Tuple:
		got, ok := got.(serialization.Tuple)
		require.True(t, ok, where)
		likePython(t, where, []any(want), []any(got))
	case *torch.Tensor:
		if f, ok := got.(float64); ok && strings.HasPrefix(where, "Adam/tensor") {
			assert.InDelta(t, want.Item(), f, 0, where)
			return
		}
		got, ok := got.(*torch.Tensor)
		require.True(t, ok, where)
		require.Equal(t, want.DType(), got.DType(), where)
		assert.InDeltaSlice(t, want.Double().Reshape(-1).Float64s(), got.Double().Reshape(-1).Float64s(), 1e-5, where)
	case float64:
		assert.InEpsilon(t, want+1e-9, got.(float64)+1e-9, 1e-5, where)
	case int64:
		assert.EqualValues(t, want, got, where)
	default:
		assert.Equal(t, want, got, where)
	}
}

// Python continues from states that this package saved, and this package continues from
// Python's states.
func TestTrainingsGoBetweenPythonAndGo(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "go.pt")
	torch.Scope(func() { require.NoError(t, serialization.Save(trainings(), path)) })
	run := `import runpy, sys; sys.argv[0] = "resume.py"; runpy.run_path("resume.py", run_name="__main__")`
	assert.Equal(t, "44 ok\n", python(t, "torch", run, "read", path))
	path = filepath.Join(t.TempDir(), "python.pt")
	python(t, "torch", run, "write", path)
	goOn(t, path)
}
