package detection

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// AnchorGenerator makes anchors: boxes of several sizes and aspect ratios at each position of each feature
// map. Follows torchvision.models.detection.anchor_utils.AnchorGenerator.
type AnchorGenerator struct {
	nn.Base
	Sizes        [][]float64 // for each feature map
	AspectRatios [][]float64 // for each feature map
}

// NewAnchorGenerator returns an AnchorGenerator. sizes and aspectRatios have a list for each feature map.
// It panics with ErrValue if they have different lengths or are empty.
func NewAnchorGenerator(sizes, aspectRatios [][]float64) *AnchorGenerator {
	if len(sizes) == 0 || len(sizes) != len(aspectRatios) {
		panic(torch.NewError("detection.NewAnchorGenerator", torch.ErrValue, "aspectRatios", fmt.Sprintf(
			"expected a list for each feature map, got %d lists of sizes and %d of ratios", len(sizes),
			len(aspectRatios))))
	}
	g := &AnchorGenerator{Sizes: sizes, AspectRatios: aspectRatios}
	g.Init(g)
	return g
}

// perLocation returns the number of anchors at each position of each feature map.
func (g *AnchorGenerator) perLocation(level int) int64 {
	return int64(len(g.Sizes[level]) * len(g.AspectRatios[level]))
}

// cell returns the anchors at the first position of a feature map, rounded as in torchvision.
func (g *AnchorGenerator) cell(level int) (boxes []float32) {
	for _, ratio := range g.AspectRatios[level] {
		h := float32(math.Sqrt(float64(float32(ratio))))
		w := 1 / h
		for _, size := range g.Sizes[level] {
			half := func(v float32) float32 { return float32(math.RoundToEven(float64(v / 2))) }
			x, y := w*float32(size), h*float32(size)
			boxes = append(boxes, half(-x), half(-y), half(x), half(y))
		}
	}
	return boxes
}

// anchors returns the anchors for feature maps of a batch of images, all maps in one tensor.
func (g *AnchorGenerator) anchors(images *torch.Tensor, maps []*torch.Tensor) *torch.Tensor {
	if len(maps) != len(g.Sizes) {
		panic(torch.NewError("detection.AnchorGenerator", torch.ErrValue, "Sizes", fmt.Sprintf(
			"there are sizes for %d feature maps, but %d maps", len(g.Sizes), len(maps))))
	}
	all := make([]*torch.Tensor, len(maps))
	for i, m := range maps {
		// As in torchvision, the anchors have the dtype of the maps: under autocast, they are rounded.
		var shifts []int32
		strideY, strideX := int32(images.Size(2)/m.Size(2)), int32(images.Size(3)/m.Size(3))
		for y := range int32(m.Size(2)) {
			for x := range int32(m.Size(3)) {
				shifts = append(shifts, x*strideX, y*strideY, x*strideX, y*strideY)
			}
		}
		cell := torch.FromSlice(g.cell(i)).Reshape(1, -1, 4).To(maps[0].DType())
		all[i] = torch.FromSlice(shifts).Reshape(-1, 1, 4).Add(cell).Reshape(-1, 4)
	}
	return torch.Cat(all).To(maps[0].Device())
}

// String returns the type name, as in Python.
func (g *AnchorGenerator) String() string { return g.TypeName() + "()" }

// DefaultBoxGenerator makes the default boxes of an SSD. Follows
// torchvision.models.detection.anchor_utils.DefaultBoxGenerator.
type DefaultBoxGenerator struct {
	nn.Base
	AspectRatios [][]float64
	Scales       []float64
	Steps        []int64 // or nil
	Clip         bool
}

// newDefaultBoxGenerator returns a DefaultBoxGenerator with the given scales, or else with scales between
// two ratios.
func newDefaultBoxGenerator(ratios [][]float64, least, most float64, scales []float64,
	steps []int64,
) *DefaultBoxGenerator {
	if scales == nil {
		span, n := most-least, len(ratios)
		for k := range n {
			scales = append(scales, least+float64(span*float64(k))/(float64(n)-1))
		}
		scales = append(scales, 1)
	}
	g := &DefaultBoxGenerator{AspectRatios: ratios, Scales: scales, Steps: steps, Clip: true}
	g.Init(g)
	return g
}

// perLocation returns the number of boxes at each position of each feature map.
func (g *DefaultBoxGenerator) perLocation() (list []int64) {
	for _, r := range g.AspectRatios {
		list = append(list, int64(2+2*len(r)))
	}
	return list
}

// pairs returns the widths and heights of the boxes of a feature map.
func (g *DefaultBoxGenerator) pairs(k int) (list [][2]float32) {
	clip := func(v float64) float32 {
		if f := float32(v); !g.Clip {
			return f
		} else {
			return min(max(f, 0), 1)
		}
	}
	add := func(w, h float64) { list = append(list, [2]float32{clip(w), clip(h)}) }
	s := g.Scales[k]
	between := math.Sqrt(s * g.Scales[k+1])
	add(s, s)
	add(between, between)
	for _, r := range g.AspectRatios[k] {
		root := math.Sqrt(r)
		add(s*root, s/root)
		add(s/root, s*root)
	}
	return list
}

// anchors returns the boxes for feature maps of a batch of images, all maps in one tensor.
func (g *DefaultBoxGenerator) anchors(images *torch.Tensor, maps []*torch.Tensor) *torch.Tensor {
	if len(maps) != len(g.AspectRatios) {
		panic(torch.NewError("detection.DefaultBoxGenerator", torch.ErrValue, "AspectRatios", fmt.Sprintf(
			"there are ratios for %d feature maps, but %d maps", len(g.AspectRatios), len(maps))))
	}
	var centers, sizes []float32 // relative to the image
	for k, m := range maps {
		perY, perX := float32(m.Size(2)), float32(m.Size(3))
		if g.Steps != nil {
			perY = float32(float64(images.Size(2)) / float64(g.Steps[k]))
			perX = float32(float64(images.Size(3)) / float64(g.Steps[k]))
		}
		pairs := g.pairs(k)
		for y := range m.Size(2) {
			for x := range m.Size(3) {
				for _, p := range pairs {
					centers = append(centers, (float32(x)+0.5)/perX, (float32(y)+0.5)/perY)
					sizes = append(sizes, p[0], p[1])
				}
			}
		}
	}
	// As in torchvision, only the centers have the dtype of the maps: under autocast, they are rounded.
	center := torch.FromSlice(centers).Reshape(-1, 2).To(maps[0].DType())
	half := torch.FromSlice(sizes).Reshape(-1, 2).MulScalar(0.5)
	pixels := torch.FromSlice([]int64{images.Size(3), images.Size(2)})
	corners := []*torch.Tensor{center.Sub(half).Mul(pixels), center.Add(half).Mul(pixels)}
	return torch.Cat(corners, 1).To(maps[0].Device())
}

// String returns the settings, formatted as in Python.
func (g *DefaultBoxGenerator) String() string {
	ratios := strings.ReplaceAll(fmt.Sprint(g.AspectRatios), " ", ", ")
	var scales []string
	for _, s := range g.Scales {
		scales = append(scales, tensorfmt.PyFloat(s))
	}
	steps := "None"
	if g.Steps != nil {
		steps = strings.ReplaceAll(fmt.Sprint(g.Steps), " ", ", ")
	}
	return fmt.Sprintf("%s(aspect_ratios=%s, clip=True, scales=[%s], steps=%s)", g.TypeName(), ratios,
		strings.Join(scales, ", "), steps)
}
