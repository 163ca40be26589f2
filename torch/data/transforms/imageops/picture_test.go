package imageops_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torchtest"
)

var nan = math.NaN()

// An image of package image becomes the same tensor as in torchvision. Converting the
// tensor back gives an equal image.
func TestPictures(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/functional.json")
	for _, mode := range []string{"L", "RGB", "RGBA"} {
		torch.Scope(func() {
			want := g.Tensor("picture/" + mode)
			pic := imageops.ToPILImage(want)
			assert.Equal(t, image.Rect(0, 0, 5, 4), pic.Bounds())
			got := imageops.PILToTensor(pic)
			if mode == "RGB" {
				got = got.Narrow(0, 0, 3) // leave out the alpha channel, because it is opaque
			}
			assert.True(t, want.Equal(got), mode)
			numbers := imageops.ToTensor(pic).Narrow(0, 0, want.Size(0))
			torchtest.AllClose(t, g.Tensor("numbers/"+mode), numbers, torchtest.Rounding(1, torch.Float32))
			assert.Equal(t, pic, imageops.ToPILImage(imageops.ToTensor(pic)), "converting back gives another image")
		})
	}
}

// Images of all types of package image, and subimages, are converted correctly.
func TestPictureTypes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	full := image.Rect(0, 0, 4, 3)
	whole := image.NewNRGBA(full)
	for i := range whole.Pix {
		whole.Pix[i] = uint8(7 * i)
		if i%4 == 3 {
			whole.Pix[i] = 255
		}
	}
	part := image.Rect(1, 1, 4, 3)
	for name, c := range map[string]struct {
		pic      draw.Image
		channels int64
	}{
		"gray":    {image.NewGray(full), 1},
		"gray16":  {image.NewGray16(full), 1},
		"nrgba":   {image.NewNRGBA(full), 4},
		"rgba":    {image.NewRGBA(full), 3},
		"rgba64":  {image.NewRGBA64(full), 3},
		"nrgba64": {image.NewNRGBA64(full), 4},
		"palette": {image.NewPaletted(full, color.Palette{color.Black, color.White, color.RGBA{200, 10, 10, 255}}), 3},
		"cmyk":    {image.NewCMYK(full), 3},
	} {
		draw.Draw(c.pic, full, whole, image.Point{}, draw.Src)
		torch.Scope(func() {
			all := imageops.PILToTensor(c.pic)
			require.Equal(t, torch.Shape{c.channels, 3, 4}, all.Shape(), name)
			r, g, b, _ := c.pic.At(2, 1).RGBA()
			want := []uint32{r, g, b}
			for i := range min(c.channels, 3) {
				bits := 8
				if name == "gray16" {
					bits = 0
				}
				assert.InDelta(t, want[i]>>bits, all.Index(i, 1, 2).Float().Item(), 1, name)
			}
			sub := c.pic.(interface {
				SubImage(r image.Rectangle) image.Image
			}).SubImage(part)
			assert.True(t, imageops.Crop(all.Float(), 1, 1, 2, 3).Equal(imageops.PILToTensor(sub).Float()),
				"a part of %s", name)
			x := imageops.ToTensor(c.pic)
			assert.Equal(t, torch.Float32, x.DType())
			assert.LessOrEqual(t, x.Max().Item(), 1.0)
		})
	}
	glass := image.NewRGBA(full)
	glass.SetRGBA(0, 0, color.RGBA{50, 0, 0, 100})
	err := torch.Try(func() { imageops.ToTensor(image.NewGray(image.Rectangle{})) })
	assert.ErrorIs(t, err, torch.ErrValue)
	torch.Scope(func() {
		assert.Equal(t, []uint8{127, 0, 0, 100}, imageops.PILToTensor(glass).Index(torch.All, 0, 0).Uint8s(),
			"colors are not multiplied")
	})
}

// A result shares memory with the image if and only if the documentation says so.
func TestSharing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Rand(torch.Shape{3, 4, 5})
		one := torch.Ones(torch.Shape{1})
		for name, out := range map[string]*torch.Tensor{
			"crop": imageops.Crop(x, 1, 1, 2, 2), "center": imageops.CenterCrop(x, 2),
			"five":   imageops.FiveCrop(x, 2)[4],
			"resize": imageops.Resize(x, 4), "dtype": imageops.ToDType(x, torch.Float32),
			"rgb":       imageops.GrayscaleToRGB(x),
			"erase":     imageops.Erase(x, 0, 0, 1, 1, one, imageops.Inplace(true)),
			"normalize": imageops.Normalize(x, []float64{0}, []float64{1}, imageops.Inplace(true)),
		} {
			assert.True(t, x.SharesStorage(out), name)
		}
		for name, out := range map[string]*torch.Tensor{
			"pad": imageops.Pad(x, 0), "outside": imageops.Crop(x, -1, 0, 2, 2), "flip": imageops.HFlip(x),
			"turn":  imageops.Rotate(x, 0),
			"erase": imageops.Erase(x, 0, 0, 1, 1, one), "normalize": imageops.Normalize(x, []float64{0}, []float64{1}),
			"bright": imageops.AdjustBrightness(x, 1),
		} {
			assert.False(t, x.SharesStorage(out), name)
		}
	})
}

// Gradients flow to the image, except through a change of hue with libtorch 2.11.
func TestGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, f := range functions() {
		torch.Scope(func() {
			x := torch.Rand(torch.Shape{3, 8, 8}).RequiresGrad_()
			err := torch.Try(func() {
				out := f(x)
				if out.RequiresGrad() {
					out.Float().Sum().Backward()
				}
			})
			assert.Equal(t, strings.HasPrefix(name, "AdjustHue") && strings.HasPrefix(torch.Version(), "2.11."),
				err != nil, "%s: %v", name, err)
		})
	}
}

// Resizing bytes keeps the channels-last memory format, as in torchvision.
func TestResizeKeepsMemoryFormat(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.RandInt(0, 256, torch.Shape{9, 12, 3}, torch.Uint8).Permute(2, 0, 1)
		out := imageops.Resize(x, 5)
		assert.Equal(t, []int64{1, 18, 3}, out.Stride())
		assert.True(t, out.Equal(imageops.Resize(x.Contiguous(), 5)))
	})
}
