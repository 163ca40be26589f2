package transforms_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// row returns the row for a constructor in the options test. The test compares the printed transforms
// and, of a padded mask, the corner.
func row[O any, T tv.Transform](constructor func(opts ...O) T, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		f := constructor(opts...)
		out := optiontest.Outcome{"printed": fmt.Sprint(f)}
		switch any(f).(type) {
		case *tv.Pad, *tv.RandomCrop, *tv.RandomZoomOut:
			torch.Scope(func() {
				torch.ManualSeed(3)
				y := f.Forward(tv.Sample{Mask: tv.Mask{Tensor: torch.Ones(torch.Shape{1, 6, 6})}})
				out["mask"] = fmt.Sprint(y.Mask.Tensor.Sum().Item())
			})
		}
		return out
	}, pairs...)
}

// TestOptions tests each option of each constructor alone, after a different value, and next to a nil
// option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	refused := optiontest.Refused
	// values returns a pair that a mask does not show.
	values := func(a, b any) optiontest.Pair {
		return optiontest.Values(a, b).Hides("mask", "it is for images, or for the position")
	}
	plain := optiontest.Values
	type P = []optiontest.Pair
	mode := P{plain(tv.InterpolationNearest, tv.InterpolationBicubic), refused(tv.Interpolation("x"))}
	resizing := append(P{plain(tv.Antialias(false), tv.Antialias(true))}, mode...)
	mask := plain(tv.MaskFill(3), tv.MaskFill(0)).Hides("printed", "Python prints no dict")
	with := func(pairs P, more ...optiontest.Pair) P { return append(append(P{}, pairs...), more...) }
	probability := P{plain(tv.P(0), tv.P(1)), refused(tv.P(-1))}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewRandomHorizontalFlip": row(tv.NewRandomHorizontalFlip, probability...),
		"NewRandomVerticalFlip":   row(tv.NewRandomVerticalFlip, probability...),
		"NewResize": row(func(opts ...tv.ResizeOption) *tv.Resize { return tv.NewResize(3, opts...) },
			with(resizing, plain(tv.MaxSize(5), tv.MaxSize(0)), refused(tv.MaxSize(3)))...),
		"NewRandomResize": row(func(opts ...tv.RandomResizeOption) *tv.RandomResize {
			return tv.NewRandomResize(3, 5, opts...)
		}, resizing...),
		"NewRandomShortestSize": row(func(opts ...tv.RandomShortestSizeOption) *tv.RandomShortestSize {
			return tv.NewRandomShortestSize(3, opts...)
		}, with(resizing, plain(tv.MaxSize(5), tv.MaxSize(0)), refused(tv.MaxSize(-1)))...),
		"NewScaleJitter": row(func(opts ...tv.ScaleJitterOption) *tv.ScaleJitter {
			return tv.NewScaleJitter(3, opts...)
		}, with(resizing, plain(tv.ScaleRange(0, 1), tv.ScaleRange(1, 1)), refused(tv.ScaleRange(2, 1)))...),
		"NewRandomResizedCrop": row(func(opts ...tv.RandomResizedCropOption) *tv.RandomResizedCrop {
			return tv.NewRandomResizedCrop(3, opts...)
		}, with(resizing, plain(tv.Scale(0.1, 1), tv.Scale(0.2, 1)), refused(tv.Scale(2, 1)),
			plain(tv.Ratio(1, 2), tv.Ratio(2, 2)), refused(tv.Ratio(0, 1)))...),
		"NewRandomCrop": row(func(opts ...tv.RandomCropOption) *tv.RandomCrop {
			return tv.NewRandomCrop(7, append([]tv.RandomCropOption{tv.Padding(2)}, opts...)...)
		}, plain(tv.Padding(1), tv.Padding(2)), plain(tv.Paddings{1}, tv.Paddings{2}), refused(tv.Paddings{1, 2, 3}),
			plain(tv.PadIfNeeded(true), tv.PadIfNeeded(false)).Hides("mask", "it is large enough"),
			plain(tv.Fill(2), tv.Fill(0)), plain(tv.Fills{2}, tv.Fills{3}), mask,
			plain(tv.PaddingModeReflect, tv.PaddingModeConstant), refused(tv.PaddingMode("x"))),
		"NewPad": row(func(opts ...tv.PadOption) *tv.Pad { return tv.NewPad(1, opts...) },
			plain(tv.Fill(2), tv.Fill(0)), plain(tv.Fills{2}, tv.Fills{3}), mask,
			plain(tv.PaddingModeReflect, tv.PaddingModeConstant), refused(tv.PaddingMode("x"))),
		"NewRandomZoomOut": row(func(opts ...tv.RandomZoomOutOption) *tv.RandomZoomOut {
			return tv.NewRandomZoomOut(append([]tv.RandomZoomOutOption{tv.P(1)}, opts...)...)
		}, plain(tv.Fill(2), tv.Fill(0)), plain(tv.Fills{2}, tv.Fills{3}), mask, refused(tv.SideRange(0, 1)),
			values(tv.SideRange(1, 2), tv.SideRange(1, 3)), values(tv.P(0), tv.P(1)), refused(tv.P(2))),
		"NewRandomIoUCrop": row(tv.NewRandomIoUCrop, plain(tv.MinScale(0), tv.MinScale(0.2)), refused(tv.MinScale(2)),
			plain(tv.MaxScale(0.5), tv.MaxScale(0.6)), refused(tv.MaxScale(2)),
			plain(tv.MinAspectRatio(0), tv.MinAspectRatio(1)), refused(tv.MinAspectRatio(3)),
			plain(tv.MaxAspectRatio(1), tv.MaxAspectRatio(3)), refused(tv.MaxAspectRatio(0)),
			plain(tv.SamplerOptions{0}, tv.SamplerOptions{1}), refused(tv.SamplerOptions{}),
			plain(tv.Trials(1), tv.Trials(2)), refused(tv.Trials(0))),
		"NewSanitizeBoundingBoxes": row(tv.NewSanitizeBoundingBoxes, plain(tv.MinSize(2), tv.MinSize(3)),
			refused(tv.MinSize(0)), plain(tv.MinArea(2), tv.MinArea(3)), refused(tv.MinArea(0)),
			plain(tv.LabelsGetter{"a"}, tv.LabelsGetter(nil))),
	})
}
