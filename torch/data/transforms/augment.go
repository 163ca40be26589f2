package transforms

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// augmentation is an operation that AutoAugment and similar transforms choose from. The
// function at returns the strength of the operation for one of several bins, and for an
// image of size h x w.
type augmentation struct {
	name   string
	at     func(bin, bins, h, w int64) float64 // nil for an operation without strength
	signed bool
}

// line returns a function that computes torch.linspace(start, end, bins)[bin].
func line(start, end float64) func(bin, bins, h, w int64) float64 {
	return func(bin, bins, _, _ int64) float64 { return linspaceAt(start, end, bin, bins) }
}

func linspaceAt(start, end float64, bin, bins int64) float64 {
	t := torch.Linspace(start, end, bins, torch.CPU)
	defer func() { _ = t.Close() }()
	return item(t.Select(0, bin))
}

// ofWidth and ofHeight are like line, from 0 to a fraction of the image's width or
// height.
func ofWidth(part float64) func(bin, bins, h, w int64) float64 {
	return func(bin, bins, _, w int64) float64 { return linspaceAt(0, part*float64(w), bin, bins) }
}

func ofHeight(part float64) func(bin, bins, h, w int64) float64 {
	return func(bin, bins, h, _ int64) float64 { return linspaceAt(0, part*float64(h), bin, bins) }
}

// bits returns a function whose result, a number of bits, decreases with the bin. The
// parameter from is the result at the first bin; fewer is the difference between the
// first bin and the last.
func bits(from, fewer float64) func(bin, bins, h, w int64) float64 {
	return func(bin, bins, _, _ int64) float64 {
		step := float32(float64(bins-1) / fewer)
		return math.RoundToEven(float64(float32(from) - float32(bin)/step))
	}
}

// geometric returns the geometric augmentations, which come first in every list of
// augmentations. slant is the largest shear, turn the largest angle, and x and y are the
// translations.
func geometric(slant, turn float64, x, y func(bin, bins, h, w int64) float64) []augmentation {
	return []augmentation{
		{"ShearX", line(0, slant), true},
		{"ShearY", line(0, slant), true},
		{"TranslateX", x, true},
		{"TranslateY", y, true},
		{"Rotate", line(0, turn), true},
	}
}

// coloring returns the color augmentations. most is their largest strength.
func coloring(most float64) []augmentation {
	return []augmentation{
		{"Brightness", line(0, most), true},
		{"Color", line(0, most), true},
		{"Contrast", line(0, most), true},
		{"Sharpness", line(0, most), true},
	}
}

func values(from, fewer float64) []augmentation {
	return []augmentation{
		{"Posterize", bits(from, fewer), false},
		{"Solarize", line(1, 0), false},
		{"AutoContrast", nil, false},
		{"Equalize", nil, false},
	}
}

func concat(lists ...[]augmentation) (all []augmentation) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// augmenting holds the options common to AutoAugment and the similar transforms.
type augmenting struct {
	mode Interpolation
	fill []float64
}

// strength returns an augmentation's strength at a bin. If the strength is signed, strength
// draws its sign.
func (a augmentation) strength(bin func() int64, bins, h, w int64) float64 {
	if a.at == nil {
		return 0
	}
	v := a.at(bin(), bins, h, w)
	if a.signed && chance() <= 0.5 {
		v = -v
	}
	return v
}

// apply applies the augmentation of the given name to x. It returns x itself if nothing
// changes.
func (a *augmenting) apply(x *torch.Tensor, name string, strength float64) *torch.Tensor {
	affine := func(move, shear []float64, opts ...imageops.AffineOption) *torch.Tensor {
		return imageops.Affine(x, 0, move, 1, shear, append(opts, a.mode, Fills(a.fill))...)
	}
	none := []float64{0, 0}
	degrees := func() float64 { return math.Atan(strength) * 180 / math.Pi }
	switch name {
	case "ShearX":
		return affine(none, []float64{degrees(), 0}, Center(0, 0))
	case "ShearY":
		return affine(none, []float64{0, degrees()}, Center(0, 0))
	case "TranslateX":
		return affine([]float64{math.Trunc(strength), 0}, none)
	case "TranslateY":
		return affine([]float64{0, math.Trunc(strength)}, none)
	case "Rotate":
		return imageops.Rotate(x, strength, a.mode, Fills(a.fill))
	case "Brightness":
		return imageops.AdjustBrightness(x, 1+strength)
	case "Color":
		return imageops.AdjustSaturation(x, 1+strength)
	case "Contrast":
		return imageops.AdjustContrast(x, 1+strength)
	case "Sharpness":
		return imageops.AdjustSharpness(x, 1+strength)
	case "Posterize":
		return imageops.Posterize(x, int64(strength))
	case "Solarize":
		return imageops.Solarize(x, strength*float64(opt.MaxValue(x.DType())))
	case "AutoContrast":
		return imageops.Autocontrast(x)
	case "Equalize":
		return imageops.Equalize(x)
	case "Invert":
		return imageops.Invert(x)
	}
	return x // Identity
}

// read reads an option of AutoAugment and the similar transforms.
func (a *augmenting) read(op string, o any) {
	switch o := o.(type) {
	case Interpolation:
		a.mode = Interpolation(string(o))
	case Fill:
		a.fill = []float64{float64(o)}
	case Fills:
		a.fill = append([]float64(nil), o...)
	default:
		panic(torch.BadOption(op, o))
	}
}

func (a *augmenting) mustBeValid(op string) { a.mode.CheckWarping(op) }

func (a *augmenting) settings() []string { return []string{pyInterpolation(a.mode), pyFill(a.fill)} }
