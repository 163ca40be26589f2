package aoti_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torchtest"
)

// The test uses each option alone, after a different value of the option, and together
// with a nil option.
func TestOptions(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	file := filepath.Join(packages(t), "mlp.pt2")
	batch := func(most int64) any {
		return aoti.Inputs{{Shape: []aoti.Dim{{Max: most}, aoti.Size(4)}}}
	}
	rows := map[string]optiontest.Row{
		"Load": optiontest.For(func(opts ...aoti.LoadOption) optiontest.Outcome {
			m, err := aoti.Load(file, opts...)
			if err != nil {
				return optiontest.Outcome{"model": err.Error()}
			}
			defer func() { require.NoError(t, m.Close()) }()
			said := ""
			torch.Scope(func() { said = fmt.Sprint(kind(func() { m.Run(torch.Ones(torch.Shape{3, 4})) })) })
			return optiontest.Outcome{"model": m.String() + said}
		},
			optiontest.Values(aoti.ModelName("other"), aoti.ModelName("")),
			optiontest.Values(aoti.Runners(3), aoti.Runners(1)),
			optiontest.Values(aoti.SingleThreaded(true), aoti.SingleThreaded(false)),
			optiontest.Values(aoti.Device(torch.Meta), aoti.Device(0)),
			optiontest.Values(batch(2), aoti.Inputs(nil)),
			optiontest.Refused(aoti.Runners(0)),
			optiontest.Refused(aoti.Runners(1<<20)),
			optiontest.Refused(aoti.ModelName("a/b")),
			optiontest.Refused(aoti.Inputs{{Shape: []aoti.Dim{{Min: 2, Max: 1}}}}),
			optiontest.Refused(aoti.Inputs{{Shape: []aoti.Dim{{Min: -1, Max: 1}}}}),
			optiontest.Refused(aoti.Inputs{{Shape: []aoti.Dim{aoti.Size(1)}, Strides: []int64{1, 2}}}),
		),
		"Model.LoadConstants": optiontest.For(func(opts ...aoti.ConstantOption) optiontest.Outcome {
			m, err := aoti.Load(file)
			require.NoError(t, err)
			defer func() { require.NoError(t, m.Close()) }()
			said, shared := "", false
			torch.Scope(func() {
				w := tensors{"fc2.bias": torch.Zeros(torch.Shape{2})}
				said = fmt.Sprint(m.LoadConstants(w, opts...))
				_ = m.LoadConstants(w, append([]aoti.ConstantOption{aoti.CheckFullUpdate(false)}, opts...)...)
				all := weights(t, "mlp")
				all["fc2.bias"] = w["fc2.bias"]
				require.NoError(t, m.LoadConstants(all, opts...))
				w["fc2.bias"].Add_(torch.Ones(torch.Shape{2}))
				shared = m.ExtractConstants()["fc2.bias"].Float32s()[0] == 1
			})
			return optiontest.Outcome{"full": said, "shared": fmt.Sprint(shared)}
		},
			optiontest.Values(aoti.CheckFullUpdate(false), aoti.CheckFullUpdate(true)).Hides("shared",
				"it is what, not how"),
			optiontest.Values(aoti.UserManaged(true), aoti.UserManaged(false)).Hides("full", "it is how, not what"),
		),
	}
	optiontest.Read(t, ".").Run(t, rows)
	require.ErrorIs(t, torch.Try(func() { _, _ = aoti.Load(file, aoti.SingleThreaded(true), aoti.Runners(2)) }),
		torch.ErrValue)
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/aoti"},
		Decls:   "var m *aoti.Model",
	}
	s.Accepts(t,
		"aoti.Load(``, aoti.ModelName(`encoder`), aoti.Runners(4), aoti.Device(torch.CUDA.At(1)))",
		"m.LoadConstants(nil, aoti.CheckFullUpdate(false), aoti.UserManaged(true))",
	)
	s.Rejects(t, "aoti.Load(``, torch.CPU)", "aoti.Load(``, aoti.UserManaged(true))",
		"m.LoadConstants(nil, aoti.Runners(1))")
}
