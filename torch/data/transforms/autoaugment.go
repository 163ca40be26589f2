package transforms

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/native/own"
	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// AutoAugment applies one of 25 augmentation pairs to an image. The pairs were learned on
// a dataset. Follows torchvision.transforms.v2.AutoAugment.
type AutoAugment struct {
	augmenting
	policy Policy
	pairs  [][2]choice
}

// choice is an augmentation in a policy, with its probability and the bin of its strength.
type choice struct {
	name string
	p    float64
	bin  int64
}

var autoSpace = concat(geometric(0.3, 30, ofWidth(150.0/331.0), ofHeight(150.0/331.0)), coloring(0.9), values(8, 4),
	[]augmentation{{"Invert", nil, false}})

// NewAutoAugment returns an AutoAugment. The defaults are the [Policy] PolicyImageNet and
// InterpolationNearest. It panics with ErrValue for an unknown Policy or [Interpolation].
func NewAutoAugment(opts ...AutoAugmentOption) *AutoAugment {
	const op = "transforms.NewAutoAugment"
	a := &AutoAugment{augmenting: augmenting{mode: InterpolationNearest}}
	a.policy = common.ReadOr(op, opts, a.read, PolicyImageNet)
	a.mustBeValid(op)
	text, ok := policies[a.policy]
	if !ok {
		panic(torch.NewError(op, torch.ErrValue, "Policy",
			"expected imagenet, cifar10 or svhn, got "+strconv.Quote(string(a.policy))))
	}
	a.pairs = parsePolicy(text)
	return a
}

// Forward returns x augmented, or a view of x.
func (a *AutoAugment) Forward(x *torch.Tensor) *torch.Tensor {
	there(a != nil, "AutoAugment", "Forward")
	_, h, w := opt.Sizes("transforms.AutoAugment(image)", x)
	return torch.Tidy(func() *torch.Tensor {
		out := x
		for _, c := range a.pairs[integer(0, int64(len(a.pairs)))] {
			if !(chance() <= rounded(c.p)) {
				continue
			}
			for _, s := range autoSpace {
				if s.name == c.name {
					strength := s.strength(func() int64 { return c.bin }, 10, h, w)
					out = own.Instead(out, a.apply(out, s.name, strength))
				}
			}
		}
		return ofItsOwn(out, x)
	})
}

// ofItsOwn returns out. If out is x itself, it returns a view of x, so that the caller can
// close the result.
func ofItsOwn(out, x *torch.Tensor) *torch.Tensor {
	if out == x {
		return same(x)
	}
	return out
}

// String returns the settings as Python prints them.
func (a *AutoAugment) String() string {
	if a == nil {
		return "AutoAugment(nil)"
	}
	return repr("AutoAugment", append(a.settings(), "policy=AutoAugmentPolicy."+strings.ToUpper(string(a.policy)))...)
}

// RandAugment applies several random augmentations, all at the same magnitude. Follows
// torchvision.transforms.v2.RandAugment.
type RandAugment struct {
	augmenting
	ops, magnitude, bins int64
}

var randSpace = concat([]augmentation{{"Identity", nil, false}},
	geometric(0.3, 30, ofWidth(150.0/331.0), ofHeight(150.0/331.0)), coloring(0.9), values(8, 4))

// NewRandAugment returns a RandAugment. The defaults are [NumOps] 2, [Magnitude] 9, 31
// [NumMagnitudeBins] and InterpolationNearest. It panics with ErrValue for a negative
// NumOps, fewer than 2 bins, a magnitude outside of the bins and an unknown
// [Interpolation].
func NewRandAugment(opts ...RandAugmentOption) *RandAugment {
	const op = "transforms.NewRandAugment"
	a := &RandAugment{augmenting{mode: InterpolationNearest}, 2, 9, 31}
	for _, o := range opts {
		switch o := o.(type) {
		case NumOps:
			a.ops = int64(o)
		case Magnitude:
			a.magnitude = int64(o)
		case NumMagnitudeBins:
			a.bins = int64(o)
		default:
			a.read(op, o)
		}
	}
	a.mustBeValid(op)
	if a.ops < 0 {
		panic(torch.NewError(op, torch.ErrValue, "NumOps", fmt.Sprintf("expected 0 or more, got %d", a.ops)))
	}
	checkBins(op, a.bins)
	if a.magnitude < 0 || a.magnitude >= a.bins {
		panic(torch.NewError(op, torch.ErrValue, "Magnitude",
			fmt.Sprintf("expected 0 to %d, got %d", a.bins-1, a.magnitude)))
	}
	return a
}

func checkBins(op string, bins int64) {
	if bins < 2 || bins > 1<<20 {
		panic(torch.NewError(op, torch.ErrValue, "NumMagnitudeBins",
			fmt.Sprintf("expected 2 to %d, got %d", 1<<20, bins)))
	}
}

// Forward returns x augmented, or a view of x.
func (a *RandAugment) Forward(x *torch.Tensor) *torch.Tensor {
	there(a != nil, "RandAugment", "Forward")
	_, h, w := opt.Sizes("transforms.RandAugment(image)", x)
	return torch.Tidy(func() *torch.Tensor {
		out := x
		for range a.ops {
			s := randSpace[integer(0, int64(len(randSpace)))]
			strength := s.strength(func() int64 { return a.magnitude }, a.bins, h, w)
			out = own.Instead(out, a.apply(out, s.name, strength))
		}
		return ofItsOwn(out, x)
	})
}

// String returns the settings as Python prints them.
func (a *RandAugment) String() string {
	if a == nil {
		return "RandAugment(nil)"
	}
	return repr("RandAugment",
		append(a.settings(), "num_ops="+pyInts(a.ops), "magnitude="+pyInts(a.magnitude),
			"num_magnitude_bins="+pyInts(a.bins))...)
}

// TrivialAugmentWide applies one random augmentation of random strength. Follows
// torchvision.transforms.v2.TrivialAugmentWide.
type TrivialAugmentWide struct {
	augmenting
	bins int64
}

var trivialSpace = concat([]augmentation{{"Identity", nil, false}}, geometric(0.99, 135, line(0, 32), line(0, 32)),
	coloring(0.99), values(8, 6))

// NewTrivialAugmentWide returns a TrivialAugmentWide. The defaults are 31
// [NumMagnitudeBins] and InterpolationNearest. It panics with ErrValue for fewer than 2
// bins and an unknown [Interpolation].
func NewTrivialAugmentWide(opts ...TrivialAugmentOption) *TrivialAugmentWide {
	const op = "transforms.NewTrivialAugmentWide"
	a := &TrivialAugmentWide{augmenting: augmenting{mode: InterpolationNearest}}
	a.bins = int64(common.ReadOr(op, opts, a.read, NumMagnitudeBins(31)))
	a.mustBeValid(op)
	checkBins(op, a.bins)
	return a
}

// Forward returns x augmented, or a view of x.
func (a *TrivialAugmentWide) Forward(x *torch.Tensor) *torch.Tensor {
	there(a != nil, "TrivialAugmentWide", "Forward")
	_, h, w := opt.Sizes("transforms.TrivialAugmentWide(image)", x)
	s := trivialSpace[integer(0, int64(len(trivialSpace)))]
	strength := s.strength(func() int64 { return integer(0, a.bins) }, a.bins, h, w)
	return torch.Tidy(func() *torch.Tensor { return ofItsOwn(a.apply(x, s.name, strength), x) })
}

// String returns the settings as Python prints them.
func (a *TrivialAugmentWide) String() string {
	if a == nil {
		return "TrivialAugmentWide(nil)"
	}
	return repr("TrivialAugmentWide", append(a.settings(), "num_magnitude_bins="+pyInts(a.bins))...)
}
