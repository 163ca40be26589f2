package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Rope is how a model rotates queries and keys by their positions: rope_parameters, or
// rope_scaling with rope_theta in older files, of a config.json.
type Rope struct {
	Type   string  `json:"rope_type"`  // default, linear, dynamic, yarn, longrope or llama3; "" is default
	Theta  float64 `json:"rope_theta"` // the base of the frequencies
	Factor float64 `json:"factor,omitempty"`

	OriginalMaxPositions int64     `json:"original_max_position_embeddings,omitempty"` // yarn, longrope, llama3
	AttentionFactor      *float64  `json:"attention_factor,omitempty"`                 // yarn, longrope
	BetaFast             float64   `json:"beta_fast,omitempty"`                        // yarn; 0 means 32
	BetaSlow             float64   `json:"beta_slow,omitempty"`                        // yarn; 0 means 1
	MScale               float64   `json:"mscale,omitempty"`                           // yarn
	MScaleAllDim         float64   `json:"mscale_all_dim,omitempty"`                   // yarn
	Truncate             *bool     `json:"truncate,omitempty"`                         // yarn; nil means true
	ShortFactor          []float64 `json:"short_factor,omitempty"`                     // longrope
	LongFactor           []float64 `json:"long_factor,omitempty"`                      // longrope
	LowFreqFactor        float64   `json:"low_freq_factor,omitempty"`                  // llama3
	HighFreqFactor       float64   `json:"high_freq_factor,omitempty"`                 // llama3

	// PartialRotaryFactor is the part of a head that is rotated; 0 means 1.
	PartialRotaryFactor float64 `json:"partial_rotary_factor,omitempty"`
}

// UnmarshalJSON reads the names of old and new files: type and rope_type.
func (r *Rope) UnmarshalJSON(b []byte) error {
	type plain Rope
	old := struct {
		*plain
		Type string `json:"type"`
	}{plain: (*plain)(r)}
	if err := json.Unmarshal(b, &old); err != nil {
		return err
	}
	if r.Type == "" {
		r.Type = old.Type
	}
	return nil
}

// validate reports what is wrong with r for heads of headDim features.
func (r Rope) validate(headDim int64) error {
	half := int(r.dim(headDim) / 2)
	switch {
	case !(r.Theta > 0) || math.IsInf(r.Theta, 0):
		return fmt.Errorf("rope_theta: expected a positive number, got %v", r.Theta)
	case half < 1 || r.dim(headDim)%2 != 0 || r.dim(headDim) > headDim:
		return fmt.Errorf("rope: heads of %d features cannot be rotated", headDim)
	case r.scales() && r.Type != "longrope" && !(r.Factor > 0):
		return fmt.Errorf("rope_type %q: factor: expected a positive number, got %v", r.Type, r.Factor)
	}
	switch r.Type {
	case "", "default", "linear":
	case "dynamic":
		if half < 2 {
			return fmt.Errorf("rope_type %q: heads of %d features are too small", r.Type, headDim)
		}
	case "yarn":
		if r.Theta == 1 {
			return fmt.Errorf("rope_type %q: rope_theta cannot be 1", r.Type)
		}
	case "longrope":
		if len(r.ShortFactor) != half || len(r.LongFactor) != half {
			return fmt.Errorf("rope_type %q: short_factor and long_factor have %d and %d numbers, not %d", r.Type,
				len(r.ShortFactor), len(r.LongFactor), half)
		}
	case "llama3":
		if !(r.LowFreqFactor > 0 && r.HighFreqFactor > r.LowFreqFactor) {
			return fmt.Errorf("rope_type %q: low_freq_factor %v and high_freq_factor %v", r.Type, r.LowFreqFactor,
				r.HighFreqFactor)
		}
	default:
		return fmt.Errorf("rope_type %q; default, linear, dynamic, yarn, longrope and llama3 are supported", r.Type)
	}
	return nil
}

func (r Rope) scales() bool { return r.Type != "" && r.Type != "default" }

// dim returns the number of features of a head that are rotated.
func (r Rope) dim(headDim int64) int64 {
	if r.PartialRotaryFactor == 0 {
		return headDim
	}
	return int64(float64(headDim) * r.PartialRotaryFactor)
}

// A Rotary computes the rotations of a model. It is immutable, so goroutines may share it.
type Rotary struct {
	rope      Rope
	dim, max  int64
	inverse   []float32 // frequencies of short texts
	long      []float32 // of texts beyond original, for longrope
	original  int64
	attention float64 // the factor of cosines and sines
}

// NewRotary returns the rotations for heads of headDim features in a model that was made
// for texts of max tokens. The error names the parameter that is wrong.
func NewRotary(r Rope, headDim, maxPositions int64) (*Rotary, error) {
	if r.OriginalMaxPositions == 0 {
		r.OriginalMaxPositions = maxPositions
	}
	if err := r.validate(headDim); err != nil {
		return nil, err
	}
	if maxPositions < 1 || r.OriginalMaxPositions < 1 {
		return nil, fmt.Errorf("max_position_embeddings: expected a positive number, got %d", maxPositions)
	}
	y := &Rotary{rope: r, dim: r.dim(headDim), max: maxPositions, original: r.OriginalMaxPositions, attention: 1}
	torch.WithDevice(torch.CPU, func() {
		torch.Scope(func() {
			y.inverse = y.frequencies().Float32s()
			if r.Type == "longrope" {
				y.long = y.scaled(r.LongFactor).Float32s()
			}
		})
	})
	return y, nil
}

// frequencies computes the inverse frequencies in the order of operations of transformers,
// and sets y.attention.
func (y *Rotary) frequencies() *torch.Tensor {
	r := y.rope
	switch r.Type {
	case "linear":
		return y.plain(r.Theta).DivScalar(r.Factor)
	case "dynamic":
		return y.dynamic(y.max)
	case "llama3":
		return y.llama3()
	case "yarn":
		return y.yarn()
	case "longrope":
		factor := r.Factor
		if factor == 0 {
			factor = float64(y.max) / float64(y.original)
		}
		if r.AttentionFactor != nil {
			y.attention = *r.AttentionFactor
		} else if factor > 1 {
			y.attention = math.Sqrt(1 + math.Log(factor)/math.Log(float64(y.original)))
		}
		return y.scaled(r.ShortFactor)
	default:
		return y.plain(r.Theta)
	}
}

// powers returns base ** (0, 2/dim, 4/dim, ...).
func (y *Rotary) powers(base float64) *torch.Tensor {
	return torch.ScalarPow(base, torch.Arange(0, y.dim, 2).To(torch.Float32).DivScalar(y.dim))
}

func (y *Rotary) plain(base float64) *torch.Tensor { return y.powers(base).Reciprocal() }

func (y *Rotary) scaled(factors []float64) *torch.Tensor {
	f := torch.FromSlice(slices.Clone(factors)).To(torch.Float32)
	return f.Mul(y.powers(y.rope.Theta)).Reciprocal()
}

// dynamic returns the frequencies for texts of n tokens.
func (y *Rotary) dynamic(n int64) *torch.Tensor {
	f, d := y.rope.Factor, float64(y.dim)
	n = max(n, y.max)
	scale := math.Pow(f*float64(n)/float64(y.max)-(f-1), d/(d-2))
	return y.plain(y.rope.Theta * scale)
}

func (y *Rotary) llama3() *torch.Tensor {
	r := y.rope
	low, high, old := r.LowFreqFactor, r.HighFreqFactor, float64(y.original)
	inverse := y.plain(r.Theta)
	wave := inverse.Reciprocal().MulScalar(2 * math.Pi)
	isLong := wave.GtScalar(old / low)
	divided := torch.Where(isLong, inverse.DivScalar(r.Factor), inverse)
	smooth := wave.Reciprocal().MulScalar(old).SubScalar(low).DivScalar(high - low)
	mixed := smooth.Neg().AddScalar(1).Mul(divided).DivScalar(r.Factor).Add(smooth.Mul(divided))
	isMedium := wave.LtScalar(old / high).LogicalNot().Mul(isLong.LogicalNot())
	return torch.Where(isMedium, mixed, divided)
}

func (y *Rotary) yarn() *torch.Tensor {
	r := y.rope
	scale := func(m float64) float64 {
		if r.Factor <= 1 {
			return 1
		}
		return 0.1*m*math.Log(r.Factor) + 1
	}
	switch {
	case r.AttentionFactor != nil:
		y.attention = *r.AttentionFactor
	case r.MScale != 0 && r.MScaleAllDim != 0:
		y.attention = scale(r.MScale) / scale(r.MScaleAllDim)
	default:
		y.attention = scale(1)
	}
	d := float64(y.dim)
	correction := func(rotations float64) float64 {
		return d * math.Log(float64(y.original)/(rotations*2*math.Pi)) / (2 * math.Log(r.Theta))
	}
	low, high := correction(cmpOr(r.BetaFast, 32)), correction(cmpOr(r.BetaSlow, 1))
	if r.Truncate == nil || *r.Truncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	if low, high = max(low, 0), min(high, d-1); low == high {
		high += 0.001 // or the ramp would divide by zero
	}
	ramp := torch.Arange(y.dim/2, torch.Float32).SubScalar(low).DivScalar(high-low).Clamp(torch.Min(0), torch.Max(1))
	powers := y.powers(r.Theta)
	extrapolation, interpolation := powers.Reciprocal(), powers.MulScalar(r.Factor).Reciprocal()
	kept := ramp.Neg().AddScalar(1)
	return interpolation.Mul(kept.Neg().AddScalar(1)).Add(extrapolation.Mul(kept))
}

func cmpOr(v, other float64) float64 {
	if v == 0 {
		return other
	}
	return v
}

// At returns the cosines and sines for positions of shape (N, T), in dtype d and of shape
// (N, 1, T, dim). The first half of the sines is negative, so that [Rotate] need not
// negate. The results belong to the caller's scope.
func (y *Rotary) At(positions *torch.Tensor, d torch.DType) (cos, sin *torch.Tensor) {
	out := torch.TidyAll(func() []*torch.Tensor {
		angles := positions.Unsqueeze(-1).Float().Mul(y.inverseFor(positions)).Unsqueeze(1)
		c, s := angles.Cos(), angles.Sin()
		if y.attention != 1 {
			c, s = c.MulScalar(y.attention), s.MulScalar(y.attention)
		}
		twice := func(a, b *torch.Tensor) *torch.Tensor { return torch.Cat([]*torch.Tensor{a, b}, -1).To(d) }
		return []*torch.Tensor{twice(c, c), twice(s.Neg(), s)}
	})
	return out[0], out[1]
}

// inverseFor returns the frequencies for a text that ends with these positions.
func (y *Rotary) inverseFor(positions *torch.Tensor) *torch.Tensor {
	inverse := y.inverse
	switch y.rope.Type {
	case "dynamic":
		if n := positions.Max().ItemInt() + 1; n > y.max {
			return y.dynamic(n).To(positions.Device())
		}
	case "longrope":
		if positions.Max().ItemInt()+1 > y.original {
			inverse = y.long
		}
	}
	return torch.FromSlice(slices.Clone(inverse)).To(positions.Device())
}

// Rotate rotates x (N, heads, T, D) by the cosines and sines of [Rotary.At]. If they have
// fewer than D features, the rest of x stays as it is.
func Rotate(x, cos, sin *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		dim, d := cos.Size(-1), x.Size(-1)
		if dim == d {
			return rotate(x, cos, sin)
		}
		return torch.Cat([]*torch.Tensor{rotate(x.Narrow(-1, 0, dim), cos, sin), x.Narrow(-1, dim, d-dim)}, -1)
	})
}

func rotate(x, cos, sin *torch.Tensor) *torch.Tensor {
	turned := x.Roll([]int64{x.Size(-1) / 2}, []int64{-1}).Mul_(sin)
	return x.Mul(cos).Add_(turned)
}
