package models_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/vision/models"
)

// options converts a case's keyword arguments to options of this package.
func (c *goldenCase) options(t *testing.T) (opts []models.Option) {
	t.Helper()
	for name, raw := range c.Options {
		o, ok := keywords[name]
		require.True(t, ok, name)
		opts = append(opts, o(t, raw))
	}
	return opts
}

// keyword returns a function that converts the JSON value of a Python keyword argument to
// an option.
func keyword[V any](option func(v V) models.Option) func(t *testing.T, raw json.RawMessage) models.Option {
	return func(t *testing.T, raw json.RawMessage) models.Option {
		t.Helper()
		var v V
		require.NoError(t, json.Unmarshal(raw, &v))
		return option(v)
	}
}

var keywords = map[string]func(t *testing.T, raw json.RawMessage) models.Option{
	"num_classes":           keyword(func(v int64) models.Option { return models.NumClasses(v) }),
	"dropout":               keyword(func(v float64) models.Option { return models.WithDropout(v) }),
	"attention_dropout":     keyword(func(v float64) models.Option { return models.AttentionDropout(v) }),
	"stochastic_depth_prob": keyword(func(v float64) models.Option { return models.StochasticDepthProb(v) }),
	"layer_scale":           keyword(func(v float64) models.Option { return models.LayerScale(v) }),
	"width_mult":            keyword(func(v float64) models.Option { return models.WidthMult(v) }),
	"drop_rate":             keyword(func(v float64) models.Option { return models.DropRate(v) }),
	"round_nearest":         keyword(func(v int64) models.Option { return models.RoundNearest(v) }),
	"bn_size":               keyword(func(v int64) models.Option { return models.BNSize(v) }),
	"groups":                keyword(func(v int64) models.Option { return models.Groups(v) }),
	"width_per_group":       keyword(func(v int64) models.Option { return models.WidthPerGroup(v) }),
	"image_size":            keyword(func(v int64) models.Option { return models.ImageSize(v) }),
	"representation_size":   keyword(func(v int64) models.Option { return models.RepresentationSize(v) }),
	"reduced_tail":          keyword(func(v bool) models.Option { return models.ReducedTail(v) }),
	"dilated":               keyword(func(v bool) models.Option { return models.Dilated(v) }),
	"init_weights":          keyword(func(v bool) models.Option { return models.InitWeights(v) }),
	"zero_init_residual":    keyword(func(v bool) models.Option { return models.ZeroInitResidual(v) }),
	"replace_stride_with_dilation": keyword(func(v [3]bool) models.Option {
		return models.ReplaceStrideWithDilation(v)
	}),
	"inverted_residual_setting": keyword(func(v [][4]int64) models.Option { return models.InvertedResidualSetting(v) }),
	"norm_layer":                keyword(func(string) models.Option { return groupNorm }),
	"conv_stem_configs": keyword(func(v [][3]int64) models.Option {
		var list models.ConvStemConfigs
		for _, c := range v {
			list = append(list, models.ConvStemConfig{OutChannels: c[0], KernelSize: c[1], Stride: c[2]})
		}
		return list
	}),
}

var groupNorm models.NormLayer = func(channels int64) nn.Layer { return nn.NewGroupNorm(8, channels) }
