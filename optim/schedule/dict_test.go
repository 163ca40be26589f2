package schedule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

type dict = serialization.Dict

// fromPython writes a scheduler's dict to a file and returns the dict as read from there.
func fromPython(t *testing.T, s scheduler) *dict {
	t.Helper()
	path := t.TempDir() + "/x.pt"
	require.NoError(t, serialization.Save(s.StateDict(), path))
	d, err := serialization.LoadDict(path)
	require.NoError(t, err)
	return d
}

// Every scheduler continues from a dict that was saved to a file.
func TestResumeFromAFile(t *testing.T) {
	each(t, func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler) {
		o, p := optimizer(name), optimizer(name)
		defer o.Close()
		defer p.Close()
		s := fresh(o)
		step := stepper(name, s)
		for i := range 7 {
			step(i)
		}
		r := fresh(p)
		require.NoError(t, p.LoadStateDict(o.StateDict()))
		require.NoError(t, r.LoadStateDict(fromPython(t, s)))
		assert.Equal(t, s.StateDict(), r.StateDict())
		assert.Equal(t, s.String(), r.String())
	})
}

// Errors quote only the beginning of a long name or value of a file.
func TestErrorsOfLongNames(t *testing.T) {
	long := strings.Repeat("x", 5000)
	o := optimizer("StepLR")
	defer o.Close()
	s := schedule.NewStepLR(o, 1)
	for name, key := range map[string]any{"bytes": []byte(long), "a text": long, "a tuple": serialization.Tuple{long}} {
		d := fromPython(t, s)
		d.Set(key, 1)
		err := s.LoadStateDict(d)
		require.Error(t, err, name)
		assert.Less(t, len(err.Error()), 500, name)
	}
}

// Errors name the invalid entries, and nothing changes.
func TestPythonsDictsThatAreWrong(t *testing.T) {
	phase := func(d *dict, i int) *dict {
		v, _ := d.Get("_schedule_phases")
		return v.([]any)[i].(*dict)
	}
	part := func(d *dict, i int) *dict {
		v, _ := d.Get("_schedulers")
		return v.([]any)[i].(*dict)
	}
	set := func(key string, v any) func(d *dict) { return func(d *dict) { d.Set(key, v) } }
	for name, c := range map[string]struct {
		of, text string
		change   func(d *dict)
	}{
		"a key":       {"StepLR", "strings as keys", func(d *dict) { d.Set(1, 2) }},
		"half a step": {"StepLR", `"step_size": expected a whole number, got 1.5`, set("step_size", 1.5)},
		"a text":      {"StepLR", `"gamma": expected a number, got "x"`, set("gamma", "x")},
		"None":        {"StepLR", `"gamma": expected a number, got None`, set("gamma", nil)},
		"one rate":    {"StepLR", `"base_lrs": expected a list of numbers, got 0.1`, set("base_lrs", 0.1)},
		"texts as rates": {
			"StepLR", `"base_lrs": expected a list of numbers, got a list`,
			set("base_lrs", []any{"a"}),
		},
		"numbers of no kind": {
			"StepLR", `"gamma": expected a number, got a tensor`,
			set("gamma", torch.Zeros(torch.Shape{}, torch.Complex64)),
		},
		"tensors as rates": {
			"StepLR", `"_last_lr": expected a list of numbers`,
			set("_last_lr", []any{torch.Zeros(torch.Shape{2})}),
		},
		"no milestones": {
			"MultiStepLR", `"milestones": expected a Counter or a list of epochs`,
			set("milestones", int64(3)),
		},
		"a milestone's name": {
			"MultiStepLR", `"milestones": `,
			set("milestones", serialization.NewDict("a", int64(1))),
		},
		"half a milestone": {
			"MultiStepLR", `"milestones": `,
			set("milestones", serialization.NewDict(int64(1), 0.5)),
		},
		"less than none": {
			"MultiStepLR", `"milestones": `,
			set("milestones", serialization.NewDict(int64(1), int64(-1))),
		},
		"too many": {
			"MultiStepLR", `"milestones": `,
			set("milestones", serialization.NewDict(int64(1), int64(1)<<40)),
		},
		"too many together": {
			"MultiStepLR", `"milestones": `,
			set("milestones", serialization.NewDict(int64(1), int64(1)<<16, int64(2), int64(1))),
		},
		"one phase": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			d.Set("_schedule_phases", []any{phase(d, 0)})
		}},
		"four phases": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			d.Set("_schedule_phases", []any{phase(d, 0), phase(d, 1), phase(d, 0), phase(d, 1)})
		}},
		"a list of phases": {"OneCycleLR", `"_schedule_phases": `, set("_schedule_phases", []any{1, 2})},
		"phases of nil": {
			"OneCycleLR", `"_schedule_phases": `,
			set("_schedule_phases", []any{(*dict)(nil), (*dict)(nil)}),
		},
		"a phase's end": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			phase(d, 0).Set("end_step", math.NaN())
		}},
		"an endless phase": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			phase(d, 1).Set("end_step", math.Inf(1))
		}},
		"a phase's rate": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			phase(d, 0).Set("start_lr", "weight_decay")
		}},
		"a phase's momentum": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) {
			phase(d, 1).Set("end_momentum", "lr")
		}},
		"a phase's key": {"OneCycleLR", `"_schedule_phases": `, func(d *dict) { phase(d, 1).Set("more", 1) }},
		"a strategy": {
			"OneCycleLR", `"_anneal_func_type": expected one of ["cos" "linear"], got "flat"`,
			set("_anneal_func_type", "flat"),
		},
		"a mode":          {"ReduceLROnPlateau", `"mode": expected one of`, set("mode", "mean")},
		"an SWA strategy": {"SWALR", `"_anneal_strategy": expected one of`, set("_anneal_strategy", "flat")},
		"no schedulers": {
			"SequentialLR", `"_schedulers": expected the state of 2 schedulers, got None`,
			set("_schedulers", nil),
		},
		"a scheduler's list": {
			"SequentialLR", `"_schedulers"[0]: expected a dict, got 1`,
			set("_schedulers", []any{int64(1), int64(2)}),
		},
		"a part's entry": {
			"SequentialLR", `LinearLR.LoadStateDict: argument sd: "end_factor": expected a number`,
			func(d *dict) {
				part(d, 0).Set("end_factor", "x")
			},
		},
		"a part's key": {"ChainedScheduler", "strings as keys", func(d *dict) { part(d, 1).Set(1, "x") }},
		"milestones of text": {
			"SequentialLR", `"_milestones": expected a list of whole numbers`,
			set("_milestones", []any{"a"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				o := optimizer(c.of)
				defer o.Close()
				s := makers[c.of](o)
				before := s.StateDict()
				d := fromPython(t, s)
				d.Set("_last_lr", []any{0.5, 0.25}) // loading must ignore this entry
				c.change(d)
				err := s.LoadStateDict(d)
				require.ErrorIs(t, err, torch.ErrValue)
				require.ErrorContains(t, err, c.text)
				assert.Equal(t, before, s.StateDict())
			})
		})
	}
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		s := schedule.NewSequentialLR(o, []scheduler{schedule.NewStepLR(o, 2)}, nil)
		for _, none := range []optim.StateSource{nil, (*dict)(nil), (*optim.StateDict)(nil)} {
			require.ErrorIs(t, s.LoadStateDict(none), torch.ErrNil)
			require.ErrorIs(t, schedule.NewStepLR(o, 2).LoadStateDict(none), torch.ErrNil)
		}
		d := fromPython(t, s)
		v, _ := d.Get("_schedulers")
		v.([]any)[0] = (*dict)(nil)
		require.ErrorIs(t, s.LoadStateDict(d), torch.ErrNil)
	})
}

// In a dict from Python, a number may be an int where gotorch saves a float, and vice versa.
func TestNumbersOfPython(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		s := schedule.NewMultiStepLR(o, []int{1})
		d := fromPython(t, s)
		d.Set("gamma", int64(1))
		d.Set("last_epoch", 2.0)
		d.Set("base_lrs", serialization.Tuple{int64(1), torch.Full(torch.Shape{}, 0.5)})
		d.Set("milestones", []any{int64(5), int64(3), int64(5)})
		require.NoError(t, s.LoadStateDict(d))
		sd := s.StateDict()
		assert.Equal(t, schedule.Counter{3: 1, 5: 2}, sd["milestones"])
		assert.Equal(t, []float64{1, 0.5}, sd["base_lrs"])
		assert.Equal(t, 1.0, sd["gamma"])
		assert.Equal(t, 2, s.LastEpoch())
		assert.Equal(t, "MultiStepLR(milestones=Counter({3: 1, 5: 2}), gamma=1.0, base_lrs=[1.0, 0.5], last_epoch=2)",
			s.String())
	})
}

// Milestones may be in any order.
func TestMilestonesInAnyOrder(t *testing.T) {
	torch.Scope(func() {
		for _, at := range []any{
			[]any{int64(3), int64(1), int64(3)},
			serialization.NewDict(int64(3), int64(2), int64(1), int64(1)),
		} {
			o := optimizer("")
			s := schedule.NewMultiStepLR(o, nil, schedule.Gamma(0.5))
			d := fromPython(t, s)
			d.Set("milestones", at)
			require.NoError(t, s.LoadStateDict(d))
			for _, want := range []float64{0.05, 0.05, 0.0125, 0.0125} {
				s.Step()
				assert.InDelta(t, want, s.LastLR()[0], 1e-15)
			}
			o.Close()
		}
	})
}

// Dicts of older PyTorch versions lack some entries and have additional ones.
func TestDictsOfOlderVersions(t *testing.T) {
	each(t, func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler) {
		o := optimizer(name)
		defer o.Close()
		s := fresh(o)
		sd := s.StateDict()
		before := s.StateDict()
		sd["verbose"] = false
		delete(sd, "use_beta1")
		delete(sd, "default_min_lr")
		delete(sd, "lr_lambdas")
		delete(sd, "_scale_fn_custom")
		require.NoError(t, s.LoadStateDict(sd))
		assert.Equal(t, before, s.StateDict())
	})
}

// Each calls the callback with the names in order, and stops when the callback returns false.
func TestEach(t *testing.T) {
	for _, src := range []optim.StateSource{schedule.StateDict{"b": 1, "a": 2}, schedule.Counter{7: 1, 5: 2}} {
		var keys []any
		for _, all := range []bool{false, true} {
			src.Each(func(key, _ any) bool {
				keys = append(keys, key)
				return all
			})
		}
		require.Len(t, keys, 3)
		assert.Equal(t, keys[0], keys[1])
		assert.Contains(t, []any{"b", int64(7)}, keys[2])
		require.ErrorIs(t, torch.Try(func() { src.Each(nil) }), torch.ErrNil)
	}
}
