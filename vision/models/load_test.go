package models_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// saved writes a model's state dict to a file as PyTorch does, with the names that rename
// returns. If rename returns an empty name, the tensor is left out.
func saved(t *testing.T, m nn.Module, rename func(name string) string) string {
	t.Helper()
	dict := serialization.NewOrderedDict()
	for _, n := range m.StateDict() {
		if name := rename(n.Name); name != "" {
			dict.Set(name, n.Tensor)
		}
	}
	path := filepath.Join(t.TempDir(), "model.pth")
	require.NoError(t, serialization.Save(dict, path))
	return path
}

// same checks that all tensors of two models are equal.
func same(t *testing.T, a, b nn.Module) {
	t.Helper()
	torch.Scope(func() {
		other := b.StateDict()
		for i, n := range a.StateDict() {
			require.Equal(t, n.Name, other[i].Name)
			assert.True(t, n.Tensor.Equal(other[i].Tensor), n.Name)
		}
	})
}

// Files with current and old names load, tensor by tensor and as a whole.
func TestLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	noCounts := func(name string) string {
		if strings.HasSuffix(name, "num_batches_tracked") {
			return ""
		}
		return name
	}
	dots := strings.NewReplacer("norm1.", "norm.1.", "conv1.", "conv.1.", "norm2.", "norm.2.", "conv2.", "conv.2.")
	for name, c := range map[string]struct {
		make   func() nn.Layer
		rename func(name string) string
	}{
		"resnet": {func() nn.Layer { return models.NewResNet18(models.NumClasses(3)) }, func(name string) string {
			return name
		}},
		"no count": {func() nn.Layer { return models.NewMobileNetV2(models.NumClasses(3)) }, noCounts},
		"densenet": {func() nn.Layer { return models.NewDenseNet121(models.NumClasses(3)) }, func(name string) string {
			if !strings.Contains(name, "denselayer") {
				return noCounts(name)
			}
			return noCounts(dots.Replace(name))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			torch.ManualSeed(0)
			from, lazy, whole := c.make(), c.make(), c.make()
			defer from.Close()
			defer lazy.Close()
			defer whole.Close()
			path := saved(t, from, c.rename)

			file, err := serialization.OpenStateDict(path)
			require.NoError(t, err)
			require.NoError(t, lazy.LoadStateDict(file))
			require.NoError(t, file.Close())
			same(t, from, lazy)

			dict, err := serialization.LoadStateDict(path)
			require.NoError(t, err)
			require.NoError(t, whole.LoadStateDict(nn.NewStateDict(dict.Map())))
			require.NoError(t, dict.Close())
			same(t, from, whole)
		})
	}
}

// Files load that have the old names of a Vision Transformer's MLPs.
func TestLoadOldTransformer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.WithDevice(torch.Meta, func() {
		m := models.NewViTB32()
		defer m.Close()
		old := m.StateDict()
		for i := range old {
			old[i].Name = strings.NewReplacer("mlp.0", "mlp.linear_1", "mlp.3", "mlp.linear_2").Replace(old[i].Name)
		}
		require.Equal(t, "encoder.layers.encoder_layer_0.mlp.linear_1.weight", old[12].Name)
		require.NoError(t, m.LoadStateDict(old))
		require.ErrorContains(t, m.LoadStateDict(old[:len(old)-1]), "heads.head.bias")
	})
}

// A file for 1000 classes does not load into a model with a different number of classes,
// unless the tensors of the head are left out.
func TestLoadOtherClasses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	from, to := models.NewSqueezeNet1_1(), models.NewSqueezeNet1_1(models.NumClasses(3))
	defer from.Close()
	defer to.Close()
	file, err := serialization.OpenStateDict(saved(t, from, func(name string) string { return name }))
	require.NoError(t, err)
	defer file.Close()
	require.ErrorContains(t, to.LoadStateDict(file), "classifier.1.weight")
	require.NoError(t, to.LoadStateDict(file, nn.Ignore{"classifier.**"}, nn.AllowMissing{"classifier.**"}))
}

// A deep copy loads the same files as its original.
func TestLoadCopy(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	from := models.NewMobileNetV3Small(models.NumClasses(3))
	defer from.Close()
	twin := nn.DeepCopy(from)
	defer twin.Close()
	same(t, from, twin)
	var old nn.StateDict
	for _, n := range from.StateDict() {
		if !strings.HasSuffix(n.Name, "num_batches_tracked") {
			old = append(old, n)
		}
	}
	require.NoError(t, twin.LoadStateDict(old))
}
