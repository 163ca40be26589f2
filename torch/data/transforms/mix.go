package transforms

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	NF "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// mixing holds the options of MixUp and CutMix.
type mixing struct {
	alpha   float64
	classes int64
}

func readMixing(op string, opts []MixOption) mixing {
	alpha, classes := common.Read2(op, opts, Alpha(1), NumClasses(0))
	mustBeAlpha(op, float64(alpha))
	if classes < 0 {
		panic(torch.NewError(op, torch.ErrValue, "NumClasses",
			fmt.Sprintf("expected 0 or more, got %d", classes)))
	}
	return mixing{alpha: float64(alpha), classes: int64(classes)}
}

// mustMatch panics unless images and labels form a batch, and returns the images' height and
// width.
func (m *mixing) mustMatch(op string, images, labels *torch.Tensor) (h, w int64) {
	labels.HandleFor(op, 1)
	_, h, w = opt.Sizes(op, images)
	shape := labels.Shape()
	wrong := func(kind error, arg, message string) { panic(torch.NewError(op, kind, arg, message)) }
	switch {
	case images.Dim() != 4:
		wrong(torch.ErrShape, "images", fmt.Sprintf("expected (N, C, H, W), got %v", images.Shape()))
	case len(shape) != 1 && len(shape) != 2:
		wrong(torch.ErrShape, "labels", fmt.Sprintf("expected (N) or (N, classes), got %v", shape))
	case shape[0] != images.Size(0):
		wrong(torch.ErrShape, "labels", fmt.Sprintf("expected a label for each image, got %d labels for %d images",
			shape[0], images.Size(0)))
	case len(shape) == 1 && m.classes == 0:
		wrong(torch.ErrValue, "NumClasses", "is required for labels that are indices")
	case len(shape) == 2 && m.classes != 0 && shape[1] != m.classes:
		wrong(torch.ErrValue, "NumClasses", fmt.Sprintf("is %d, but the labels have %d classes", m.classes, shape[1]))
	}
	return h, w
}

// weight draws the weight of an image in a mixture from a beta distribution.
func (m *mixing) weight() float64 {
	var v float64
	torch.Scope(func() { v = dirichlet(m.alpha, 1, 2, torch.DefaultDType(), torch.CPU).Select(1, 0).Item() })
	return v
}

// labels mixes the label of each image with the label of the previous image.
func (m *mixing) labels(labels *torch.Tensor, weight float64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		if labels.Dim() == 1 {
			labels = NF.OneHot(labels, NF.NumClasses(m.classes))
		}
		if !labels.IsFloatingPoint() {
			labels = labels.To(torch.Float32)
		}
		return mixed(labels, weight)
	})
}

// mixed returns weight * x + (1 - weight) * y, where y is x rolled by one along the batch.
func mixed(x *torch.Tensor, weight float64) *torch.Tensor {
	part := x.MulScalar(weight)
	defer func() { _ = part.Close() }()
	return x.Roll([]int64{1}, []int64{0}).MulScalar_(1 - weight).Add_(part)
}

// MixUp mixes each image of a batch with another image of the batch, and mixes their labels
// in the same way. Follows torchvision.transforms.v2.MixUp.
type MixUp struct{ mixing }

// NewMixUp returns a MixUp. The weights are drawn from a beta distribution with both
// parameters [Alpha], 1 by default. It panics with ErrValue for an alpha that is not
// positive and a negative [NumClasses].
func NewMixUp(opts ...MixOption) *MixUp { return &MixUp{readMixing("transforms.NewMixUp", opts)} }

// Forward mixes images (N, C, H, W) and their labels, which are indices (N) or
// probabilities (N, classes). It returns two new tensors; the labels are probabilities.
// It panics with ErrShape for other shapes, with ErrDType for images that are not
// floating point, with ErrValue for indices without [NumClasses] and for probabilities
// with a different number of classes, and with ErrIndex or ErrValue for invalid indices.
func (m *MixUp) Forward(images, labels *torch.Tensor) (mixedImages, mixedLabels *torch.Tensor) {
	there(m != nil, "MixUp", "Forward")
	const op = "transforms.MixUp(images, labels)"
	m.mustMatch(op, images, labels)
	if !images.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "images",
			fmt.Sprintf("expected floating-point numbers, got %v", images.DType())))
	}
	weight := m.weight()
	both := torch.TidyAll(func() []*torch.Tensor {
		return []*torch.Tensor{mixed(images, weight), m.labels(labels, weight)}
	})
	return both[0], both[1]
}

// String returns the settings as Python prints them.
func (m *MixUp) String() string {
	if m == nil {
		return "MixUp(nil)"
	}
	return repr("MixUp", m.settings()...)
}

func (m *mixing) settings() []string {
	classes := ""
	if m.classes != 0 {
		classes = "num_classes=" + pyInts(m.classes)
	}
	return []string{"alpha=" + pyFloats(m.alpha), classes}
}

// CutMix pastes a part of each image of a batch into the next image, and mixes the labels
// of the two images. Follows torchvision.transforms.v2.CutMix.
type CutMix struct{ mixing }

// NewCutMix returns a CutMix. It panics as [NewMixUp] does.
func NewCutMix(opts ...MixOption) *CutMix { return &CutMix{readMixing("transforms.NewCutMix", opts)} }

// Forward takes and returns images and labels as [MixUp.Forward] does, and panics as
// MixUp.Forward does. It also takes byte images.
func (m *CutMix) Forward(images, labels *torch.Tensor) (mixedImages, mixedLabels *torch.Tensor) {
	there(m != nil, "CutMix", "Forward")
	const op = "transforms.CutMix(images, labels)"
	h, w := m.mustMatch(op, images, labels)
	if h == 0 || w == 0 {
		panic(torch.NewError(op, torch.ErrShape, "images", fmt.Sprintf("expected pixels, got images of %d x %d", h, w)))
	}
	weight := m.weight()
	x, y := integer(0, w), integer(0, h)
	half := 0.5 * math.Sqrt(1-weight)
	dx, dy := int64(half*float64(w)), int64(half*float64(h))
	x1, x2, y1, y2 := max(x-dx, 0), min(x+dx, w), max(y-dy, 0), min(y+dy, h)
	weight = 1 - float64((x2-x1)*(y2-y1))/float64(w*h)
	both := torch.TidyAll(func() []*torch.Tensor {
		out := images.Clone()
		part := images.Roll([]int64{1}, []int64{0}).Narrow(-2, y1, y2-y1).Narrow(-1, x1, x2-x1)
		out.Narrow(-2, y1, y2-y1).Narrow(-1, x1, x2-x1).Copy_(part)
		return []*torch.Tensor{out, m.labels(labels, weight)}
	})
	return both[0], both[1]
}

// String returns the settings as Python prints them.
func (m *CutMix) String() string {
	if m == nil {
		return "CutMix(nil)"
	}
	return repr("CutMix", m.settings()...)
}
