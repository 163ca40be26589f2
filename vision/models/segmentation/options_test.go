package segmentation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/internal/modeltest"
	"github.com/gotorch/gotorch/vision/models"
	"github.com/gotorch/gotorch/vision/models/segmentation"
)

// row returns the row for a constructor in the options test. The test compares the printed models
// and their tensors, on the meta device.
func row[O any, M nn.Module](constructor func(opts ...O) M, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) (out optiontest.Outcome) {
		torch.WithDevice(torch.Meta, func() {
			m := constructor(opts...)
			defer m.Close()
			out = optiontest.Outcome{"model": m.String() + modeltest.Layout(m)}
		})
		return out
	}, pairs...)
}

// TestOptions tests each option of each constructor alone, after a different value, and next to a
// nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values, refused := optiontest.Values, optiontest.Refused
	type P = []optiontest.Pair
	classes := P{
		values(segmentation.NumClasses(5), segmentation.NumClasses(0)), refused(segmentation.NumClasses(-1)),
		refused(segmentation.NumClasses(1 << 40)),
	}
	both := append(P{values(segmentation.AuxLoss(true), segmentation.AuxLoss(false))}, classes...)
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewFCNResNet50":               row(segmentation.NewFCNResNet50, both...),
		"NewFCNResNet101":              row(segmentation.NewFCNResNet101, both...),
		"NewDeepLabV3ResNet50":         row(segmentation.NewDeepLabV3ResNet50, both...),
		"NewDeepLabV3ResNet101":        row(segmentation.NewDeepLabV3ResNet101, both...),
		"NewDeepLabV3MobileNetV3Large": row(segmentation.NewDeepLabV3MobileNetV3Large, both...),
		"NewLRASPPMobileNetV3Large":    row(segmentation.NewLRASPPMobileNetV3Large, classes...),
		"GetModel": row(func(opts ...segmentation.Option) nn.Module {
			m, err := segmentation.GetModel("lraspp_mobilenet_v3_large", opts...)
			if err != nil {
				panic(err)
			}
			return m
		}, append(P{refused(segmentation.AuxLoss(true))}, classes...)...),
	})
}

// Passing an option that a constructor does not have is a compile error.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/models/segmentation"}}
	s.Accepts(t, "segmentation.NewFCNResNet50(segmentation.NumClasses(10), segmentation.AuxLoss(true))")
	s.Rejects(t, "segmentation.NewLRASPPMobileNetV3Large(segmentation.AuxLoss(true))",
		"segmentation.NewFCNResNet50(10)")
}

// Unknown names are errors.
func TestUnknownNames(t *testing.T) {
	_, err := segmentation.GetModel("fcn_resnet18")
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, `no model "fcn_resnet18"`)
	_, err = segmentation.GetModel("lraspp_mobilenet_v3_large", segmentation.AuxLoss(false))
	require.ErrorContains(t, err, "has no option segmentation.AuxLoss")
	_, err = segmentation.GetModelWeights("fcn_resnet18")
	require.ErrorIs(t, err, torch.ErrValue)
	_, err = segmentation.GetWeight("FCN_ResNet50_Weights.COCO_V9")
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { segmentation.Weights{}.Transforms() }), torch.ErrNil)
}

// Wrong images, and wrong names of layers, cause errors of the right kind, and leak nothing.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := segmentation.NewLRASPPMobileNetV3Large(segmentation.NumClasses(2))
	defer m.Close()
	head := segmentation.NewDeepLabHead(4, 2, 1)
	defer head.Close()
	torch.Scope(func() {
		for _, shape := range []torch.Shape{{3, 32, 32}, {1, 4, 32, 32}, {32}, {1, 3, 0, 32}} {
			require.ErrorIs(t, torch.Try(func() { m.Forward(torch.Zeros(shape)) }), torch.ErrShape, shape)
		}
		require.ErrorIs(t, torch.Try(func() { m.Forward(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { m.Forward(torch.Zeros(torch.Shape{1, 3, 32, 32}, torch.Float64)) }),
			torch.ErrDType)
		// a mean over one value cannot be normalized
		require.ErrorIs(t, torch.Try(func() { head.Forward(torch.Zeros(torch.Shape{1, 4, 8, 8})) }), torch.ErrValue)
	})
	squeeze := models.NewSqueezeNet1_1(models.NumClasses(2))
	defer squeeze.Close()
	require.ErrorContains(t,
		torch.Try(func() { segmentation.NewIntermediateLayerGetter(squeeze, "layer4") }), `no child "layer4"`)
	list := nn.NewModuleDict().Add("list", nn.NewModuleList())
	require.ErrorContains(t,
		torch.Try(func() { segmentation.NewIntermediateLayerGetter(list, "list") }), "not a Layer")
}

// A file loads with its second classifier or without, and if it lacks the counts of batches.
func TestLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	from := segmentation.NewDeepLabV3MobileNetV3Large(segmentation.NumClasses(3), segmentation.AuxLoss(true))
	defer from.Close()
	dict := serialization.NewOrderedDict()
	for _, n := range from.StateDict() {
		if n.Tensor.Dim() > 0 { // not num_batches_tracked
			dict.Set(n.Name, n.Tensor)
		}
	}
	path := t.TempDir() + "/model.pth"
	require.NoError(t, serialization.Save(dict, path))
	for _, aux := range []bool{true, false} {
		to := segmentation.NewDeepLabV3MobileNetV3Large(segmentation.NumClasses(3), segmentation.AuxLoss(aux))
		file, err := serialization.OpenStateDict(path)
		require.NoError(t, err)
		var opts []nn.LoadOption
		if !aux {
			require.ErrorContains(t, to.LoadStateDict(file), "aux_classifier")
			opts = append(opts, nn.Ignore{"aux_classifier.**"})
		}
		require.NoError(t, to.LoadStateDict(file, opts...))
		require.NoError(t, file.Close())
		torch.Scope(func() {
			want := from.StateDict()
			for i, n := range to.StateDict() {
				require.Equal(t, want[i].Name, n.Name)
				assert.True(t, want[i].Tensor.Equal(n.Tensor), n.Name)
			}
		})
		require.NoError(t, to.Close())
	}
}

// A deep copy gives the same results.
func TestDeepCopy(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := segmentation.NewLRASPPMobileNetV3Large(segmentation.NumClasses(2))
	defer m.Close()
	m.Eval()
	twin := nn.DeepCopy(m).(*segmentation.LRASPP)
	defer twin.Close()
	torch.Scope(func() {
		x := modeltest.Images(32).Float()
		a, b := m.Forward(x), twin.Forward(x)
		assert.True(t, a.Out.Equal(b.Out))
		require.NoError(t, a.Close())
		assert.True(t, a.Out.IsClosed())
	})
}
