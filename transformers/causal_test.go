package transformers_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
)

// Logits, losses and gradients of models with random weights equal Python's, with and
// without padding, at once and in steps with a cache.
func TestCausalModelsEqualPython(t *testing.T) {
	dir, names := written(t, "causal")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			m, err := transformers.LoadCausalLM(filepath.Join(dir, name), models.DType(torch.Float32))
			require.NoError(t, err)
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			f, err := safetensors.Open(filepath.Join(dir, name, "cases.safetensors"))
			require.NoError(t, err)
			defer func() { require.NoError(t, f.Close()) }()
			want := func(name string) *torch.Tensor {
				x, err := f.Tensor(name)
				require.NoError(t, err)
				return x
			}
			torch.Scope(func() {
				ids, mask := want("ids"), want("mask")
				var got map[string]*torch.Tensor
				torch.NoGrad(func() {
					got = map[string]*torch.Tensor{
						"logits": m.Forward(ids),
						"masked": m.Forward(ids, models.AttentionMask(mask), models.PositionIDs(want("positions"))),
						"last":   m.Forward(ids, models.LogitsToKeep(1)),
						"steps":  inSteps(t, m, ids),
					}
				})
				for name, x := range got {
					torchtest.AllClose(t, want(name), x, torchtest.ATol(2e-6), torchtest.RTol(1e-5))
				}
				half, err := transformers.LoadCausalLM(filepath.Join(dir, name), models.DType(torch.BFloat16))
				require.NoError(t, err)
				defer func() { require.NoError(t, half.ModuleBase().Close()) }()
				torch.NoGrad(func() {
					assert.True(t, want("bfloat16").Equal(half.Forward(ids).Float()))
				})
				loss := models.CausalLoss(m.Forward(ids), want("labels"))
				assert.InDelta(t, want("loss").Item(), loss.Item(), 1e-6)
				loss.Backward()
				for _, p := range m.ModuleBase().NamedParameters() {
					grad := want("grad." + p.Name)
					torchtest.AllClose(t, grad, p.Tensor.Grad(), torchtest.ATol(1e-6), torchtest.RTol(1e-4))
				}
			})
		})
	}
}

func inSteps(t *testing.T, m models.CausalLM, ids *torch.Tensor) *torch.Tensor {
	t.Helper()
	cache := kvcache.New(m.CacheSpec(), kvcache.Capacity(12))
	defer func() { require.NoError(t, cache.Close()) }()
	var out []*torch.Tensor
	for _, cut := range [][2]int64{{0, 7}, {7, 8}, {8, 9}, {9, 12}} {
		out = append(out, m.Forward(ids.Narrow(1, cut[0], cut[1]-cut[0]), models.UseCache(cache)))
	}
	assert.Zero(t, cache.Room())
	assert.Equal(t, m.CacheSpec().Bytes(2, 12), cache.Bytes())
	return torch.Cat(out, 1)
}
