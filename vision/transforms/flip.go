package transforms

import (
	common "github.com/gotorch/gotorch/internal/opt"
)

// RandomHorizontalFlip flips samples left to right, or leaves them unchanged. Follows
// torchvision.transforms.v2.RandomHorizontalFlip.
type RandomHorizontalFlip struct{ p float64 }

// NewRandomHorizontalFlip returns a RandomHorizontalFlip, which flips with probability [P], 0.5 by
// default. It panics with ErrValue for an invalid P.
func NewRandomHorizontalFlip(opts ...ProbabilityOption) *RandomHorizontalFlip {
	const op = "transforms.NewRandomHorizontalFlip"
	return &RandomHorizontalFlip{checkP(op, float64(common.Read(op, opts, P(0.5))))}
}

// Forward returns the flipped sample, or views of s.
func (r *RandomHorizontalFlip) Forward(s Sample) Sample {
	there(r != nil, "RandomHorizontalFlip")
	return flip("transforms.RandomHorizontalFlip(s)", s, r.p, flipped)
}

// String returns the settings as Python prints them.
func (r *RandomHorizontalFlip) String() string {
	if r == nil {
		return "RandomHorizontalFlip(nil)"
	}
	return repr("RandomHorizontalFlip", "p="+pyFloats(r.p))
}

// RandomVerticalFlip flips samples upside down, or leaves them unchanged. Follows
// torchvision.transforms.v2.RandomVerticalFlip.
type RandomVerticalFlip struct{ p float64 }

// NewRandomVerticalFlip returns a RandomVerticalFlip, which flips with probability [P], 0.5 by
// default. It panics with ErrValue for an invalid P.
func NewRandomVerticalFlip(opts ...ProbabilityOption) *RandomVerticalFlip {
	const op = "transforms.NewRandomVerticalFlip"
	return &RandomVerticalFlip{checkP(op, float64(common.Read(op, opts, P(0.5))))}
}

// Forward returns the flipped sample, or views of s.
func (r *RandomVerticalFlip) Forward(s Sample) Sample {
	there(r != nil, "RandomVerticalFlip")
	return flip("transforms.RandomVerticalFlip(s)", s, r.p, upsideDown)
}

// String returns the settings as Python prints them.
func (r *RandomVerticalFlip) String() string {
	if r == nil {
		return "RandomVerticalFlip(nil)"
	}
	return repr("RandomVerticalFlip", "p="+pyFloats(r.p))
}

func flip(op string, s Sample, p float64, g geometry) Sample {
	return apply(op, s, func(s Sample) Sample {
		if happens(p) {
			s = g.apply(s)
		}
		return s
	})
}
