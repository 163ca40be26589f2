package jit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// The test uses each option alone, after a different value of the option, and together
// with a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	data, err := os.ReadFile(goldenPath("mlp_training"))
	require.NoError(t, err)
	made := func(m *jit.Module, err error) optiontest.Outcome {
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		return optiontest.Outcome{"device": m.Parameters()[0].Device().String()}
	}
	// loaded describes on which device the tensors are, and the contents of the last
	// ExtraFiles.
	loaded := func(
		load func(opts ...jit.LoadOption) (*jit.Module, error),
	) func(opts ...jit.LoadOption) optiontest.Outcome {
		return func(opts ...jit.LoadOption) optiontest.Outcome {
			var last jit.ExtraFiles
			for i, o := range opts {
				if extra, ok := o.(jit.ExtraFiles); ok {
					last = jit.ExtraFiles{}
					for name := range extra {
						last[name] = ""
					}
					opts[i] = last
				}
			}
			out := made(load(opts...))
			out["extra"] = fmt.Sprint(last)
			return out
		}
	}
	read := []optiontest.Pair{
		optiontest.Values(jit.MapLocation(torch.Meta), jit.MapLocation(0)).Hides("extra", "they are no tensors"),
		optiontest.Values(jit.ExtraFiles{"notes.txt": ""}, jit.ExtraFiles(nil)).Hides("device", "they are no tensors"),
	}
	written := func(save func(m *jit.Module,
		opts []jit.SaveOption) []byte,
	) func(opts ...jit.SaveOption) optiontest.Outcome {
		return func(opts ...jit.SaveOption) optiontest.Outcome {
			m := load(t, "mlp_scripted")
			defer func() { require.NoError(t, m.Close()) }()
			names := ""
			for _, r := range unzip(t, save(m, opts)) {
				names += r.name + "\n"
			}
			return optiontest.Outcome{"entries": names}
		}
	}
	write := []optiontest.Pair{
		optiontest.Values(jit.ExtraFiles{"a": "b"}, jit.ExtraFiles(nil)),
		optiontest.Refused(jit.ExtraFiles{"": "b"}),
		optiontest.Refused(jit.ExtraFiles{"a\x00": "b"}),
	}
	rows := map[string]optiontest.Row{
		"Load": optiontest.For(loaded(func(opts ...jit.LoadOption) (*jit.Module, error) {
			return jit.Load(goldenPath("mlp_training"), opts...)
		}), read...),
		"LoadFrom": optiontest.For(loaded(func(opts ...jit.LoadOption) (*jit.Module, error) {
			return jit.LoadFrom(bytes.NewReader(data), int64(len(data)), opts...)
		}), read...),
		"Module.Save": optiontest.For(written(func(m *jit.Module, opts []jit.SaveOption) []byte {
			path := filepath.Join(t.TempDir(), "m.pt")
			require.NoError(t, m.Save(path, opts...))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			return text
		}), write...),
		"Module.SaveTo": optiontest.For(written(func(m *jit.Module, opts []jit.SaveOption) []byte {
			var b bytes.Buffer
			require.NoError(t, m.SaveTo(&b, opts...))
			return b.Bytes()
		}), write...),
		"Module.Freeze": optiontest.For(func(opts ...jit.FreezeOption) optiontest.Outcome {
			m := load(t, "conv")
			defer func() { require.NoError(t, m.Close()) }()
			f := m.Freeze(opts...)
			defer func() { require.NoError(t, f.Close()) }()
			return optiontest.Outcome{"graph": fmt.Sprint(bytes.Contains([]byte(f.Graph("forward")),
				[]byte("batch_norm"))), "kept": fmt.Sprint(f.Submodule("fc") != nil)}
		},
			optiontest.Values(jit.PreservedAttrs{"fc"}, jit.PreservedAttrs(nil)).Hides("graph", "fc is no BatchNorm"),
			optiontest.Values(jit.OptimizeNumerics(false), jit.OptimizeNumerics(true)).Hides("kept",
				"it keeps nothing"),
			optiontest.Refused(jit.PreservedAttrs{"a\x00"})),
		"Module.OptimizeForInference": optiontest.For(func(opts ...jit.OptimizeOption) optiontest.Outcome {
			m := load(t, "values")
			defer func() { require.NoError(t, m.Close()) }()
			m.Eval()
			f := m.OptimizeForInference(opts...)
			defer func() { require.NoError(t, f.Close()) }()
			return optiontest.Outcome{"methods": fmt.Sprint(f.Methods())}
		},
			optiontest.Values(jit.OtherMethods{"same_int"}, jit.OtherMethods(nil)),
			optiontest.Refused(jit.OtherMethods{"a\x00"})),
	}
	// The layer's result depends on earlier calls, which the check finds.
	check := func(trace func(l *adding, x *torch.Tensor, opts ...jit.TraceOption) *jit.Module,
	) func(opts ...jit.TraceOption) optiontest.Outcome {
		return func(opts ...jit.TraceOption) optiontest.Outcome {
			l := newAdding()
			defer func() { require.NoError(t, l.Close()) }()
			var err error
			torch.Scope(func() {
				err = torch.Try(func() {
					require.NoError(t, trace(l, torch.Ones(torch.Shape{2}), opts...).Close())
				})
			})
			if err != nil && !errors.Is(err, torch.ErrRuntime) {
				panic(err)
			}
			return optiontest.Outcome{"found": fmt.Sprint(err != nil)}
		}
	}
	checks := optiontest.Values(jit.CheckTrace(false), jit.CheckTrace(true))
	rows["Trace"] = optiontest.For(check(func(l *adding, x *torch.Tensor, opts ...jit.TraceOption) *jit.Module {
		return jit.Trace(l, x, opts...)
	}), checks)
	rows["TraceFunc"] = optiontest.For(check(func(l *adding, x *torch.Tensor, opts ...jit.TraceOption) *jit.Module {
		call := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{l.Forward(in[0])} }
		return jit.TraceFunc(l, call, []*torch.Tensor{x}, opts...)
	}), checks)
	optiontest.Read(t, ".").Run(t, rows)
}

// adding is a layer that adds up its inputs.
type adding struct {
	nn.Base
	sum *torch.Tensor
}

func newAdding() *adding {
	l := &adding{}
	l.Init(l)
	l.sum = l.RegisterBuffer("sum", torch.Zeros(torch.Shape{2}))
	return l
}

func (l *adding) Forward(x *torch.Tensor) *torch.Tensor { return l.Call(x, l.forward) }

func (l *adding) forward(x *torch.Tensor) *torch.Tensor { return l.sum.Add_(x).Add(x) }

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/jit"},
		Decls:   "var m *jit.Module",
	}
	s.Accepts(t,
		"jit.Load(``, jit.MapLocation(torch.CPU), jit.ExtraFiles{})",
		"m.Save(``, jit.ExtraFiles{})",
		"m.Freeze(jit.PreservedAttrs{}, jit.OptimizeNumerics(false))",
		"jit.Trace(nil, nil, jit.CheckTrace(false))",
	)
	s.Rejects(t,
		"jit.Load(``, torch.CPU)", "m.Save(``, jit.MapLocation(torch.CPU))", "m.Freeze(jit.OtherMethods{})",
		"m.OptimizeForInference(jit.PreservedAttrs{})", "jit.Load(``, map[string]string{})",
		"jit.Trace(nil, nil, false)", "m.Freeze(jit.CheckTrace(true))")
}
