package optim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

type (
	dict = serialization.Dict
	pair = serialization.Tuple
)

var newDict = serialization.NewDict

// pythonsAdam returns the state dict of a Python Adam with two parameters after one step: the whole
// dict, the state of the first parameter, and the parameter group.
func pythonsAdam() (top, first, group *dict) {
	state := func() *dict {
		return newDict("step", torch.Ones(torch.Shape{}), "exp_avg", torch.Full(torch.Shape{2}, 0.5), "exp_avg_sq",
			torch.Full(torch.Shape{2}, 0.25))
	}
	first = state()
	group = newDict("lr", 0.5, "betas", pair{0.8, 0.9}, "eps", 1e-8, "weight_decay", int64(0), "amsgrad", false,
		"maximize", false,
		"foreach", nil, "capturable", false, "differentiable", false, "fused", nil, "decoupled_weight_decay", false,
		"params", []any{int64(0), int64(1)})
	return newDict("state", newDict(int64(0), first, int64(1), state()), "param_groups", []any{group}), first, group
}

// Tests forms of dicts that some Python programs or versions write.
func TestPythonsDicts(t *testing.T) {
	for name, change := range map[string]func(top, first, group *dict){
		"as it is":          func(_, _, _ *dict) {},
		"an int as rate":    func(_, _, group *dict) { group.Set("eps", int64(0)) },
		"a tensor as rate":  func(_, _, group *dict) { group.Set("lr", torch.Full(torch.Shape{}, 0.5)) },
		"betas in a list":   func(_, _, group *dict) { group.Set("betas", []any{0.8, 0.9}) },
		"betas from 0":      func(_, _, group *dict) { group.Set("betas", pair{int64(0), 0.9}) },
		"an int as step":    func(_, first, _ *dict) { first.Set("step", int64(1)) },
		"a float as step":   func(_, first, _ *dict) { first.Set("step", 1.0) },
		"names":             func(_, _, group *dict) { group.Set("param_names", []any{"a", "b"}) },
		"a scheduler's":     func(_, _, group *dict) { group.Set("initial_lr", 0.5); group.Set("swa_lr", int64(1)) },
		"None in the state": func(_, first, _ *dict) { first.Set("max_exp_avg_sq", nil) },
		"keys of Go":        func(top, first, _ *dict) { top.Dict("state").Set(0, first) },
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a, b := param(), param()
				o := optim.NewAdam([]*torch.Tensor{a, b})
				defer o.Close()
				top, first, group := pythonsAdam()
				change(top, first, group)
				require.NoError(t, o.LoadStateDict(top))
				g := o.ParamGroups()[0]
				assert.InDelta(t, 0.5, g.LR(), 0)
				_, beta2 := g.Betas()
				assert.InDelta(t, 0.9, beta2, 0)
				for _, p := range []*torch.Tensor{a, b} {
					assert.InDelta(t, 1, o.StateTensor(p, "step").Item(), 0)
					assert.Equal(t, []float32{0.5, 0.5}, o.StateTensor(p, "exp_avg").Float32s())
				}
				_, named := g.Get("param_names")
				assert.False(t, named)
				o.Step()
			})
		})
	}
}

// For an invalid dict, LoadStateDict returns an error that names the entry, and changes nothing.
func TestPythonsDictsThatAreWrong(t *testing.T) {
	zeros := func(n int64) *torch.Tensor { return torch.Zeros(torch.Shape{n}) }
	for name, c := range map[string]struct {
		kind   error
		text   string
		change func(top, first, group *dict)
	}{
		"no groups": {torch.ErrValue, "param_groups: ", func(top, _, _ *dict) {
			*top = *newDict("state", newDict())
		}},
		"no state": {torch.ErrValue, "state: ", func(top, _, group *dict) {
			*top = *newDict("param_groups", []any{group})
		}},
		"another dict": {torch.ErrValue, "0.weight: ", func(top, _, _ *dict) { top.Set("0.weight", zeros(2)) }},
		"a key":        {torch.ErrType, "got 5", func(top, _, _ *dict) { top.Set(5, 6) }},
		"state of a list": {torch.ErrType, "state: expected a dict", func(top, _, _ *dict) {
			top.Set("state", []any{})
		}},
		"state of nil": {torch.ErrType, "state: expected a dict, got", func(top, _, _ *dict) {
			top.Set("state", (*dict)(nil))
		}},
		"a name as number": {
			torch.ErrType, `state: expected parameter numbers as keys, got "w"`,
			func(top, first, _ *dict) {
				top.Dict("state").Set("w", first)
			},
		},
		"another number": {torch.ErrValue, "parameter 7", func(top, first, _ *dict) {
			top.Dict("state").Set(7, first)
		}},
		"a number's list": {torch.ErrType, "state[1]: expected a dict", func(top, _, _ *dict) {
			top.Dict("state").Set(1, []any{})
		}},
		"a state's key": {torch.ErrType, "state[0]: expected strings as keys, got 1", func(_, first, _ *dict) {
			first.Set(1, 2)
		}},
		"unknown state": {torch.ErrValue, `"colour"`, func(_, first, _ *dict) { first.Set("colour", zeros(2)) }},
		"a text as state": {torch.ErrType, `state[0]["exp_avg"]: `, func(_, first, _ *dict) {
			first.Set("exp_avg", "x")
		}},
		"a bool as state":   {torch.ErrType, `state[0]["step"]: `, func(_, first, _ *dict) { first.Set("step", true) }},
		"a number as state": {torch.ErrValue, `"exp_avg"`, func(_, first, _ *dict) { first.Set("exp_avg", 1.0) }},
		"a list as state": {torch.ErrType, `state[0]["exp_avg"][1]: expected a tensor, got 3`, func(_, first, _ *dict) {
			first.Set("exp_avg", []any{zeros(2), int64(3)})
		}},
		"tensors as state": {torch.ErrType, "exp_avg", func(_, first, _ *dict) {
			first.Set("exp_avg", []any{zeros(2)})
		}},
		"another shape": {torch.ErrValue, "exp_avg of parameter 0 has the shape (3,)", func(_, first, _ *dict) {
			first.Set("exp_avg", zeros(3))
		}},
		"a count below 0": {torch.ErrValue, "step of parameter 0", func(_, first, _ *dict) {
			first.Set("step", int64(-1))
		}},
		"groups of a dict": {torch.ErrType, "param_groups: expected a list", func(top, _, group *dict) {
			top.Set("param_groups", group)
		}},
		"two groups": {torch.ErrValue, "2 parameter groups", func(top, _, group *dict) {
			top.Set("param_groups", []any{group, group})
		}},
		"a group's list": {torch.ErrType, "param_groups[0]: expected a dict", func(top, _, _ *dict) {
			top.Set("param_groups", []any{[]any{}})
		}},
		"no params": {torch.ErrType, `param_groups[0]["params"]: `, func(_, _, group *dict) {
			group.Set("params", nil)
		}},
		"texts as params": {torch.ErrType, `param_groups[0]["params"]: `, func(_, _, group *dict) {
			group.Set("params", []any{"a", "b"})
		}},
		"half a param": {torch.ErrType, `param_groups[0]["params"]: `, func(_, _, group *dict) {
			group.Set("params", []any{0.5, int64(1)})
		}},
		"one param": {torch.ErrValue, "1 parameters", func(_, _, group *dict) {
			group.Set("params", []any{int64(0)})
		}},
		"a param twice": {torch.ErrValue, "number 0", func(_, _, group *dict) {
			group.Set("params", []any{int64(0), int64(0)})
		}},
		"one name": {torch.ErrType, `param_groups[0]["param_names"]: `, func(_, _, group *dict) {
			group.Set("param_names", []any{"a"})
		}},
		"a text as rate": {torch.ErrType, `setting "lr" of group 0`, func(_, _, group *dict) {
			group.Set("lr", "fast")
		}},
		"tensors as rate": {torch.ErrType, `setting "lr" of group 0`, func(_, _, group *dict) {
			group.Set("lr", zeros(2))
		}},
		"a negative rate": {torch.ErrValue, `setting "lr" of group 0`, func(_, _, group *dict) {
			group.Set("lr", -1.0)
		}},
		"None as rate": {torch.ErrValue, `setting "lr" of group 0`, func(_, _, group *dict) {
			group.Set("lr", nil)
		}},
		"one beta": {torch.ErrType, `setting "betas" of group 0`, func(_, _, group *dict) {
			group.Set("betas", pair{0.9})
		}},
		"three betas": {torch.ErrType, `setting "betas" of group 0`, func(_, _, group *dict) {
			group.Set("betas", pair{0.9, 0.9, 0.9})
		}},
		"None as a beta": {torch.ErrType, `setting "betas" of group 0`, func(_, _, group *dict) {
			group.Set("betas", pair{nil, 0.9})
		}},
		"a text as a beta": {torch.ErrType, `setting "betas" of group 0`, func(_, _, group *dict) {
			group.Set("betas", pair{"a", 0.9})
		}},
		"a dict as setting": {torch.ErrType, `setting "eps" of group 0`, func(_, _, group *dict) {
			group.Set("eps", newDict())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			scoped(t, func() {
				o := optim.NewAdam([]*torch.Tensor{param(), param()}, optim.LR(0.25))
				defer o.Close()
				o.Step()
				before := o.StateDict().String()
				top, first, group := pythonsAdam()
				c.change(top, first, group)
				live := torch.NumLiveTensors()
				err := o.LoadStateDict(top)
				assert.Equal(t, live, torch.NumLiveTensors())
				require.ErrorIs(t, err, c.kind)
				assert.ErrorContains(t, err, c.text)
				assert.Equal(t, before, o.StateDict().String())
			})
		})
	}
	scoped(t, func() {
		o := optim.NewAdam([]*torch.Tensor{param(), param()})
		defer o.Close()
		for _, none := range []optim.StateSource{
			nil, (*dict)(nil), (*optim.StateDict)(nil),
			newDict().Dict("optimizer"),
		} {
			require.ErrorIs(t, o.LoadStateDict(none), torch.ErrNil)
		}
	})
}

// If the optimizer already has a setting, the loaded value is converted to its type.
// Otherwise the setting keeps the type of Python's value.
func TestPythonsSettings(t *testing.T) {
	scoped(t, func() {
		base := optim.NewBase("Own", []*torch.Tensor{param()},
			[]optim.Option{
				optim.LR(1),
				customSetting{"list", []float64{1, 2}},
				customSetting{"none", nil},
				customSetting{"or", [2]any{nil, 1.0}},
			})
		o := &ownOptimizer{base}
		defer o.Close()
		group := newDict("params", []any{int64(0)}, "lr", 0.5, "list", pair{int64(3), 0.5}, "none", pair{0.1, 0.2, 0.3},
			"or", []any{0.5, int64(2)},
			"more", []any{1.0, int64(2)}, "pair", pair{1.0, int64(2)})
		require.NoError(t, o.LoadStateDict(newDict("state", newDict(), "param_groups", []any{group})))
		settings := o.StateDict().ParamGroups[0].Settings
		for name, want := range map[string]any{
			"list": []float64{3, 0.5}, "none": [3]float64{0.1, 0.2, 0.3}, "or": [2]any{0.5, 2.0},
			"more": []float64{1, 2}, "pair": [2]float64{1, 2},
		} {
			assert.Equal(t, want, settings[name], name)
		}
	})
}

type customSetting struct {
	name  string
	value any
}

func (o customSetting) Setting() (string, any) { return o.name, o.value }

type ownOptimizer struct{ *optim.Base }

func (*ownOptimizer) Step() {}

// Each stops when its callback returns false.
func TestEachOfAStateDict(t *testing.T) {
	scoped(t, func() {
		o := optim.NewSGD([]*torch.Tensor{param()})
		defer o.Close()
		var keys []any
		for _, most := range []int{1, 2} {
			o.StateDict().Each(func(key, _ any) bool {
				keys = append(keys, key)
				return most == 2
			})
		}
		assert.Equal(t, []any{"state", "state", "param_groups"}, keys)
		require.ErrorIs(t, torch.Try(func() { o.StateDict().Each(nil) }), torch.ErrNil)
	})
}

// A small file may refer to the same dict or list many times. Reading it must take no
// more memory than the optimizer's state could need.
func TestDictsAgainAndAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const many = 2000
	x := torch.Ones(torch.Shape{})
	defer func() { _ = x.Close() }()
	wide, list, numbers := newDict(), []any{}, []any{}
	for i := range many {
		wide.Set(fmt.Sprint("s", i), x)
		list = append(list, x)
		numbers = append(numbers, int64(i))
	}
	states := func(of any) *dict {
		d := newDict()
		for i := range many {
			d.Set(i, of)
		}
		return d
	}
	groups := func(of any) []any { return slices.Repeat([]any{of}, many) }
	o := optim.NewAdam([]*torch.Tensor{x})
	defer o.Close()
	for name, d := range map[string]*dict{
		"states": newDict("state", states(wide), "param_groups", []any{}),
		"lists":  newDict("state", states(newDict("exp_avg", list)), "param_groups", []any{}),
		"groups": newDict("state", newDict(), "param_groups", groups(newDict("params", numbers))),
		"settings": newDict("state", newDict(), "param_groups",
			groups(newDict("params", []any{}, "betas", numbers))),
	} {
		var err error
		filetest.Costs(t, 100<<20, func() { err = o.LoadStateDict(d) })
		require.ErrorIs(t, err, torch.ErrValue, name)
		assert.ErrorContains(t, err, "again and again", name)
	}
}

// Errors quote only the beginning of a long name or value of a file.
func TestErrorsOfLongNames(t *testing.T) {
	scoped(t, func() {
		long := strings.Repeat("x", 5000)
		adam := optim.NewAdam([]*torch.Tensor{param(), param()})
		defer adam.Close()
		lbfgs := optim.NewLBFGS([]*torch.Tensor{param()})
		defer lbfgs.Close()
		many := slices.Repeat([]any{torch.Ones(torch.Shape{1000})}, 100)
		for name, change := range map[string]func(first, group *dict){
			"a setting":       func(_, group *dict) { group.Set(long, newDict()) },
			"a state":         func(first, _ *dict) { first.Set(long, torch.Ones(torch.Shape{2})) },
			"a numeric state": func(first, _ *dict) { first.Set(long, 1.0) },
		} {
			top, first, group := pythonsAdam()
			change(first, group)
			err := adam.LoadStateDict(top)
			require.Error(t, err, name)
			assert.Less(t, len(err.Error()), 500, name)
		}
		for name, state := range map[string]*dict{
			"a state": newDict(long, 1.0), "tensors for a number": newDict("func_evals", many),
		} {
			group := newDict("params", []any{int64(0)})
			for setting, v := range lbfgs.StateDict().ParamGroups[0].Settings {
				group.Set(setting, v)
			}
			err := lbfgs.LoadStateDict(newDict("state", newDict(int64(0), state), "param_groups", []any{group}))
			require.Error(t, err, name)
			assert.Less(t, len(err.Error()), 500, "%s: %.1000s", name, err.Error())
		}
	})
}
