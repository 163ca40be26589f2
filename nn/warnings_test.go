package nn_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

const warningsProcess = "GOTORCH_TEST_WARNINGS"

// warned lists the warnings that PyTorch gives for the calls in warn, in order.
var warned = []string{
	"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater " +
		"than 1, but got dropout=0.5 and num_layers=1",
	"input's size at dim=1 does not match num_features. You can silence this warning by not passing in " +
		"num_features, which is not used because affine=False",
	"input's size at dim=0 does not match num_features. You can silence this warning by not passing in " +
		"num_features, which is not used because affine=False",
	"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer.self_attn.batch_first " +
		"was not True(use batch_first for better inference performance)",
	"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer.norm_first was True",
	"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer.self_attn was passed " +
		"bias=False",
	"enable_nested_tensor is True, but self.use_nested_tensor is False because " +
		"encoder_layer.activation_relu_or_gelu was not True",
	"enable_nested_tensor is True, but self.use_nested_tensor is False because " +
		"encoder_layer.self_attn.num_heads is odd",
	"mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
	"Initializing zero-element tensors is a no-op",
}

func warn() {
	batch := nn.BatchFirst(true)
	nn.NewLSTM(2, 3, nn.DropoutP(0.5))
	nn.NewGRU(2, 3, nn.NumLayers(2), nn.DropoutP(0.5))
	nn.NewInstanceNorm1d(3).Forward(torch.Ones(torch.Shape{2, 4, 5}))
	nn.NewInstanceNorm2d(3).Forward(torch.Ones(torch.Shape{4, 5, 6}))
	for _, opts := range [][]nn.TransformerLayerOption{
		{},
		{batch, nn.NormFirst(true)},
		{batch, nn.Bias(false)},
		{batch, nn.ActivationFunc(func(x *torch.Tensor) *torch.Tensor {
			return x.Tanh()
		})},
		{batch, nn.ActivationGELU},
	} {
		nn.NewTransformerEncoder(nn.NewTransformerEncoderLayer(4, 2, append(opts, nn.DimFeedforward(8))...), 1)
	}
	nn.NewTransformerEncoder(nn.NewTransformerEncoderLayer(3, 1, batch, nn.DimFeedforward(8)), 1)
	nninit.TruncNormal_(torch.Ones(torch.Shape{3}), nninit.Mean(5))
	nninit.Ones_(torch.Ones(torch.Shape{0}))
	nninit.KaimingUniform_(torch.Ones(torch.Shape{0, 3}))
}

// Layers and their initialization warn exactly when PyTorch does.
func TestLayersWarn(t *testing.T) {
	if os.Getenv(warningsProcess) != "" {
		torch.Scope(warn)
		return
	}
	cmd := again.Command("-test.run=^TestLayersWarn$")
	cmd.Env = append(os.Environ(), warningsProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	var got []string
	for line := range strings.Lines(text.String()) {
		if line, ok := strings.CutPrefix(line, "torch: warning: "); ok {
			got = append(got, strings.TrimSpace(line))
		}
	}
	assert.Equal(t, warned, got)
}
