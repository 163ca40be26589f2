package jit_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestModulesOfPython(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				m := load(t, name)
				defer func() { assert.NoError(t, m.Close()) }()
				assert.Equal(t, want.Training, m.Training())
				assert.Equal(t, want.Text, m.String())
				assert.Equal(t, want.StateDict, append([]string{}, m.StateDict().Names()...))
				modules := []string{}
				for _, sub := range nn.NamedModules(m) {
					modules = append(modules, sub.Name)
				}
				assert.Equal(t, want.Modules, modules)
				params := m.NamedParameters()
				require.Len(t, params, len(want.Parameters))
				for i, p := range params {
					assert.JSONEq(t, string(want.Parameters[i][0]), quoted(p.Name))
					same(t, decode(t, want.Parameters[i][1]), p.Tensor.Detach(), p.Name)
					assert.JSONEq(t, string(want.Parameters[i][2]), quoted(p.Tensor.RequiresGrad()), p.Name)
				}
				buffers := m.NamedBuffers()
				require.Len(t, buffers, len(want.Buffers))
				for i, b := range buffers {
					assert.JSONEq(t, string(want.Buffers[i][0]), quoted(b.Name))
					same(t, decode(t, want.Buffers[i][1]), b.Tensor, b.Name)
				}
				if m.HasMethod("forward") && want.Code != "" {
					assert.Equal(t, want.Code, m.Code("forward"))
				}
				for _, c := range want.Calls {
					var args []any
					for _, a := range c.Args {
						args = append(args, decode(t, a))
					}
					// call several times, because the profiling executor recompiles the
					// program after the first calls
					for range 4 {
						same(t, decode(t, c.Result), m.RunMethod(c.Method, args...), c.Method)
						if c.Method == "forward" {
							same(t, decode(t, c.Result), m.Run(args...), c.Method)
						}
					}
				}
			})
		})
	}
}

func quoted(v any) string {
	text, _ := json.Marshal(v) // a string or bool
	return string(text)
}
