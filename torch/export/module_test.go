package export_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// The constants of a program do not depend on the mode of earlier calls on the thread.
func TestLoadAfterInferenceMode(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	torch.InferenceMode(func() { torch.Scope(func() { torch.Ones(torch.Shape{1}) }) })
	data, err := os.ReadFile(filepath.Join("testdata", "mlp.pt2"))
	require.NoError(t, err)
	var m *export.Module
	torch.InferenceMode(func() { m, err = loadBytes(data) })
	require.NoError(t, err)
	torch.Scope(func() {
		torch.NoGrad(func() { m.Forward(torch.Ones(torch.Shape{4, 4})) })
		for _, p := range m.NamedParameters() { // made in inference mode, unlike the constants of the program
			old := p.Tensor
			path, name, _ := strings.Cut(p.Name, ".")
			m.Get(path).ModuleBase().RegisterParameter(name, nn.NewParameter(old.Detach().Clone()))
			require.NoError(t, old.Close())
		}
		m.Forward(torch.Ones(torch.Shape{4, 4})).Sum().Backward()
		assert.NotNil(t, m.GetParameter("fc1.weight").Grad())
	})
	require.NoError(t, m.Close())
}

func TestForward(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp")
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{5, 4})
		y := m.Forward(x)
		assert.Equal(t, torch.Shape{5, 3}, y.Shape())
		assert.True(t, y.Equal(m.Run(x).(*torch.Tensor)))
		assert.True(t, y.RequiresGrad())
		torch.NoGrad(func() { assert.False(t, m.Forward(x).RequiresGrad()) })
		torch.InferenceMode(func() { assert.True(t, m.Forward(x).IsInference()) })
	})
	require.NoError(t, m.Close())
}

// The tree of modules has Python's names and classes.
func TestTree(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "conv_train")
	var names []string
	for _, p := range m.NamedParameters() {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{
		"body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "head.weight", "head.bias",
	}, names)
	assert.Equal(t, "BatchNorm2d", m.Get("body.1").ModuleBase().TypeName())
	assert.Equal(t, "Dropout", m.Get("body.3").ModuleBase().TypeName())
	assert.Len(t, m.StateDict().Names(), 9)
	buffers := load(t, "buffers")
	assert.Equal(t, []string{"count"}, func() (all []string) {
		for _, b := range buffers.NamedBuffers() {
			if b.Name == "count" {
				all = append(all, b.Name)
			}
		}
		return all
	}())
	assert.Equal(t, []string{"weight", "count"}, buffers.StateDict().Names())
	tied := load(t, "tied")
	assert.Same(t, tied.GetParameter("embed.weight"), tied.GetParameter("out.weight"))
	require.NoError(t, m.Close())
	require.NoError(t, buffers.Close())
	require.NoError(t, tied.Close())
}

// Train and Eval reach the operators of a program, and of a single module in it.
func TestModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	train, eval := load(t, "conv_train"), load(t, "conv_eval")
	defer func() {
		require.NoError(t, train.Close())
		require.NoError(t, eval.Close())
	}()
	assert.True(t, train.Training())
	assert.False(t, eval.Training())
	torch.Scope(func() {
		require.NoError(t, train.LoadStateDict(eval.StateDict()))
		x := torch.Randn(torch.Shape{2, 1, 8, 8})
		want := eval.Forward(x)
		assert.False(t, want.Equal(train.Forward(x)), "in training mode")
		require.NoError(t, train.LoadStateDict(eval.StateDict()))
		train.Eval()
		assert.True(t, want.Equal(train.Forward(x)))
		train.Get("body.3").Train() // dropout alone
		torch.ManualSeed(0)
		dropped := train.Forward(x)
		assert.False(t, want.Equal(dropped))
		twin := train.DeepCopy()
		defer func() { require.NoError(t, twin.Close()) }()
		torch.ManualSeed(0)
		assert.True(t, dropped.Equal(twin.Forward(x)), "a copy has the modes")
		assert.False(t, twin.Training())
		assert.True(t, twin.Get("body.3").ModuleBase().Training())
		eval.Train()
		before := eval.GetBuffer("body.1.running_mean").Clone()
		eval.Forward(x)
		assert.False(t, before.Equal(eval.GetBuffer("body.1.running_mean")), "batch normalization trains")
	})
}

// Training a program moves its parameters; the state goes through files and copies.
func TestTrainsAndSaves(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp")
	opt := optim.NewSGD(m.Parameters(), optim.LR(0.1))
	defer func() { require.NoError(t, opt.Close()) }()
	var first, last float64
	for i := range 20 {
		torch.Scope(func() {
			torch.ManualSeed(0)
			x := torch.Randn(torch.Shape{8, 4})
			opt.ZeroGrad()
			loss := m.Forward(x).Square().Mean()
			loss.Backward()
			opt.Step()
			if last = loss.Item(); i == 0 {
				first = last
			}
		})
	}
	assert.Less(t, last, first/2)
	path := filepath.Join(t.TempDir(), "m.pt")
	require.NoError(t, serialization.Save(m.StateDict(), path))
	other := load(t, "mlp")
	torch.Scope(func() {
		file, err := serialization.OpenStateDict(path)
		require.NoError(t, err)
		require.NoError(t, other.LoadStateDict(file))
		require.NoError(t, file.Close())
	})
	twin, again := m.DeepCopy(), nn.DeepCopy(m).(*export.Module)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 4})
		want := m.Forward(x)
		for _, o := range []nn.Layer{other, twin, again} {
			assert.True(t, want.Equal(o.Forward(x)))
		}
		twin.Double()
		assert.Equal(t, torch.Float64, twin.Forward(x.To(torch.Float64)).DType())
		assert.True(t, want.Equal(m.Forward(x)))
	})
	require.NoError(t, m.Close())
	torch.Scope(func() { twin.Forward(torch.Ones(torch.Shape{3, 4}, torch.Float64)) }) // copies outlive the original
	for _, o := range []nn.Module{other, twin, again} {
		require.NoError(t, o.ModuleBase().Close())
	}
}

// Replacing a tensor takes effect. What the program would not see is an error.
func TestReplacements(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "fixed")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{5, 4})
		for _, name := range []string{"bias", "weight"} {
			require.NoError(t, m.GetParameter("fc2."+name).Close())
		}
		m.Get("fc2").ModuleBase().RegisterParameter("bias", torch.Full(torch.Shape{3}, 5.0))
		m.Get("fc2").ModuleBase().RegisterParameter("weight", torch.Zeros(torch.Shape{3, 8}))
		assert.InDelta(t, 75, m.Forward(x).Sum().Item(), 0)
		part := m.Get("fc1").ModuleBase()
		none := func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor { return nil }
		for name, change := range map[string]func(){
			"new tensor": func() { m.RegisterParameter("extra", torch.Ones(torch.Shape{1})) },
			"new module": func() { m.Register("extra", nn.NewLinear(1, 1)) },
			"submodule":  func() { m.SetSubmodule("fc1", nn.NewLinear(4, 8)) },
			"unregister": func() { m.Unregister("fc1") },
			"derive":     func() { part.Derive("weight", func(nn.Module) *torch.Tensor { return nil }) },
			"hook": func() {
				part.RegisterForwardHook(none)
			},
			"part": func() { m.Get("fc1").(*export.Module).Forward(x) },
		} {
			err := torch.Try(change)
			require.ErrorIs(t, err, torch.ErrValue, name)
			assert.Contains(t, err.Error(), "export", name)
		}
		calls := 0
		hook := m.RegisterForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
			calls++
			return nil
		})
		m.Forward(x)
		m.Run(x)
		assert.Equal(t, 2, calls)
		hook.Remove()
	})
	require.NoError(t, m.Close())
}

func TestArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, one, sizes, control := load(t, "structures"), load(t, "mlp"), load(t, "sizes"), load(t, "control")
	torch.Scope(func() {
		x, y, short := torch.Ones(torch.Shape{2, 3}), torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{1})
		pair := []*torch.Tensor{x, y}
		named := map[string]any{"x": x, "list": []*torch.Tensor{x, short}}
		all := func() export.Kwargs { return export.Kwargs{"named": named, "scale": 3, "flag": true} }
		with := func(name string, v any) export.Kwargs {
			k := all()
			k[name] = v
			return k
		}
		out := m.Run(pair, all()).(export.Tuple)
		assert.Len(t, out, 3)
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"few":       {func() { m.Run(all()) }, torch.ErrValue, "expected arguments ((*, *))"},
			"no kwargs": {func() { m.Run(pair) }, torch.ErrValue, "the argument is missing"},
			"more kwargs": {
				func() { m.Run(pair, with("other", 1)) },
				torch.ErrValue, "other: there is no such argument",
			},
			"no tuple":    {func() { m.Run(x, all()) }, torch.ErrType, "pair: expected a tuple"},
			"short tuple": {func() { m.Run(pair[:1], all()) }, torch.ErrType, "pair: expected 2 elements, got 1"},
			"no tensor":   {func() { m.Run([]any{x, 1}, all()) }, torch.ErrType, "expected a tensor, got int"},
			"other scale": {func() { m.Run(pair, with("scale", 2)) }, torch.ErrValue, "expected 3, with which"},
			"nil scale":   {func() { m.Run(pair, with("scale", nil)) }, torch.ErrValue, "got None"},
			"no dict":     {func() { m.Run(pair, with("named", x)) }, torch.ErrType, "named: expected a dict"},
			"missing entry": {
				func() { m.Run(pair, with("named", map[string]any{"x": x, "y": x})) },
				torch.ErrType, "there is no entry 'list'",
			},
			"size": {func() { m.Run([]any{x, x}, all()) }, torch.ErrShape, "expected 1 dimensions"},
			"dynamic": {
				func() { one.Forward(torch.Ones(torch.Shape{2, 4})) },
				torch.ErrShape, "dimension 0 has size 2, expected 3 to 64",
			},
			"most": {
				func() { one.Forward(torch.Ones(torch.Shape{65, 4})) },
				torch.ErrShape, "size 65, expected 3 to 64",
			},
			"static": {
				func() { one.Forward(torch.Ones(torch.Shape{5, 5})) },
				torch.ErrShape, "dimension 1 has size 5, expected 4",
			},
			"equal": {
				func() { sizes.Run(torch.Ones(torch.Shape{4, 6}), torch.Ones(torch.Shape{4, 7})) }, torch.ErrShape,
				"dimension 1 has size 7, but",
			},
			"nil":         {func() { one.Forward(nil) }, torch.ErrNil, ""},
			"not one":     {func() { m.Forward(x) }, torch.ErrType, "expected a tuple"},
			"result":      {func() { control.Forward(x) }, torch.ErrType, "returns serialization.Tuple, not a tensor"},
			"nil module":  {func() { (*export.Module)(nil).Forward(x) }, torch.ErrNil, "export.Module"},
			"zero module": {func() { new(export.Module).Run(x) }, torch.ErrNil, "export.Module"},
			"wrong dtype": {
				func() { one.Forward(torch.Ones(torch.Shape{5, 4}, torch.Int64)) },
				torch.ErrDType, "node \"linear\", torch.ops.aten.linear.default, from export.py line",
			},
		} {
			err := torch.Try(c.call)
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
		}
	})
	require.NoError(t, m.Close())
	require.NoError(t, sizes.Close())
	require.NoError(t, control.Close())
	require.NoError(t, one.Close())
	require.NoError(t, one.Close())
	torch.Scope(func() {
		require.ErrorIs(t, torch.Try(func() { one.Forward(torch.Ones(torch.Shape{5, 4})) }), torch.ErrClosed)
	})
}

// After DeepCopy has failed, nothing of the copy is left.
func TestCopyOfClosedParameter(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp")
	require.NoError(t, m.GetParameter("fc2.bias").Close())
	for name, call := range map[string]func(){
		"export.Module.DeepCopy: argument fc2.bias: ": func() { m.DeepCopy() },
		"export.Module.Forward: argument fc2.bias: ": func() {
			torch.Scope(func() { m.Forward(torch.Ones(torch.Shape{4, 4})) })
		},
	} {
		err := torch.Try(call)
		require.ErrorIs(t, err, torch.ErrClosed)
		assert.ErrorContains(t, err, name)
	}
	require.NoError(t, m.Close())
}

// A parameter that was frozen at the export stays frozen, in copies too. As in Python, a
// buffer that a program changes and returns is the result itself.
func TestFrozen(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "frozen")
	twin := m.DeepCopy()
	for _, m := range []*export.Module{m, twin} {
		assert.False(t, m.GetParameter("weight").RequiresGrad())
		assert.True(t, m.GetParameter("bias").RequiresGrad())
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{2, 3})
			first := m.Run(x).(export.Tuple)[1].(*torch.Tensor)
			m.Run(x)
			assert.InDelta(t, 2, first.Item(), 0)
		})
	}
	require.NoError(t, m.Close())
	require.NoError(t, twin.Close())
}

// An argument that is a number has to have the type of the export.
func TestNumbers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "number")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{9})
		assert.Equal(t, torch.Shape{5}, m.Run(x, uint8(5)).(*torch.Tensor).Shape())
		for _, v := range []any{2.5, true, nil, "2", uint64(1 << 63), x} {
			err := torch.Try(func() { m.Run(x, v) })
			require.ErrorIs(t, err, torch.ErrType)
			assert.ErrorContains(t, err, "argument n: expected an integer")
		}
	})
	require.NoError(t, m.Close())
}

// An argument that is an integer has to be in the range of the export, which is also Python's.
func TestRanges(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, c := range []struct {
		name string
		rows int64
		args []any
		says string // "" for a call that is in the ranges
	}{
		{"number", 9, []any{2}, ""},
		{"number", 9, []any{9}, ""},
		{"number", 9, []any{1}, "argument n: the number is 1, expected 2 to 9"},
		{"number", 9, []any{-3}, "argument n: the number is -3, expected 2 to 9"},
		{"number", 9, []any{10}, "argument n: the number is 10, expected 2 to 9"},
		{"versions/2.8.0/number", 9, []any{int8(3)}, ""},
		{"versions/2.8.0/number", 9, []any{2}, "argument n: the number is 2, expected 3 to 6"},
		{"versions/2.15.0/number", 9, []any{uint64(7)}, "argument n: the number is 7, expected 3 to 6"},
		{"rows", 6, []any{6, 0}, ""},
		{"rows", 7, []any{7, -1 << 40}, ""},
		{"rows", 6, []any{5, 2}, "argument n: the number is 5, but s77 is 6"},
	} {
		m := load(t, c.name)
		torch.Scope(func() {
			shape := torch.Shape{c.rows}
			if c.name == "rows" {
				shape = append(shape, 2)
			}
			before := torch.NumLiveTensors()
			x := torch.Ones(shape)
			err := torch.Try(func() { m.Run(append([]any{x}, c.args...)...) })
			if c.says == "" {
				require.NoError(t, err, c.name)
				return
			}
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, c.says)
			assert.Equal(t, before+1, torch.NumLiveTensors())
		})
		require.NoError(t, m.Close())
	}
}

// Dicts of Python may be maps of Go.
func TestMaps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "dicts")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		fields, table := map[string]any{"x": x, "scale": 2}, map[int]*torch.Tensor{0: x, 5: x}
		letters := map[string]*torch.Tensor{"z": x, "a": x}
		out := m.Run(fields, table, letters).(export.Tuple)
		assert.Equal(t, "['x', 'scale', 'none']", serialization.Repr(out[0].(*export.Dict).Keys()))
		fields["none"] = nil
		m.Run(fields, table, letters)
		for says, call := range map[string]func(){
			"argument fields: expected None for the field 'none'": func() {
				fields["none"] = x
				defer delete(fields, "none")
				m.Run(fields, table, letters)
			},
			"argument table: there is no entry 0": func() {
				m.Run(fields, map[string]*torch.Tensor{"0": x, "5": x}, letters)
			},
			"argument table: there is no entry 5": func() {
				m.Run(fields, map[int8]*torch.Tensor{0: x, 4: x}, letters)
			},
			"argument default: there is no entry 'z'": func() {
				m.Run(fields, table, map[int]*torch.Tensor{0: x, 5: x})
			},
		} {
			err := torch.Try(call)
			require.ErrorIs(t, err, torch.ErrType)
			assert.ErrorContains(t, err, says)
		}
	})
	require.NoError(t, m.Close())
}

// Many goroutines run one program and get the results that one goroutine gets.
func TestGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, loop := load(t, "conv_eval"), load(t, "loop")
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 1, 8, 8})
		want := m.Forward(x)
		v := torch.Ones(torch.Shape{3})
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 20 {
					torch.Scope(func() {
						assert.True(t, want.Equal(m.Forward(x)))
						i := loop.Run(v).(export.Tuple)[0].(*torch.Tensor)
						assert.Equal(t, int64(4), i.ItemInt())
					})
				}
			})
		}
		all.Wait()
	})
	require.NoError(t, m.Close())
	require.NoError(t, loop.Close())
}

// A captured step of a program computes what the program computes.
func TestCapture(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp")
	step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{m.Forward(in[0])} })
	for i := range 12 {
		torch.Scope(func() {
			torch.NoGrad(func() {
				x := torch.Full(torch.Shape{5, 4}, float64(i))
				assert.True(t, m.Forward(x).Equal(step.Call(x)[0]), i)
			})
		})
	}
	assert.Equal(t, 1, step.Len(), step.Refused())
	require.NoError(t, step.Close())
	require.NoError(t, m.Close())
}
