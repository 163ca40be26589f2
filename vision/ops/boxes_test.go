package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// functions contains the functions of boxes in testdata/make_boxes.py, by name.
var functions = map[string]func(a, b *torch.Tensor) *torch.Tensor{
	"generalized_box_iou": ops.GeneralizedBoxIoU,
	"distance_box_iou":    func(a, b *torch.Tensor) *torch.Tensor { return ops.DistanceBoxIoU(a, b) },
	"complete_box_iou":    func(a, b *torch.Tensor) *torch.Tensor { return ops.CompleteBoxIoU(a, b, ops.Eps(1e-7)) },
}

// result computes what the script computed under a name.
func result(t *testing.T, g *torchtest.Goldens, name string) *torch.Tensor {
	t.Helper()
	w := strings.Fields(name)
	a := g.Tensor("a")
	if len(w) > 1 {
		switch w[1] {
		case "double":
			a = a.To(torch.Float64)
		case "half":
			a = a.To(torch.Float16)
		case "int":
			a = a.MulScalar(3).To(torch.Int32)
		case "byte":
			a = a.MulScalar(3).To(torch.Uint8)
		}
	}
	switch w[0] {
	case "area":
		return ops.BoxArea(a, ops.Fmt(w[2]))
	case "iou":
		return ops.BoxIoU(a, a.Index(torch.SliceFrom(1)), ops.Fmt(w[2]))
	case "convert":
		switch from := ops.Fmt(w[2]); from {
		case ops.FmtCXCYWHR, ops.FmtXYWHR, ops.FmtXYXYXYXY:
			x := g.Tensor("rotated")
			if from == ops.FmtXYXYXYXY {
				x = g.Tensor("corners")
			}
			if w[1] == "int" {
				x = x.To(torch.Int32)
			}
			return ops.BoxConvert(x, from, ops.Fmt(w[3]))
		default:
			return ops.BoxConvert(a, from, ops.Fmt(w[3]))
		}
	case "batched":
		if len(w) > 1 {
			return ops.BatchedNMS(g.Tensor("many"), g.Tensor("scores"), g.Tensor("kinds"), 0.2)
		}
		return ops.BatchedNMS(a, torch.Arange(5.0), torch.FromSlice([]int64{0, 1, 0, 1, 0}), 0.01)
	case "small":
		return ops.RemoveSmallBoxes(a, 5)
	case "clip":
		return ops.ClipBoxesToImage(torch.Stack([]*torch.Tensor{a.SubScalar(5), a}), 12, 15)
	case "masks":
		return ops.MasksToBoxes(g.Tensor("masks"))
	case "none":
		return ops.MasksToBoxes(g.Tensor("masks").Narrow(0, 0, 0))
	}
	require.Contains(t, functions, w[0])
	return functions[w[0]](a, a.Index(torch.SliceFrom(1)))
}

// The functions have torchvision's results.
func TestBoxes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/boxes.json")
	var want map[string]torchtest.Value
	g.Decode("results", &want)
	require.NotEmpty(t, want)
	for name, v := range want {
		torch.Scope(func() {
			got := result(t, g, name)
			tol := torchtest.Rounding(10, torch.Float32)
			if !torchtest.AllClose(t, tensorOf(t, v), got, tol, torchtest.EqualNaN(true)) {
				t.Log(name)
			}
		})
	}
}

// losses contains the losses in testdata/make_boxes.py, by name.
func lossOf(t *testing.T, g *torchtest.Goldens, name string, x []*torch.Tensor) *torch.Tensor {
	t.Helper()
	kind, arg, _ := strings.Cut(name, " ")
	var p float64
	if strings.HasPrefix(kind, "drop") {
		_, err := fmt.Sscan(arg, &p)
		require.NoError(t, err)
		torch.ManualSeed(5)
	}
	opt := ops.BoxLossOption(ops.Reduction(arg))
	if arg == "eps" {
		opt = ops.Eps(0.1)
	}
	switch kind {
	case "generalized_box_iou_loss":
		return ops.GeneralizedBoxIoULoss(x[0], x[1], opt)
	case "distance_box_iou_loss":
		return ops.DistanceBoxIoULoss(x[0], x[1], opt)
	case "complete_box_iou_loss":
		return ops.CompleteBoxIoULoss(x[0], x[1], opt)
	case "focal":
		if arg == "alpha" {
			return ops.SigmoidFocalLoss(x[0], g.Tensor("classes"), ops.Alpha(-1), ops.Gamma(1.5))
		}
		return ops.SigmoidFocalLoss(x[0], g.Tensor("classes"), ops.Reduction(arg))
	case "drop2d":
		return ops.ApplyDropBlock2d(x[0], p, 3)
	default:
		return ops.ApplyDropBlock3d(x[0], p, 3)
	}
}

// The losses have torchvision's results and gradients.
func TestLosses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/boxes.json")
	var want map[string]struct {
		Y     torchtest.Value
		Grads []torchtest.Value
	}
	g.Decode("losses", &want)
	require.NotEmpty(t, want)
	for name, c := range want {
		torch.Scope(func() {
			var in []*torch.Tensor
			switch {
			case strings.HasPrefix(name, "focal"):
				in = append(in, g.Tensor("logits"))
			case strings.HasPrefix(name, "drop2d"):
				in = append(in, g.Tensor("volume").Select(0, 0).Clone())
			case strings.HasPrefix(name, "drop3d"):
				in = append(in, g.Tensor("volume"))
			default:
				for i := range int64(2) {
					in = append(in, g.Tensor("pairs").Select(0, i).Clone())
				}
			}
			for _, x := range in {
				x.RequiresGrad_()
			}
			y := lossOf(t, g, name, in)
			tol := torchtest.Rounding(60, torch.Float32)
			ok := torchtest.AllClose(t, tensorOf(t, c.Y), y.Detach(), tol)
			y.Mul(torch.Arange(1.0, y.Numel()+1).Reshape(y.Shape()...)).Sum().Backward()
			for i, x := range in {
				ok = torchtest.AllClose(t, tensorOf(t, c.Grads[i]), x.Grad(), tol) && ok
			}
			if !ok {
				t.Log(name)
			}
		})
	}
}

// named returns the feature maps of a golden file.
func named(t *testing.T, g *torchtest.Goldens, key string, names ...string) (maps []nn.NamedTensor) {
	t.Helper()
	var all map[string]torchtest.Value
	g.Decode(key, &all)
	for _, n := range names {
		maps = append(maps, nn.NamedTensor{Name: n, Tensor: tensorOf(t, all[n])})
	}
	return maps
}

// Feature pyramid networks have torchvision's text, initial values, results and gradients.
func TestFeaturePyramidNetwork(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/boxes.json")
	var want map[string]struct {
		Printed        string
		Names, Outputs []string
		Y, Grads       []torchtest.Value
	}
	g.Decode("layers", &want)
	channels := []int64{4, 6, 8}
	for name, make := range map[string]func() *ops.FeaturePyramidNetwork{
		"plain": func() *ops.FeaturePyramidNetwork { return ops.NewFeaturePyramidNetwork(channels, 5) },
		"pool": func() *ops.FeaturePyramidNetwork {
			return ops.NewFeaturePyramidNetwork(channels, 5, ops.ExtraBlocks(ops.NewLastLevelMaxPool()),
				ops.NormLayer(func(n int64) nn.Layer { return nn.NewBatchNorm2d(n) }))
		},
		"p6p7": func() *ops.FeaturePyramidNetwork {
			return ops.NewFeaturePyramidNetwork(channels, 5, ops.ExtraBlocks(ops.NewLastLevelP6P7(5, 5)))
		},
		"c5": func() *ops.FeaturePyramidNetwork {
			return ops.NewFeaturePyramidNetwork(channels, 5, ops.ExtraBlocks(ops.NewLastLevelP6P7(8, 5)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			torch.ManualSeed(0)
			l := make()
			defer l.Close()
			c := want[name]
			assert.Equal(t, c.Printed, l.String())
			torch.Scope(func() {
				var names []string
				for _, n := range l.StateDict() {
					names = append(names, n.Name)
				}
				assert.Equal(t, c.Names, names)
				y := l.Forward(named(t, g, "pyramid", "feat0", "feat1", "feat2"))
				sum := torch.Zeros(torch.Shape{})
				var outputs []string
				for i, v := range y {
					outputs = append(outputs, v.Name)
					torchtest.AllClose(t, tensorOf(t, c.Y[i]), v.Tensor.Detach(),
						torchtest.Rounding(300, torch.Float32))
					sum = sum.Add(v.Tensor.Mul(v.Tensor).Sum())
				}
				assert.Equal(t, c.Outputs, outputs)
				sum.Backward()
				for i, p := range l.Parameters() {
					torchtest.AllClose(t, tensorOf(t, c.Grads[i]), p.Grad().Sum(), torchtest.RTol(1e-3),
						torchtest.ATol(1e-2))
				}
			})
		})
	}
}

// The layers without initial values have torchvision's text and results.
func TestOtherLayers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/boxes.json")
	torch.Scope(func() {
		tol := torchtest.Rounding(30, torch.Float32)
		pooler := ops.NewMultiScaleRoIAlign([]string{"a", "b", "c"}, 2, 2, ops.CanonicalScale(30),
			ops.CanonicalLevel(3))
		maps := named(t, g, "maps", "a", "b", "x", "c")
		var values []torchtest.Value
		g.Decode("regions", &values)
		var regions []*torch.Tensor
		for _, v := range values {
			regions = append(regions, tensorOf(t, v))
		}
		sizes := [][2]int64{{128, 160}, {100, 110}, {90, 160}}
		torchtest.AllClose(t, g.Tensor("pooled"), pooler.Forward(maps, regions, sizes), tol)
		single := ops.NewMultiScaleRoIAlign([]string{"b"}, []int64{2, 3}, 1)
		torchtest.AllClose(t, g.Tensor("single"), single.Forward(maps, regions, slices.Repeat(sizes[:1], 3)), tol)
		frozen := ops.NewFrozenBatchNorm2d(4, ops.Eps(1e-3))
		defer frozen.Close()
		g.Decode("frozenValues", &values)
		var sd nn.StateDict
		for i, n := range []string{"weight", "bias", "running_mean", "running_var"} {
			sd = append(sd, nn.NamedTensor{Name: n, Tensor: tensorOf(t, values[i])})
		}
		require.NoError(t, frozen.LoadStateDict(append(sd, nn.NamedTensor{
			Name: "num_batches_tracked", Tensor: torch.Zeros(torch.Shape{}, torch.Int64),
		})))
		torchtest.AllClose(t, g.Tensor("frozen"), frozen.Forward(g.Tensor("volume").Reshape(3, 4, 5, 21)), tol)
		torch.ManualSeed(0)
		deform := ops.NewDeformConv2d(4, 6, []int64{3, 2}, ops.Groups(2))
		defer deform.Close()
		g.Decode("deform", &values)
		for i, p := range deform.Parameters() {
			torchtest.AllClose(t, tensorOf(t, values[i]), p.Detach(), tol)
		}
		large := ops.NewDeformConv2d(4, 6, 3)
		defer large.Close()
		other := ops.NewDeformConv2d(4, 6, []int64{3, 2}, ops.Strides{2, 1}, ops.Padding(1), ops.Dilations{1, 2},
			ops.Groups(2), ops.Bias(false))
		defer other.Close()
		var printed, got []string
		g.Decode("printed", &printed)
		for _, l := range []fmt.Stringer{
			frozen, pooler, ops.NewRoIAlign(7, 0.25, 2), ops.NewRoIAlign([]int64{7, 6}, 1, -1, ops.Aligned(true)),
			ops.NewRoIPool(3, 0.5), ops.NewPSRoIAlign(3, 0.5, 2), ops.NewPSRoIPool([]int64{3, 2}, 1),
			ops.NewDropBlock2d(0.2, 3), ops.NewDropBlock3d(0.5, 5, ops.Inplace(true)), large, other,
		} {
			got = append(got, l.String())
		}
		assert.Equal(t, printed, got)
		x, offset := torch.Randn(torch.Shape{1, 4, 5, 5}), torch.Zeros(torch.Shape{1, 12, 3, 4})
		plain := F.Conv2d(x, deform.Weight, deform.Bias, F.Groups(2))
		torchtest.AllClose(t, plain.Detach(), deform.Forward(x, offset, nil).Detach(),
			torchtest.Rounding(60, torch.Float32))
	})
}
