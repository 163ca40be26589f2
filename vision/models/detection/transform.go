package detection

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// GeneralizedRCNNTransform prepares images for a model: it normalizes and resizes them, and joins them
// to a batch. Follows torchvision.models.detection.transform.GeneralizedRCNNTransform.
type GeneralizedRCNNTransform struct {
	nn.Base
	MinSize             []int64 // the length of an image's shorter side; in training, one is drawn
	MaxSize             int64   // the largest length of the longer side
	ImageMean, ImageStd []float64
	SizeDivisible       int64    // the sides of a batch are multiples of this number
	FixedSize           [2]int64 // if it is not 0, the width and height of all images
}

func newTransform(c *config, sizeDivisible int64, fixed [2]int64) *GeneralizedRCNNTransform {
	t := &GeneralizedRCNNTransform{
		MinSize: c.minSize, MaxSize: c.maxSize, ImageMean: c.imageMean, ImageStd: c.imageStd,
		SizeDivisible: sizeDivisible, FixedSize: fixed,
	}
	t.Init(t)
	return t
}

// apply returns images as a batch, with the targets resized like the images.
func (t *GeneralizedRCNNTransform) apply(images []*torch.Tensor, targets []Target) *batch {
	b := &batch{targets: append([]Target(nil), targets...)}
	all := make([]*torch.Tensor, len(images))
	height, width := int64(0), int64(0)
	for i, x := range images {
		from := [2]int64{x.Size(1), x.Size(2)}
		size := t.MinSize[len(t.MinSize)-1]
		if t.Training() {
			index := torch.Empty(torch.Shape{1}, torch.Float32, torch.CPU).Uniform_(0, float64(len(t.MinSize))).Item()
			size = t.MinSize[min(int(index), len(t.MinSize)-1)]
		}
		resize := t.resizing(from, size)
		x = F.Interpolate(t.normalize(x).Unsqueeze(0),
			append(resize, F.InterpolateOption(F.ModeBilinear), F.AlignCorners(false))...).Squeeze(0)
		to := [2]int64{x.Size(1), x.Size(2)}
		all[i] = x
		b.original, b.sizes = append(b.original, from), append(b.sizes, to)
		height, width = max(height, to[0]), max(width, to[1])
		if targets != nil {
			g := &b.targets[i]
			if d := g.Boxes.DType(); d == torch.Float16 || d == torch.BFloat16 {
				g.Boxes = g.Boxes.Float() // the losses need areas, which would overflow
			}
			g.Boxes = resizeBoxes(g.Boxes, from, to)
			if g.Masks != nil {
				masks := F.Interpolate(g.Masks.Unsqueeze(1).To(torch.Float32), resize...)
				g.Masks = masks.Select(1, 0).To(torch.Uint8)
			}
			if g.Keypoints != nil {
				g.Keypoints = resizeKeypoints(g.Keypoints, from, to)
			}
		}
	}
	up := func(n int64) int64 { return (n + t.SizeDivisible - 1) / t.SizeDivisible * t.SizeDivisible }
	first := all[0]
	b.images = torch.Zeros(torch.Shape{int64(len(all)), first.Size(0), up(height), up(width)}, first.DType(),
		first.Device())
	for i, x := range all {
		b.images.Select(0, int64(i)).Narrow(1, 0, x.Size(1)).Narrow(2, 0, x.Size(2)).Copy_(x)
	}
	return b
}

func (t *GeneralizedRCNNTransform) normalize(x *torch.Tensor) *torch.Tensor {
	channels := func(v []float64) *torch.Tensor {
		return torch.FromSlice(v).To(x.DType(), x.Device()).Reshape(-1, 1, 1)
	}
	return x.Sub(channels(t.ImageMean)).Div(channels(t.ImageStd))
}

// resizing returns the options of F.Interpolate for an image of a size.
func (t *GeneralizedRCNNTransform) resizing(from [2]int64, size int64) []F.InterpolateOption {
	if t.FixedSize != [2]int64{} {
		return []F.InterpolateOption{F.Sizes{t.FixedSize[1], t.FixedSize[0]}}
	}
	least, most := float64(min(from[0], from[1])), float64(max(from[0], from[1]))
	factor := math.Min(float64(size)/least, float64(t.MaxSize)/most)
	return []F.InterpolateOption{F.ScaleFactor(factor), F.RecomputeScaleFactor(true)}
}

// ratios returns how much an image grows, rounded as in torchvision.
func ratios(from, to [2]int64) (height, width float64) {
	return float64(float32(to[0]) / float32(from[0])), float64(float32(to[1]) / float32(from[1]))
}

func resizeBoxes(boxes *torch.Tensor, from, to [2]int64) *torch.Tensor {
	h, w := ratios(from, to)
	p := boxes.Unbind(1)
	return torch.Stack([]*torch.Tensor{p[0].MulScalar(w), p[1].MulScalar(h), p[2].MulScalar(w), p[3].MulScalar(h)}, 1)
}

func resizeKeypoints(keypoints *torch.Tensor, from, to [2]int64) *torch.Tensor {
	h, w := ratios(from, to)
	p := keypoints.Unbind(-1)
	return torch.Stack([]*torch.Tensor{p[0].MulScalar(w), p[1].MulScalar(h), p[2]}, -1)
}

// postprocess moves a detection from the resized to the original image.
func postprocess(d Detection, from, to [2]int64) Detection {
	d.Boxes = resizeBoxes(d.Boxes, from, to)
	if d.Masks != nil {
		d.Masks = pasteMasks(d.Masks, d.Boxes, to)
	}
	if d.Keypoints != nil {
		d.Keypoints = resizeKeypoints(d.Keypoints, from, to)
	}
	return d
}

// String returns the settings, formatted as in Python.
func (t *GeneralizedRCNNTransform) String() string {
	list := func(v []float64) string {
		var all []string
		for _, f := range v {
			all = append(all, tensorfmt.PyFloat(f))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.MinSize), " ", ", "), "[]")
	if len(t.MinSize) == 1 {
		sizes += ","
	}
	return fmt.Sprintf("%s(\n    Normalize(mean=%s, std=%s)\n"+
		"    Resize(min_size=(%s), max_size=%d, mode='bilinear')\n)",
		t.TypeName(), list(t.ImageMean), list(t.ImageStd), sizes, t.MaxSize)
}
