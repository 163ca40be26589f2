package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// The weights files, and their image transforms, equal torchvision's.
func TestWeights(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var rows []struct {
		models.Weights
		Shape  torch.Shape
		Result []float64
	}
	torchtest.LoadGoldens(t, "testdata/weights.json").Decode("rows", &rows)
	var all []models.Weights
	for _, name := range models.ListModels() {
		list, err := models.GetModelWeights(name)
		require.NoError(t, err)
		all = append(all, list...)
	}
	require.Len(t, all, len(rows))
	torch.Scope(func() {
		image := torch.Arange(3*40*60).MulScalar(37).RemainderScalar(251).Byte().Reshape(3, 40, 60)
		for i, want := range rows {
			w, err := models.GetWeight(want.Name)
			require.NoError(t, err)
			assert.Equal(t, all[i], w)
			assert.Equal(t, want.Weights, w)
			y := w.Transforms().Forward(image)
			assert.Equal(t, want.Shape, y.Shape(), want.Name)
			// Different kernels round the uint8 values of the resized image differently. On
			// average the values differ by less than 0.5.
			torchtest.AllClose(t, torch.FromSlice(want.Result, 3), y.Double().Mean(torch.Dims{1, 2}), torchtest.RTol(0),
				torchtest.ATol(0.5/255/w.Std[0]))
		}
	})
}

// Unknown names are errors.
func TestUnknownNames(t *testing.T) {
	_, err := models.GetModel("resnet19")
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, `no model "resnet19"`)
	_, err = models.GetModel("resnet18", models.WithDropout(0.5))
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, "resnet18 has no option models.WithDropout")
	_, err = models.GetModelWeights("resnet19")
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = models.GetWeight("ResNet18_Weights.IMAGENET1K_V9")
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { models.Weights{}.Transforms() }), torch.ErrNil)
	m, err := models.GetModel("SqueezeNet1_1", models.NumClasses(2))
	require.NoError(t, err)
	require.NoError(t, m.Close())
}

// Images with a wrong shape cause errors of the right kind.
func TestBadImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var vit *models.VisionTransformer
	torch.WithDevice(torch.Meta, func() { vit = models.NewViTB32(models.ImageSize(32)) })
	defer vit.Close()
	alex := models.NewSqueezeNet1_1(models.NumClasses(2))
	defer alex.Close()
	for _, shape := range []torch.Shape{{1, 3, 32, 64}, {3, 32, 32}, {1, 4, 32, 32}} {
		torch.Scope(func() {
			require.ErrorIs(t, torch.Try(func() { vit.Forward(torch.Zeros(shape, torch.Meta)) }), torch.ErrShape, shape)
		})
	}
	torch.Scope(func() {
		require.ErrorIs(t, torch.Try(func() { alex.Forward(torch.Zeros(torch.Shape{1, 3, 3, 3})) }), torch.ErrShape)
		require.ErrorIs(t, torch.Try(func() { vit.Forward(nil) }), torch.ErrNil)
	})
}
