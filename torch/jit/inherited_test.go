package jit_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// again saves m and returns the module that is loaded from the result.
func again(t *testing.T, m *jit.Module) *jit.Module {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, m.SaveTo(&file))
	twin, err := jit.LoadFrom(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, twin.Close()) })
	return twin
}

// shows checks the mean of each parameter of m. It checks them again after saving and
// loading m.
func shows(t *testing.T, m *jit.Module, want ...float64) {
	t.Helper()
	torch.Scope(func() {
		for i, p := range m.Parameters() {
			assert.Equal(t, want[i], p.Detach().To(torch.Float64).Mean().Item(), "the list")
		}
		for i, p := range again(t, m).Parameters() {
			assert.Equal(t, want[i], p.Detach().To(torch.Float64).Mean().Item(), "what is saved")
		}
	})
}

// fill fills each of the four parameters of an MLP with a different value.
func fill(m *jit.Module) {
	torch.NoGrad(func() {
		for i, p := range m.Parameters() {
			p.Fill_(float64(i + 1))
		}
	})
}

func fixed(t *testing.T, fn func()) {
	t.Helper()
	err := torch.Try(fn)
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "script")
}

// inherited has a test for each method of nn.Base. The method must either work on a script
// or refuse the script.
var inherited = map[string]func(t *testing.T, m *jit.Module){
	// These methods add something to the module or remove something from it.
	"As":         func(t *testing.T, m *jit.Module) { fixed(t, func() { nn.NewLinear(2, 2, m.As("fc1")) }) },
	"Register":   func(t *testing.T, m *jit.Module) { fixed(t, func() { m.Register("fc1", m.Submodule("fc2")) }) },
	"Derive":     func(t *testing.T, m *jit.Module) { fixed(t, func() { m.Submodule("fc1").Derive("weight", zero) }) },
	"Unregister": func(t *testing.T, m *jit.Module) { fixed(t, func() { m.Unregister("fc1") }) },
	"SetSubmodule": func(t *testing.T, m *jit.Module) {
		l := nn.NewLinear(4, 8)
		fixed(t, func() { m.SetSubmodule("fc1", l) })
		fixed(t, func() { m.SetSubmodule("fc1.more", l) })
		require.NoError(t, l.Close())
	},
	"RegisterParameter": func(t *testing.T, m *jit.Module) {
		fc1 := m.Submodule("fc1")
		old, p := fc1.GetParameter("weight"), torch.Full(torch.Shape{8, 4}, 7.0)
		assert.Same(t, p, fc1.RegisterParameter("weight", p))
		require.NoError(t, old.Close())
		assert.True(t, p.RequiresGrad())
		shows(t, m, 7, 2, 3, 4)
		fixed(t, func() { fc1.RegisterParameter("weight", nil) })
		fixed(t, func() { fc1.RegisterParameter("new", p) })
		shows(t, m, 7, 2, 3, 4)
	},
	"RegisterBuffer": func(t *testing.T, m *jit.Module) {
		b := torch.Zeros(torch.Shape{})
		fixed(t, func() { m.RegisterBuffer("new", b) })
		require.NoError(t, b.Close())
		conv := load(t, "conv")
		bn := conv.Submodule("bn")
		old, mean := bn.GetBuffer("running_mean"), torch.Full(torch.Shape{4}, 5.0)
		bn.RegisterBuffer("running_mean", mean)
		require.NoError(t, old.Close())
		assert.Equal(t, []float32{5, 5, 5, 5}, again(t, conv).GetBuffer("bn.running_mean").Float32s())
		bn.RegisterBuffer("running_mean", mean, nn.Persistent(false))
		assert.Nil(t, conv.StateDict().Get("bn.running_mean"))
		fixed(t, func() { bn.RegisterBuffer("running_mean", nil) })
	},
	// Hooks run when Go code calls the module.
	"RegisterForwardPreHook": hooks(func(m nn.Module, ran *int) *nn.Hook {
		return m.ModuleBase().RegisterForwardPreHook(func(nn.Module, []*torch.Tensor) []*torch.Tensor {
			*ran++
			return nil
		})
	}),
	"RegisterForwardHook": hooks(func(m nn.Module, ran *int) *nn.Hook {
		return m.ModuleBase().RegisterForwardHook(func(_ nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
			*ran++
			return nil
		})
	}),
	"RegisterFullBackwardHook": hooks(func(m nn.Module, ran *int) *nn.Hook {
		return m.ModuleBase().RegisterFullBackwardHook(func(_ nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
			*ran++
			return nil
		})
	}),
	"RegisterFullBackwardPreHook": hooks(func(m nn.Module, ran *int) *nn.Hook {
		return m.ModuleBase().RegisterFullBackwardPreHook(func(nn.Module, []*torch.Tensor) []*torch.Tensor {
			*ran++
			return nil
		})
	}),
	"RegisterStateDictPreHook": func(t *testing.T, m *jit.Module) {
		ran := false
		m.Submodule("fc1").RegisterStateDictPreHook(func(nn.Module, string) { ran = true })
		m.StateDict()
		assert.True(t, ran)
	},
	"RegisterStateDictPostHook": func(t *testing.T, m *jit.Module) {
		m.Submodule("fc1").RegisterStateDictPostHook(func(_ nn.Module, sd *nn.StateDict, _ string) { *sd = (*sd)[:0] })
		assert.Len(t, m.StateDict(), 2)
	},
	"RegisterLoadStateDictPreHook": func(t *testing.T, m *jit.Module) {
		ran := false
		m.Submodule("fc1").RegisterLoadStateDictPreHook(func(nn.Module, *nn.StateDict, string) { ran = true })
		require.NoError(t, m.LoadStateDict(m.StateDict()))
		assert.True(t, ran)
	},
	"RegisterLoadStateDictPostHook": func(t *testing.T, m *jit.Module) {
		ran := false
		m.Submodule("fc1").RegisterLoadStateDictPostHook(func(nn.Module, *nn.IncompatibleKeys) { ran = true })
		require.NoError(t, m.LoadStateDict(m.StateDict()))
		assert.True(t, ran)
	},
	// These methods change the module's tensors.
	"LoadStateDict": func(t *testing.T, m *jit.Module) {
		sd := m.StateDict().Clone()
		for i, n := range sd {
			n.Tensor.Fill_(float64(10 + i))
		}
		require.NoError(t, m.LoadStateDict(sd))
		shows(t, m, 10, 11, 12, 13)
		for i, n := range sd {
			n.Tensor.Fill_(float64(20 + i))
		}
		require.NoError(t, m.LoadStateDict(sd, nn.Assign(true)))
		shows(t, m, 20, 21, 22, 23)
	},
	"To":       converts(func(m *jit.Module) { m.To(torch.Float64) }, torch.Float64),
	"Float":    converts(func(m *jit.Module) { m.Double(); m.Float() }, torch.Float32),
	"Double":   converts(func(m *jit.Module) { m.Double() }, torch.Float64),
	"Half":     converts(func(m *jit.Module) { m.Half() }, torch.Float16),
	"BFloat16": converts(func(m *jit.Module) { m.BFloat16() }, torch.BFloat16),
	"Type":     converts(func(m *jit.Module) { m.Type(torch.Float64) }, torch.Float64),
	"CPU":      converts(func(m *jit.Module) { m.CPU() }, torch.Float32),
	"CUDA": func(t *testing.T, m *jit.Module) {
		if torch.CUDA.At(0).Check() != nil {
			require.ErrorIs(t, torch.Try(func() { m.CUDA() }), torch.ErrDevice)
		}
	},
	"ToEmpty": func(t *testing.T, m *jit.Module) {
		m.ToEmpty(torch.Meta)
		m.ToEmpty(torch.CPU)
		fill(m)
		shows(t, m, 1, 2, 3, 4)
	},
	"SetRequiresGrad": func(t *testing.T, m *jit.Module) {
		m.SetRequiresGrad(false)
		torch.Scope(func() { assert.False(t, m.Forward(input()).RequiresGrad()) })
		m.SetRequiresGrad(true)
		torch.Scope(func() { assert.True(t, m.Forward(input()).RequiresGrad()) })
	},
	"ZeroGrad": func(t *testing.T, m *jit.Module) {
		torch.Scope(func() {
			m.Forward(input()).Sum().Backward()
			assert.NotNil(t, m.Parameters()[0].Grad())
			m.ZeroGrad()
			assert.Nil(t, m.Parameters()[0].Grad())
		})
	},
	"Train":       modes(func(m *jit.Module) { m.Train() }, true),
	"Eval":        modes(func(m *jit.Module) { m.Eval() }, false),
	"SetTraining": modes(func(m *jit.Module) { m.SetTraining(true) }, true),
	"Training":    modes(func(m *jit.Module) { m.ModuleBase().Train() }, true),
	// These methods only read the module.
	"Parameters":      func(t *testing.T, m *jit.Module) { assert.Len(t, m.Parameters(), 4) },
	"NamedParameters": func(t *testing.T, m *jit.Module) { assert.Equal(t, "fc2.bias", m.NamedParameters()[3].Name) },
	"Buffers":         func(t *testing.T, _ *jit.Module) { assert.Len(t, load(t, "conv").Buffers(), 3) },
	"NamedBuffers":    func(t *testing.T, _ *jit.Module) { assert.Len(t, load(t, "conv").NamedBuffers(), 3) },
	"StateDict":       func(t *testing.T, m *jit.Module) { assert.Equal(t, "fc1.weight", m.StateDict().Names()[0]) },
	"Children":        func(t *testing.T, m *jit.Module) { assert.Len(t, m.Children(), 3) },
	"Get":             func(t *testing.T, m *jit.Module) { assert.Same(t, m.Submodule("fc1"), m.Get("fc1")) },
	"GetParameter": func(t *testing.T, m *jit.Module) {
		assert.Same(t, m.Parameters()[0], m.GetParameter("fc1.weight"))
	},
	"GetBuffer": func(t *testing.T, _ *jit.Module) { assert.NotNil(t, load(t, "conv").GetBuffer("bn.running_var")) },
	"IsDerived": func(t *testing.T, m *jit.Module) { assert.False(t, m.IsDerived("fc1")) },
	"Derived": func(t *testing.T, m *jit.Module) {
		require.ErrorIs(t, torch.Try(func() { m.Derived("fc1") }), torch.ErrValue)
	},
	"ModuleBase": func(t *testing.T, m *jit.Module) { assert.Same(t, &m.Base, m.ModuleBase()) },
	// These methods print the module or call it.
	"String":       func(t *testing.T, m *jit.Module) { assert.Contains(t, m.String(), "(fc1)") },
	"TypeName":     func(t *testing.T, m *jit.Module) { assert.Equal(t, "RecursiveScriptModule", m.TypeName()) },
	"SetTypeName":  func(t *testing.T, m *jit.Module) { m.SetTypeName("Net"); assert.Contains(t, m.String(), "Net(") },
	"SetExtraRepr": func(t *testing.T, m *jit.Module) { m.SetExtraRepr("a=1"); assert.Contains(t, m.String(), "a=1") },
	"Call": func(t *testing.T, m *jit.Module) {
		torch.Scope(func() {
			assert.NotNil(t, m.Call(input(), func(x *torch.Tensor) *torch.Tensor { return x.Neg() }))
		})
	},
	"Call2": func(t *testing.T, m *jit.Module) {
		torch.Scope(func() {
			assert.NotNil(t, m.Call2(input(), input(), func(x, y *torch.Tensor) *torch.Tensor { return x.Add(y) }))
		})
	},
	"CallN": func(t *testing.T, m *jit.Module) {
		torch.Scope(func() {
			assert.Len(t, m.CallN([]*torch.Tensor{input()}, func(in []*torch.Tensor) []*torch.Tensor { return in }), 1)
		})
	},
	"Init": func(t *testing.T, m *jit.Module) {
		w := embedding(m)
		torch.Scope(func() { assert.Equal(t, torch.Shape{2, 3}, w.Forward(input()).Shape()) })
	},
	"Close": func(t *testing.T, m *jit.Module) {
		require.NoError(t, m.Close())
		require.ErrorIs(t, torch.Try(func() { m.Forward(nil) }), torch.ErrClosed)
		require.ErrorIs(t, torch.Try(m.Train), torch.ErrClosed)
	},
}

func zero(nn.Module) *torch.Tensor { return torch.Zeros(torch.Shape{8, 4}) }

// wrapper embeds a script.
type wrapper struct{ *jit.Module }

func embedding(m *jit.Module) *wrapper {
	w := &wrapper{m}
	w.Init(w)
	return w
}

func hooks(register func(m nn.Module, ran *int) *nn.Hook) func(t *testing.T, m *jit.Module) {
	return func(t *testing.T, m *jit.Module) {
		ran := 0
		h := register(m, &ran)
		torch.Scope(func() {
			x := input()
			x.SetRequiresGrad(true)
			m.Forward(x).Sum().Backward()
		})
		assert.Equal(t, 1, ran)
		h.Remove()
		fixed(t, func() { register(m.Submodule("fc1"), &ran) })
	}
}

func converts(fn func(m *jit.Module), want torch.DType) func(t *testing.T, m *jit.Module) {
	return func(t *testing.T, m *jit.Module) {
		fn(m)
		torch.Scope(func() { assert.Equal(t, want, m.Forward(input().To(want)).DType()) })
		shows(t, m, 1, 2, 3, 4)
	}
}

func modes(fn func(m *jit.Module), on bool) func(t *testing.T, m *jit.Module) {
	return func(t *testing.T, m *jit.Module) {
		m.SetTraining(!on)
		fn(m)
		for _, part := range []*jit.Module{m, m.Submodule("drop")} {
			assert.Equal(t, on, part.Training())
			assert.Equal(t, on, part.Attr("training"))
		}
	}
}

// own are the methods that package jit declares itself.
var own = []string{
	"Attr", "Attributes", "Code", "DeepCopy", "Forward", "Freeze", "Graph", "HasMethod", "Methods",
	"OptimizeForInference",
	"OriginalName", "Release", "Run", "RunMethod", "Save", "SaveTo", "Schema", "Script", "SetAttr", "Submodule",
}

// inherited has a test for every method that a module inherits from nn.Base.
func TestInheritedMethods(t *testing.T) {
	known := map[string]bool{}
	for _, name := range own {
		known[name] = true
	}
	for name, test := range inherited {
		known[name] = true
		t.Run(name, func(t *testing.T) {
			t.Cleanup(torchtest.CheckLeaks(t))
			m := load(t, "mlp_scripted")
			fill(m)
			test(t, m)
			require.NoError(t, m.Close())
		})
	}
	module := reflect.TypeFor[*jit.Module]()
	for i := range module.NumMethod() {
		name := module.Method(i).Name
		assert.True(t, known[name], "say in this table what %s does with a script", name)
		delete(known, name)
	}
	assert.Empty(t, known, "no methods")
}
