package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Bad arguments of layers give a typed error that names the constructor or the layer, and leak
// nothing.
func TestBadPlainLayers(t *testing.T) {
	scoped(t, func() {
		x, img := torch.Ones(torch.Shape{4, 3}), torch.Ones(torch.Shape{1, 2, 4, 4})
		table := torch.Ones(torch.Shape{5, 3})
		for _, c := range []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{
				"limits", torch.ErrValue, "NewHardtanh: argument MinVal: expected less than MaxVal, which is 1, got 1",
				func() {
					nn.NewHardtanh(nn.MinVal(1))
				},
			},
			{"slopes", torch.ErrValue, "NumParameters", func() { nn.NewPReLU(nn.NumParameters(-1)) }},
			{"probability", torch.ErrValue, "NewDropout3d: argument p", func() { nn.NewDropout3d(2) }},
			{"alpha probability", torch.ErrValue, "NewAlphaDropout: argument p", func() { nn.NewAlphaDropout(2) }},
			{"softmax of a matrix", torch.ErrShape, "in layer Softmax2d", func() { nn.NewSoftmax2d().Forward(x) }},
			{"halves", torch.ErrShape, "in layer GLU", func() { nn.NewGLU().Forward(x) }},
			{"volume", torch.ErrShape, "in layer BatchNorm3d", func() {
				m := nn.NewBatchNorm3d(2)
				defer m.Close()
				m.Forward(img)
			}},
			{"instances", torch.ErrShape, "expected 2 or 3 dimensions, got size (1, 2, 4, 4)", func() {
				nn.NewInstanceNorm1d(2).Forward(img)
			}},
			{"channels", torch.ErrShape, "expected 3 channels, got size (1, 2, 4, 4)", func() {
				m := nn.NewInstanceNorm2d(3, nn.Affine(true))
				defer m.Close()
				m.Forward(img)
			}},
			{"one value", torch.ErrValue, "more than 1 spatial element", func() {
				nn.NewInstanceNorm2d(2).Forward(torch.Ones(torch.Shape{1, 2, 1, 1}))
			}},
			{"window", torch.ErrValue, "NewLocalResponseNorm: argument size", func() { nn.NewLocalResponseNorm(0) }},
			{"map of a matrix", torch.ErrShape, "expected 4 dimensions", func() { nn.NewCrossMapLRN2d(2).Forward(x) }},
			{"map of integers", torch.ErrDType, "expected floating point, got int64", func() {
				nn.NewCrossMapLRN2d(2).Forward(img.To(torch.Int64))
			}},
			{"features", torch.ErrValue, "NewBilinear: argument in1", func() { nn.NewBilinear(0, 2, 2) }},
			{"other features", torch.ErrShape, "in layer Bilinear", func() {
				m := nn.NewBilinear(2, 3, 2)
				defer m.Close()
				m.Forward(x, x)
			}},
			{"table of volumes", torch.ErrShape, "NewEmbeddingFromPretrained: argument embeddings: expected 2 " +
				"dimensions, got size (1, 2, 4, 4)", func() {
				nn.NewEmbeddingFromPretrained(img)
			}},
			{"no table", torch.ErrNil, "NewEmbeddingBagFromPretrained: argument embeddings", func() {
				nn.NewEmbeddingBagFromPretrained(nil)
			}},
			{"row of a table", torch.ErrIndex, "PaddingIdx: 5 is out of range for 5 rows", func() {
				nn.NewEmbeddingFromPretrained(table, nn.PaddingIdx(5))
			}},
			{"computed table", torch.ErrAutograd, "NewEmbeddingFromPretrained", func() {
				w := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
				nn.NewEmbeddingFromPretrained(w.MulScalar(2))
			}},
			{
				"mode", torch.ErrValue, `NewEmbeddingBag: argument Mode: expected sum, mean or max, got "nearest"`,
				func() {
					nn.NewEmbeddingBag(2, 2, nn.Mode("nearest"))
				},
			},
			{"bag without offsets", torch.ErrValue, "in layer EmbeddingBag", func() {
				m := nn.NewEmbeddingBag(2, 2)
				defer m.Close()
				m.Forward(torch.Zeros(torch.Shape{2}, torch.Int64), nil)
			}},
			{"similar sizes", torch.ErrShape, "in layer CosineSimilarity", func() {
				nn.NewCosineSimilarity().Forward(x, torch.Ones(torch.Shape{4, 2}))
			}},
		} {
			before := torch.NumLiveTensors()
			err := torch.Try(func() { torch.Scope(c.fn) })
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
				assert.Contains(t, err.Error(), c.text, c.name)
			}
			assert.Equal(t, before, torch.NumLiveTensors(), c.name)
		}
	})
}

// A layer owns its pretrained table, and trains it unless the table is frozen.
func TestFromPretrained(t *testing.T) {
	scoped(t, func() {
		w := torch.Ones(torch.Shape{5, 3})
		m := nn.NewEmbeddingFromPretrained(w, nn.PaddingIdx(0))
		assert.Same(t, w, m.Weight)
		assert.Equal(t, 15.0, w.Sum().Item(), "the row at PaddingIdx stays")
		assert.False(t, m.Weight.RequiresGrad())
		assert.Len(t, m.Parameters(), 1)
		require.NoError(t, m.Close())
		assert.True(t, w.IsClosed())
		bag := nn.NewEmbeddingBagFromPretrained(torch.Ones(torch.Shape{5, 3}), nn.Freeze(false))
		defer bag.Close()
		assert.True(t, bag.Weight.RequiresGrad())
	})
}

// An InstanceNorm2d without weight accepts an unexpected number of channels, with a
// warning.
func TestInstanceNormOfOtherChannels(t *testing.T) {
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever))
	scoped(t, func() {
		y := nn.NewInstanceNorm2d(3).Forward(torch.Rand(torch.Shape{1, 2, 4, 4}))
		assert.Equal(t, torch.Shape{1, 2, 4, 4}, y.Shape())
	})
}

// ResetParameters restores the initial values.
func TestResetParameters(t *testing.T) {
	type layer interface {
		nn.Module
		ResetParameters()
	}
	scoped(t, func() {
		for name, make := range map[string]func() layer{
			"BatchNorm1d": func() layer { return nn.NewBatchNorm1d(3) },
			"BatchNorm2d": func() layer { return nn.NewBatchNorm2d(3) },
			"BatchNorm3d": func() layer { return nn.NewBatchNorm3d(3) },
			"InstanceNorm1d": func() layer {
				return nn.NewInstanceNorm1d(3, nn.Affine(true), nn.TrackRunningStats(true))
			},
			"InstanceNorm2d": func() layer { return nn.NewInstanceNorm2d(3, nn.Affine(true)) },
			"InstanceNorm3d": func() layer { return nn.NewInstanceNorm3d(3, nn.TrackRunningStats(true)) },
			"LayerNorm":      func() layer { return nn.NewLayerNorm(torch.Shape{3}) },
			"RMSNorm":        func() layer { return nn.NewRMSNorm(torch.Shape{3}) },
			"GroupNorm":      func() layer { return nn.NewGroupNorm(1, 3) },
			"PReLU":          func() layer { return nn.NewPReLU(nn.Init(0.5)) },
			"Bilinear":       func() layer { return nn.NewBilinear(2, 3, 4) },
			"EmbeddingBag":   func() layer { return nn.NewEmbeddingBag(4, 3, nn.PaddingIdx(1)) },
		} {
			torch.ManualSeed(5)
			m := make()
			state := map[string][]float64{}
			for _, n := range m.StateDict() {
				state[n.Name] = n.Tensor.Float64s()
			}
			torch.NoGrad(func() {
				for _, n := range m.StateDict() {
					n.Tensor.Fill_(7)
				}
			})
			torch.ManualSeed(5)
			m.ResetParameters()
			for _, n := range m.StateDict() {
				assert.Equal(t, state[n.Name], n.Tensor.Float64s(), "%s %s", name, n.Name)
			}
			require.NoError(t, m.Close())
		}
	})
}
