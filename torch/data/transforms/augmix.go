package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// AugMix mixes an image with augmented versions of the same image. Follows
// torchvision.transforms.v2.AugMix.
type AugMix struct {
	augmenting
	severity, width, depth int64
	alpha                  float64
	all                    bool
}

// mixBins is the number of bins into which AugMix divides the strength of an augmentation.
const mixBins = 10

var (
	mixPart = concat(geometric(0.3, 30, ofWidth(1.0/3), ofHeight(1.0/3)), values(4, 4))
	mixAll  = concat(mixPart, coloring(0.9))
)

// NewAugMix returns an AugMix. The defaults are [Severity] 3, [MixtureWidth] 3, a random
// [ChainDepth], [Alpha] 1, [AllOps] true and InterpolationBilinear. It panics with
// ErrValue for a severity outside 1 to 10, for fewer than one chain, for an alpha that is
// not positive and for an unknown [Interpolation].
func NewAugMix(opts ...AugMixOption) *AugMix {
	const op = "transforms.NewAugMix"
	a := &AugMix{augmenting{mode: InterpolationBilinear}, 3, 3, -1, 1, true}
	for _, o := range opts {
		switch o := o.(type) {
		case Severity:
			a.severity = int64(o)
		case MixtureWidth:
			a.width = int64(o)
		case ChainDepth:
			a.depth = int64(o)
		case Alpha:
			a.alpha = float64(o)
		case AllOps:
			a.all = bool(o)
		default:
			a.read(op, o)
		}
	}
	a.mustBeValid(op)
	mustBeAlpha(op, a.alpha)
	if a.severity < 1 || a.severity > mixBins {
		panic(torch.NewError(op, torch.ErrValue, "Severity",
			fmt.Sprintf("expected 1 to %d, got %d", mixBins, a.severity)))
	}
	if a.width < 1 || a.width > 1<<10 {
		panic(torch.NewError(op, torch.ErrValue, "MixtureWidth",
			fmt.Sprintf("expected 1 to %d, got %d", 1<<10, a.width)))
	}
	return a
}

func mustBeAlpha(op string, alpha float64) {
	if !(alpha > 0 && alpha < infinity) {
		panic(torch.NewError(op, torch.ErrValue, "Alpha", fmt.Sprintf("expected a positive number, got %v", alpha)))
	}
}

// dirichlet draws rows of n weights from a Dirichlet distribution. The weights of a row sum
// to 1.
func dirichlet(alpha float64, rows, n int64, d torch.DType, dev torch.Device) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return aten.UnderSampleDirichlet(torch.Full(torch.Shape{1, n}, alpha, d, dev).Expand(rows, n), nil)
	})
}

// Forward returns a new tensor in which x is mixed with augmented versions of x.
func (a *AugMix) Forward(x *torch.Tensor) *torch.Tensor {
	there(a != nil, "AugMix", "Forward")
	_, h, w := opt.Sizes("transforms.AugMix(image)", x)
	space := mixPart
	if a.all {
		space = mixAll
	}
	return torch.Tidy(func() *torch.Tensor {
		batch := x
		if x.Dim() == 3 {
			batch = x.Unsqueeze(0)
		}
		n, d, dev := batch.Size(0), torch.DefaultDType(), x.Device()
		column := make([]int64, batch.Dim())
		for i := range column {
			column[i] = 1
		}
		column[0] = n
		parts := dirichlet(a.alpha, n, 2, d, dev)
		weights := dirichlet(a.alpha, n, a.width, d, dev).Mul_(parts.Narrow(1, 1, 1))
		mix := parts.Select(1, 0).Reshape(column...).Mul(batch)
		for i := range a.width {
			image := same(batch)
			depth := a.depth
			if depth <= 0 {
				depth = integer(1, 4)
			}
			for range depth {
				s := space[integer(0, int64(len(space)))]
				strength := s.strength(func() int64 { return integer(0, a.severity) }, mixBins, h, w)
				image = own.Instead(image, a.apply(image, s.name, strength))
			}
			part := weights.Select(1, i).Reshape(column...).Mul(image)
			own.Release(image)
			mix.Add_(part)
			own.Release(part)
		}
		return mix.Reshape(x.Shape()...).To(x.DType())
	})
}

// String returns the settings as Python prints them.
func (a *AugMix) String() string {
	if a == nil {
		return "AugMix(nil)"
	}
	return repr("AugMix", append(a.settings(), "severity="+pyInts(a.severity), "mixture_width="+pyInts(a.width),
		"chain_depth="+pyInts(a.depth), "alpha="+pyFloats(a.alpha), "all_ops="+pyBool(a.all))...)
}
