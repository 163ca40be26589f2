package imageops

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// AdjustHue rotates the hue of image. hueFactor is from -0.5 to 0.5: both ends give the
// complementary hue, and 0 leaves the image unchanged. The image is converted to hue,
// saturation and value and back, in float32. The result is a new tensor; for a gray image
// it shares the image's memory. It panics with ErrShape unless there are 1 or 3 channels,
// and with ErrValue for any other factor. Follows
// torchvision.transforms.functional.adjust_hue.
func AdjustHue(image *torch.Tensor, hueFactor float64) *torch.Tensor {
	const op = "imageops.AdjustHue(image)"
	c, _, _ := colors(op, image)
	if !(hueFactor >= -0.5 && hueFactor <= 0.5) {
		panic(torch.NewError(op, torch.ErrValue, "hueFactor",
			fmt.Sprintf("expected a number from -0.5 to 0.5, got %v", hueFactor)))
	}
	if c == 1 || image.Numel() == 0 {
		return viewOf(image)
	}
	return torch.Tidy(func() *torch.Tensor {
		x := scaleRange(op, image, torch.Float32)
		h, s, v := rgbToHSV(x)
		if x != image {
			closeAll(x)
		}
		h.AddScalar_(hueFactor).RemainderScalar_(1)
		return scaleRange(op, hsvToRGB(h, s, v), image.DType())
	})
}

// rgbToHSV converts x, an RGB image of float32, to hue, saturation and value.
func rgbToHSV(x *torch.Tensor) (h, s, v *torch.Tensor) {
	lowest, v := x.Aminmax(torch.Dim(-3))
	grays := v.Eq(lowest)
	spread := v.Sub(lowest)
	ones := torch.OnesLike(v)
	divisor := torch.Where(grays, ones, v)
	s = spread.Div(divisor)
	closeAll(divisor, lowest)
	divisor = torch.Where(grays, ones, spread).Unsqueeze_(-3)
	closeAll(grays, spread, ones)
	top := v.Unsqueeze(-3)
	rest := top.Sub(x)
	parts := rest.Div(divisor).Unbind(-3)
	closeAll(divisor, top, rest)
	rc, gc, bc := parts[0], parts[1], parts[2]
	colors := x.Unbind(-3)
	notRed, green := v.Ne(colors[0]), v.Eq(colors[1])
	closeAll(colors...)
	// The largest of the three colors determines the sector of the color circle, and
	// therefore the formula for the hue.
	onlyGreen, red := green.BitwiseAnd(notRed), notRed.BitwiseNot()
	hg := rc.AddScalar(2).Sub_(bc).Mul_(onlyGreen)
	hr := step(bc.Sub(gc), func(x *torch.Tensor) *torch.Tensor { return x.Mul_(red) })
	notRed.LogicalAnd_(green.LogicalNot_())
	hb := gc.AddScalar(4).Sub_(rc).Mul_(notRed)
	h = hr.Add_(hg).Add_(hb).MulScalar_(1.0 / 6).AddScalar_(1).FmodScalar_(1)
	closeAll(hg, hb, rc, gc, bc, onlyGreen, red, notRed, green)
	return h, s, v
}

// hsvToRGB is the inverse of rgbToHSV. It takes ownership of its arguments.
func hsvToRGB(h, s, v *torch.Tensor) *torch.Tensor {
	turns := h.MulScalar(6)
	whole := turns.Floor()
	f := turns.Sub_(whole)
	sixth := whole.To(torch.Int32)
	closeAll(h, whole)
	sf := s.Mul(f)
	rest := s.RSubScalar(1)
	closeAll(f, s)
	q := step(sf.RSubScalar(1), func(x *torch.Tensor) *torch.Tensor { return x.Mul_(v).Clamp_(0, 1) })
	t := sf.Add_(rest).Mul_(v).Clamp_(0, 1)
	p := rest.Mul_(v).Clamp_(0, 1)
	sixth.RemainderScalar_(6)
	all := torch.Stack([]*torch.Tensor{v, p, q, t}, -3)
	closeAll(v, p, q, t)
	table := torch.FromSliceWith([]int64{0, 2, 1, 1, 3, 0, 3, 0, 0, 2, 1, 1, 1, 1, 3, 0, 0, 2}, torch.Shape{3, 6},
		all.Device())
	which := table.Index(torch.All, sixth)
	closeAll(table, sixth)
	if which.Dim() > 3 {
		which = step(which, func(x *torch.Tensor) *torch.Tensor { return x.MoveDim(0, -3) })
	}
	out := all.Gather(-3, which)
	closeAll(all, which)
	return out
}
