package tensorboard

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// AddImage adds an image; add_image in Python. The tensor's dimensions are channel,
// height and width, unless [DataFormats] changes that, with one channel (gray), three
// (RGB) or four (RGBA). Values of dtype uint8 are from 0 to 255; other dtypes are from 0
// to 1. Values outside are clipped, and NaN becomes 0. The caller keeps the tensor.
//
// It returns ErrNil for a nil tensor, ErrShape for unexpected dimensions, ErrDType for
// complex numbers, and ErrValue for an invalid option.
func (w *SummaryWriter) AddImage(tag string, img *torch.Tensor, step int, opts ...ImageOption) error {
	return w.addImage("tensorboard.SummaryWriter.AddImage", tag, img, step, "CHW", opts)
}

// AddImages adds several images of one size as a grid, eight per row; add_images in
// Python. The dimensions are image, channel, height and width, unless [DataFormats]
// changes that, with one or three channels. Otherwise it is like
// [SummaryWriter.AddImage].
func (w *SummaryWriter) AddImages(tag string, imgs *torch.Tensor, step int, opts ...ImageOption) error {
	return w.addImage("tensorboard.SummaryWriter.AddImages", tag, imgs, step, "NCHW", opts)
}

// AddFigure adds an image.Image, for example one drawn with gonum/plot. Python's
// add_figure takes a matplotlib figure. It returns ErrNil for a nil image, and ErrShape
// for an empty one.
func (w *SummaryWriter) AddFigure(tag string, figure image.Image, step int, opts ...EventOption) error {
	const op = "tensorboard.SummaryWriter.AddFigure"
	e := readEvent(op, step, opts)
	if v := reflect.ValueOf(figure); figure == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return torch.NewError(op, torch.ErrNil, "figure", "expected an image, got nil")
	}
	return w.addPNG(op, tag, figure, 4, e)
}

func (w *SummaryWriter) addImage(op, tag string, t *torch.Tensor, step int, formats string,
	opts []ImageOption,
) error {
	e := event{now: true, step: step}
	for _, o := range opts {
		switch o := o.(type) {
		case WallTime:
			e.wall, e.now = float64(o), false
		case DataFormats:
			formats = string(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if t == nil {
		return torch.NewError(op, torch.ErrNil, "img", "expected a tensor, got nil")
	}
	var p pixels
	if err := torch.Try(func() { p = pixelsOf(op, t, strings.ToUpper(formats)) }); err != nil {
		return err
	}
	return w.addPNG(op, tag, p.image(), max(3, p.channels), e)
}

func (w *SummaryWriter) addPNG(op, tag string, img image.Image, channels int, e event) error {
	size := img.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 {
		return torch.NewError(op, torch.ErrShape, "img",
			fmt.Sprintf("expected pixels, got an image of %d by %d", size.Y, size.X))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return w.add(op, e, eventSummary, imageOf(tag, size.Y, size.X, channels, b.Bytes()))
}

// pixels holds one image as rows of interleaved channels.
type pixels struct {
	height, width, channels int
	values                  []uint8
}

// pixelsOf reads a tensor with the dimensions named by formats.
func pixelsOf(op string, t *torch.Tensor, formats string) (p pixels) {
	order := map[int]string{4: "NHWC", 3: "HWC", 2: "HW"}[len(formats)]
	letters := func(s string) string { return string(slices.Sorted(slices.Values([]byte(s)))) }
	switch {
	case order == "" || letters(formats) != letters(order):
		panic(torch.NewError(op, torch.ErrValue, "DataFormats",
			fmt.Sprintf(`expected the letters NCHW, CHW or HW in some order, got %q`, formats)))
	case t.Dim() != int64(len(formats)):
		panic(torch.NewError(op, torch.ErrShape, "img",
			fmt.Sprintf("expected the %d dimensions of %s, got shape %v", len(formats), formats, t.Shape())))
	case t.DType().IsComplex():
		panic(torch.NewError(op, torch.ErrDType, "img", fmt.Sprintf("expected real numbers, got %v", t.DType())))
	}
	dims := make([]int64, len(order))
	for i, letter := range order {
		dims[i] = int64(strings.IndexRune(formats, letter))
	}
	torch.Scope(func() {
		torch.NoGrad(func() {
			v := t.Detach().Permute(dims...)
			switch len(order) {
			case 2:
				v = v.Unsqueeze(2)
			case 4:
				v = grid(v)
			}
			shape := v.Shape()
			p.height, p.width, p.channels = int(shape[0]), int(shape[1]), int(shape[2])
			if c := p.channels; c != 1 && c != 3 && (c != 4 || len(order) == 4) {
				panic(torch.NewError(op, torch.ErrShape, "img", fmt.Sprintf("expected 1 or 3 channels, or 4 for one "+
					"image, got %d in shape %v as %s", c, t.Shape(), formats)))
			}
			if v.DType() != torch.Uint8 {
				v = v.To(torch.Float32).MulScalar(255).NaNToNum().Clamp(0, 255).To(torch.Uint8)
			}
			p.values = v.To(torch.CPU).Uint8s()
		})
	})
	return p
}

// grid arranges images of shape (n, height, width, channels) in rows of eight. The rest
// of the last row is black.
func grid(images *torch.Tensor) *torch.Tensor {
	s := images.Shape()
	n, h, w, c := s[0], s[1], s[2], s[3]
	columns := max(1, min(n, 8))
	rows := (n + columns - 1) / columns
	if missing := rows*columns - n; missing > 0 {
		images = torch.Cat([]*torch.Tensor{
			images,
			torch.Zeros(torch.Shape{missing, h, w, c}, images.DType(), images.Device()),
		})
	}
	return images.Reshape(rows, columns, h, w, c).Permute(0, 2, 1, 3, 4).Reshape(rows*h, columns*w, c)
}

func (p pixels) image() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	for i := range p.width * p.height {
		from, to := p.values[i*p.channels:], img.Pix[4*i:4*i+4]
		to[3] = 255
		if p.channels == 1 {
			to[0], to[1], to[2] = from[0], from[0], from[0]
		} else {
			copy(to, from[:p.channels])
		}
	}
	return img
}
