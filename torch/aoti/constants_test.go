package aoti_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

type tensors = map[string]*torch.Tensor

// weights returns the state dict of a model, which Python wrote to a file when it
// compiled the model.
func weights(t testing.TB, name string) tensors {
	all, err := safetensors.LoadFile(filepath.Join(packages(t), name+".weights.safetensors"))
	require.NoError(t, err)
	return all
}

func TestConstants(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	assert.Equal(t, []string{"fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"}, m.Constants())
	torch.Scope(func() {
		want, got := weights(t, "mlp"), m.ExtractConstants()
		require.Len(t, got, len(want))
		for name := range want {
			assert.True(t, want[name].Equal(got[name]), name)
		}
	})
	assert.Equal(t, "test", m.Metadata()["purpose"])
	assert.Equal(t, "cpu", m.Metadata()["AOTI_DEVICE_KEY"])
	in, out := m.CallSpec()
	assert.Contains(t, in, "builtins.tuple")
	assert.NotEmpty(t, out)
}

// forward computes in Go what the model "mlp" computes.
func forward(w tensors, x *torch.Tensor) *torch.Tensor {
	h := x.MatMul(w["fc1.weight"].T()).Add(w["fc1.bias"]).ReLU()
	return h.MatMul(w["fc2.weight"].T()).Add(w["fc2.bias"])
}

// After LoadConstants, the model gives the results for the new weights. This holds with and
// without copying, and for weights in any memory layout.
func TestLoadConstants(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{5, 4}, torch.NewGenerator(1))
		before := m.Run(x)[0]
		w := tensors{}
		for name, t := range weights(t, "mlp") {
			w[name] = t.MulScalar(2)
		}
		want := forward(w, x)
		large := torch.Zeros(torch.Shape{100, 8, 4})
		large.Select(0, 3).Copy_(w["fc1.weight"])
		given := tensors{
			"fc1.weight": large.Select(0, 3), "fc1.bias": w["fc1.bias"],
			"fc2.bias": w["fc2.bias"].Detach().RequiresGrad_(),
		}
		given["fc2.weight"] = w["fc2.weight"].T().Contiguous().T()
		require.NoError(t, m.LoadConstants(given))
		torchtest.AllClose(t, want, m.Run(x)[0])

		// Replace only one of the constants.
		require.NoError(t,
			m.LoadConstants(tensors{"fc2.bias": weights(t, "mlp")["fc2.bias"]}, aoti.CheckFullUpdate(false)))
		torchtest.AllClose(t, want.Sub(w["fc2.bias"].DivScalar(2)), m.Run(x)[0])

		// With UserManaged the weights are not copied, so later writes to them change the
		// results. The program may close them.
		own := weights(t, "mlp")
		require.NoError(t, m.LoadConstants(own, aoti.UserManaged(true)))
		assert.True(t, before.Equal(m.Run(x)[0]))
		own["fc2.bias"].Add_(torch.Ones(torch.Shape{2}))
		for _, t := range own {
			_ = t.Close()
		}
		torchtest.AllClose(t, before.AddScalar(1), m.Run(x)[0])
		require.NoError(t, m.LoadConstants(weights(t, "mlp")))
		torchtest.AllClose(t, before, m.Run(x)[0])
	})
}

func TestLoadConstantsThatDoNotFit(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 4})
		want := m.Run(x)[0]
		w := weights(t, "mlp")
		with := func(name string, x *torch.Tensor) tensors {
			all := tensors{}
			for k, v := range w {
				all[k] = v.AddScalar(1)
			}
			all[name] = x
			return all
		}
		closed := torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		for name, row := range map[string]struct {
			all  tensors
			want error
			opts []aoti.ConstantOption
		}{
			"missing":     {all: tensors{"fc1.bias": w["fc1.bias"]}, want: torch.ErrValue},
			"no such":     {all: with("fc3.bias", w["fc1.bias"]), want: torch.ErrValue},
			"a code name": {all: with("fc1_bias", w["fc1.bias"]), want: torch.ErrValue},
			"shape":       {all: with("fc2.bias", torch.Ones(torch.Shape{3})), want: torch.ErrShape},
			"dimensions":  {all: with("fc2.bias", torch.Ones(torch.Shape{2, 1})), want: torch.ErrShape},
			"dtype":       {all: with("fc2.bias", torch.Ones(torch.Shape{2}, torch.Float64)), want: torch.ErrDType},
			"device":      {all: with("fc2.bias", torch.Ones(torch.Shape{2}, torch.Meta)), want: torch.ErrDevice},
			"layout":      {all: with("fc2.bias", torch.Ones(torch.Shape{2}).ToSparse()), want: torch.ErrValue},
			"nil":         {all: with("fc2.bias", nil), want: torch.ErrNil},
			"closed":      {all: with("fc2.bias", closed), want: torch.ErrClosed},
			"strides": {
				all: with("fc2.weight", w["fc2.weight"].T().Contiguous().T()), want: torch.ErrValue,
				opts: []aoti.ConstantOption{aoti.UserManaged(true)},
			},
		} {
			assert.ErrorIs(t, m.LoadConstants(row.all, row.opts...), row.want, name)
			assert.True(t, want.Equal(m.Run(x)[0]), name)
		}
	})
}

// A model compiled without weights cannot run until LoadConstants sets them.
func TestPackageWithoutConstants(t *testing.T) {
	all := recorded(t, "empty")
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "empty")
	in, want := arguments(all, 0)
	torch.Scope(func() {
		x := in[0].Clone()
		assert.ErrorIs(t, kind(func() { m.Run(x) }), torch.ErrValue)
		assert.Empty(t, m.ExtractConstants())
		w := weights(t, "empty")
		assert.ErrorIs(t, m.LoadConstants(tensors{"fc1.bias": torch.Ones(torch.Shape{3})}, aoti.CheckFullUpdate(false)),
			torch.ErrShape)
		require.NoError(t, m.LoadConstants(tensors{"fc1.bias": w["fc1.bias"]}, aoti.CheckFullUpdate(false)))
		assert.ErrorIs(t, kind(func() { m.Run(x) }), torch.ErrValue)
		require.NoError(t, m.LoadConstants(w))
		torchtest.AllClose(t, want[0], m.Run(x)[0])
	})
}

// A call uses either the old or the new weights, even if another goroutine replaces them
// during the call.
func TestLoadConstantsBesideCalls(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{5, 4}, torch.NewGenerator(1))
		w := []tensors{weights(t, "mlp"), {}}
		for name, t := range w[0] {
			w[1][name] = t.AddScalar(1)
		}
		var want [2][]float32
		for i := range w {
			require.NoError(t, m.LoadConstants(w[i]))
			want[i] = m.Run(x)[0].Float32s()
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					torch.Scope(func() { assert.Contains(t, want, m.Run(x)[0].Float32s()) })
				}
			})
		}
		for i := range 20 {
			assert.NoError(t, m.LoadConstants(w[i%2]))
		}
		wg.Wait()
	})
}
