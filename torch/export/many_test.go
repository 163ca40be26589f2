package export_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// sample are the programs that are exported for each commit. All others are exported if
// thorough tests are asked for.
var sample = []string{"conv2d_same", "dropout", "gru", "decoder_layer", "language", "half", "llama"}

// Programs that Python exports now give the bits that Python computes, before and during
// twenty steps of training.
func TestManyPrograms(t *testing.T) {
	python := pythontest.Interpreter(t, "torch", "torchvision", "transformers")
	script, names := filepath.Join("testdata", "many.py"), sample
	if thorough.Asked() {
		names = strings.Fields(pythontest.Run(t, python, "", script, "--list"))
		require.Greater(t, len(names), 63)
	}
	folder := t.TempDir()
	pythontest.Run(t, python, "", append([]string{"-W", "ignore", script, folder}, names...)...)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			v, err := serialization.Load(filepath.Join(folder, name+".pt"))
			require.NoError(t, err)
			defer serialization.Close(v)
			want := v.(*serialization.Dict)
			if version, _ := want.Get("version"); strings.Split(version.(string), "+")[0] != torch.Version() {
				t.Skip("Python has another version of torch, whose kernels may round otherwise")
			}
			m, err := export.Load(filepath.Join(folder, name+".pt2"))
			require.NoError(t, err)
			defer func() { require.NoError(t, m.Close()) }()
			torch.WithNumThreads(1, func() { train(t, m, want) })
		})
	}
}

func train(t *testing.T, m *export.Module, want *serialization.Dict) {
	inputs := entry(want, "inputs").([]any)
	torch.ManualSeed(3)
	torch.Scope(func() { same(t, entry(want, "first"), m.Run(inputs...), "the first result") })
	losses := entry(want, "losses").([]any)
	if len(losses) == 0 {
		return
	}
	opt := optim.NewSGD(m.Parameters(), optim.LR(0.01), optim.Momentum(0.9))
	defer func() { require.NoError(t, opt.Close()) }()
	for i, l := range losses {
		torch.Scope(func() {
			opt.ZeroGrad()
			loss := m.Run(inputs...).(*torch.Tensor).Float().Square().Mean()
			loss.Backward()
			opt.Step()
			assert.True(t, l.(*torch.Tensor).Equal(loss.Detach()), "step %d: Python has %v and Go %v", i,
				l.(*torch.Tensor).Item(), loss.Item())
		})
	}
}
