package transforms_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torchtest"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

const height, width = 24, 30

// values returns the same numbers as make_transforms.py.
func values(n int64, dtype torch.DType, shape ...int64) *torch.Tensor {
	numel := int64(1)
	for _, s := range shape {
		numel *= s
	}
	return torch.Arange(numel).MulScalar(37).AddScalar(numel).RemainderScalar(n).To(dtype).Reshape(shape...)
}

// boxes returns the same boxes as make_transforms.py.
func boxes(format tv.BoundingBoxFormat, dtype torch.DType) tv.BoundingBoxes {
	b := tv.BoundingBoxes{
		Tensor: torch.FromSlice([]float32{
			2, 3, 20, 18, 10.5, 0.25, 29.75, 23.5, 0, 0, 30, 24, 25, 20, 29, 23, 5, 5, 6, 20,
		}, 5, 4),
		CanvasSize: [2]int64{height, width},
	}
	b = tv.NewConvertBoundingBoxFormat(format).Forward(tv.Sample{Boxes: b}).Boxes
	b.Tensor = b.Tensor.To(dtype)
	return b
}

func points(dtype torch.DType, shape ...int64) tv.KeyPoints {
	return tv.KeyPoints{
		Tensor:     values(61, torch.Float64, shape...).DivScalar(2.5).To(dtype),
		CanvasSize: [2]int64{height, width},
	}
}

// samples are those of make_transforms.py.
var samples = map[string]func() tv.Sample{
	"xyxy": func() tv.Sample {
		return tv.Sample{
			Image: values(251, torch.Uint8, 3, height, width), Boxes: boxes(tv.BoundingBoxFormatXYXY, torch.Float32),
			Mask:      tv.Mask{Tensor: values(2, torch.Uint8, 5, height, width)},
			KeyPoints: points(torch.Float32, 5, 3, 2), Labels: torch.Arange(5),
			Extra: map[string]*torch.Tensor{"area": torch.Arange(5).MulScalar(1.5)},
		}
	},
	"xywh": func() tv.Sample {
		return tv.Sample{
			Image:     values(101, torch.Float32, 1, height, width).DivScalar(101),
			Boxes:     boxes(tv.BoundingBoxFormatXYWH, torch.Int64),
			Mask:      tv.Mask{Tensor: values(21, torch.Int64, height, width)},
			KeyPoints: points(torch.Int64, 7, 2), Labels: torch.Arange(5),
			Extra: map[string]*torch.Tensor{"area": torch.Arange(5).MulScalar(1.5)},
		}
	},
	"cxcywh": func() tv.Sample {
		return tv.Sample{
			Image: values(251, torch.Uint8, 3, height, width), Boxes: boxes(tv.BoundingBoxFormatCXCYWH, torch.Float64),
			Mask: tv.Mask{Tensor: values(3, torch.Int64, 2, height, width).GtScalar(0)}, Labels: torch.Arange(5),
			Extra: map[string]*torch.Tensor{"area": torch.Arange(5).MulScalar(1.5)},
		}
	},
}

// list returns the transforms of make_transforms.py.
func list() map[string]tv.Transform {
	fills := []tv.PadOption{tv.Fill(7), tv.MaskFill(2)}
	none := tv.NewSetClampingMode(tv.ClampingModeNone)
	return map[string]tv.Transform{
		"RandomHorizontalFlip": tv.NewRandomHorizontalFlip(),
		"RandomVerticalFlip":   tv.NewRandomVerticalFlip(tv.P(0.7)),
		"Resize":               tv.NewResize(12),
		"Resize/pair":          tv.NewResize([]int{10, 33}, tv.InterpolationNearest),
		"Resize/max":           tv.NewResize(20, tv.MaxSize(22), tv.Antialias(false)),
		"Resize/none":          tv.NewResize(nil, tv.MaxSize(40)),
		"Resize/same":          tv.NewResize([]int64{height, width}),
		"RandomResize":         tv.NewRandomResize(8, 40),
		"RandomShortestSize":   tv.NewRandomShortestSize([]int{9, 15, 30}, tv.MaxSize(33)),
		"RandomShortestSize/one": tv.NewRandomShortestSize(17, tv.InterpolationBicubic,
			tv.Antialias(false)),
		"CenterCrop":       tv.NewCenterCrop(13),
		"CenterCrop/large": tv.NewCenterCrop([]int{29, 17}),
		"RandomCrop":       tv.NewRandomCrop([]int{11, 17}),
		"RandomCrop/padding": tv.NewRandomCrop([]int{25, 29}, tv.Paddings{1, 2, 3, 4}, tv.Fill(7),
			tv.MaskFill(2)),
		"RandomCrop/needed": tv.NewRandomCrop(36, tv.PadIfNeeded(true)),
		"RandomCrop/same":   tv.NewRandomCrop(torch.Shape{height, width}),
		"RandomResizedCrop": tv.NewRandomResizedCrop(14),
		"RandomResizedCrop/options": tv.NewRandomResizedCrop([]int{9, 21}, tv.Scale(0.3, 0.9), tv.Ratio(0.5, 2),
			tv.InterpolationNearestExact, tv.Antialias(false)),
		"RandomIoUCrop": tv.NewRandomIoUCrop(),
		"RandomIoUCrop/options": tv.NewRandomIoUCrop(tv.MinScale(0.5), tv.MaxScale(0.9), tv.MinAspectRatio(0.8),
			tv.MaxAspectRatio(1.5), tv.SamplerOptions{0.2, 0.4}, tv.Trials(10)),
		"RandomZoomOut": tv.NewRandomZoomOut(),
		"RandomZoomOut/options": tv.NewRandomZoomOut(tv.Fill(7), tv.MaskFill(2), tv.SideRange(1.5, 2.5),
			tv.P(0.9)),
		"ScaleJitter": tv.NewScaleJitter([]int{20, 26}),
		"ScaleJitter/options": tv.NewScaleJitter([]int{40, 30}, tv.ScaleRange(0.5, 1.5),
			tv.InterpolationNearest),
		"Pad":          tv.NewPad(3),
		"Pad/negative": tv.NewPad([]int{-2, 3, 4, -5}, fills...),
		"Pad/color":    tv.NewPad([]int{2, 1}, tv.Fills{1, 2.5, 3}, tv.MaskFill(1)),
		"ClampBoundingBoxes": tv.NewCompose(none, tv.NewPad([]int{-4, -3}),
			tv.NewClampBoundingBoxes(tv.ClampingModeSoft)),
		"SetClampingMode":       tv.NewCompose(none, tv.NewCenterCrop(15), tv.NewClampBoundingBoxes()),
		"ClampKeyPoints":        tv.NewCompose(tv.NewCenterCrop(15), tv.NewClampKeyPoints()),
		"SanitizeBoundingBoxes": tv.NewCompose(tv.NewRandomIoUCrop(), tv.NewSanitizeBoundingBoxes()),
		"SanitizeBoundingBoxes/options": tv.NewCompose(tv.NewRandomCrop(16),
			tv.NewSanitizeBoundingBoxes(tv.MinSize(4), tv.MinArea(40), tv.LabelsGetter{"Labels", "area"})),
		"SanitizeKeyPoints":               tv.NewCompose(tv.NewRandomCrop(20), tv.NewSanitizeKeyPoints()),
		"ConvertBoundingBoxFormat/XYXY":   tv.NewConvertBoundingBoxFormat(tv.BoundingBoxFormatXYXY),
		"ConvertBoundingBoxFormat/XYWH":   tv.NewConvertBoundingBoxFormat(tv.BoundingBoxFormatXYWH),
		"ConvertBoundingBoxFormat/CXCYWH": tv.NewConvertBoundingBoxFormat(tv.BoundingBoxFormatCXCYWH),
		"Compose": tv.NewCompose(tv.NewRandomZoomOut(tv.Fill(7), tv.MaskFill(2)), tv.NewRandomIoUCrop(),
			tv.NewRandomHorizontalFlip(), tv.NewRandomResize(10, 30), tv.NewSanitizeBoundingBoxes()),
	}
}

// run is torchvision's result for one sample and one seed.
type run struct {
	Kind         string
	Seed         uint64
	Next         float64
	Image, Masks struct {
		Shape torch.Shape
		DType string
		Sum   float64
	}
	Boxes struct {
		Shape        torch.Shape
		Values       []float64
		Format, Mode string
		Canvas       [2]int64
	}
	Points *struct {
		Shape  torch.Shape
		Values []float64
		Canvas [2]int64
	}
	Labels []int64
	Area   []float64
}

// summed returns the sum of the values, each multiplied by its index modulo 97.
func summed(x *torch.Tensor) float64 {
	x = x.Double().Reshape(-1)
	return x.Mul(torch.Arange(x.Numel()).RemainderScalar(97)).Sum().Item()
}

var vectors = strings.Contains(torch.BuildInfo(), "CPU capability usage: AVX")

func (r *run) check(t *testing.T, what string, s tv.Sample) {
	t.Helper()
	assert.Equal(t, r.Image.Shape, s.Image.Shape(), what)
	assert.Equal(t, r.Image.DType, s.Image.DType().String(), what)
	allowed := 1e-6 * (1 + math.Abs(r.Image.Sum))
	if !vectors { // integers may be rounded in a different way
		allowed = 97 * float64(s.Image.Numel())
	}
	assert.InDelta(t, r.Image.Sum, summed(s.Image), allowed, what)
	m := s.Mask.Tensor
	assert.Equal(t, r.Masks.Shape, m.Shape(), what)
	assert.Equal(t, r.Masks.DType, m.DType().String(), what)
	assert.Equal(t, r.Masks.Sum, summed(m), what)
	same := func(want []float64, shape torch.Shape, got *torch.Tensor) {
		t.Helper()
		require.Equal(t, shape, got.Shape(), what)
		assert.InDeltaSlice(t, want, got.Double().Reshape(-1).Float64s(), 1e-5, what)
	}
	same(r.Boxes.Values, r.Boxes.Shape, s.Boxes.Tensor)
	assert.Equal(t, r.Boxes.Format, string(s.Boxes.Format), what)
	assert.Equal(t, r.Boxes.Canvas, s.Boxes.CanvasSize, what)
	mode := s.Boxes.ClampingMode
	if mode == "" {
		mode = tv.ClampingModeSoft
	}
	assert.Equal(t, r.Boxes.Mode, string(mode), what)
	if r.Points != nil {
		same(r.Points.Values, r.Points.Shape, s.KeyPoints.Tensor)
		assert.Equal(t, r.Points.Canvas, s.KeyPoints.CanvasSize, what)
	}
	assert.Equal(t, r.Labels, s.Labels.Int64s(), what)
	if r.Area != nil {
		same(r.Area, torch.Shape{int64(len(r.Area))}, s.Extra["area"])
	}
}

// With the same seed, each transform returns the same samples as torchvision and draws the same number
// of random numbers. It leaves no tensors behind except its result, and does not change its argument.
func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/transforms.json")
	for name, f := range list() {
		var golden struct {
			Runs []run
			Text string
		}
		g.Decode(name, &golden)
		require.NotEmpty(t, golden.Runs, name)
		if golden.Text != "" {
			assert.Equal(t, golden.Text, fmt.Sprint(f))
		}
		for _, r := range golden.Runs {
			what := fmt.Sprintf("%s of %s after seed %d", name, r.Kind, r.Seed)
			torch.Scope(func() {
				s := samples[r.Kind]()
				parts := int64(4 + len(s.Extra)) // image, boxes, mask, labels, ...
				if s.KeyPoints.Tensor != nil {
					parts++
				}
				before := torch.NumLiveTensors()
				torch.ManualSeed(r.Seed)
				y := f.Forward(s)
				require.Equal(t, before+parts, torch.NumLiveTensors(), "%s leaves temporaries", what)
				assert.InDelta(t, r.Next, torch.Rand(torch.Shape{1}).Item(), 1e-8,
					"%s draws more or fewer random numbers", what)
				r.check(t, what, y)
				require.NoError(t, y.Close())
				twin := samples[r.Kind]()
				assert.True(t, s.Image.Equal(twin.Image) && s.Boxes.Tensor.Equal(twin.Boxes.Tensor) &&
					s.Mask.Tensor.Equal(twin.Mask.Tensor) && s.Labels.Equal(twin.Labels),
					"%s changed its argument", what)
			})
		}
	}
}

// A transform changes the parts that a sample has, and needs no others.
func TestParts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := samples["xyxy"]()
		flip := tv.NewRandomHorizontalFlip(tv.P(1))
		for name, part := range map[string]tv.Sample{
			"image": {Image: s.Image}, "boxes": {Boxes: s.Boxes}, "mask": {Mask: s.Mask},
			"points": {KeyPoints: s.KeyPoints}, "labels": {Labels: s.Labels}, "nothing": {},
			"a batch": {Image: s.Image.Expand(2, 3, height, width)},
		} {
			twice := flip.Forward(flip.Forward(part))
			assert.Equal(t, part.String(), twice.String(), name)
		}
		// a crop with a position needs a size, which any part has
		crop := tv.NewRandomCrop(5)
		assert.Equal(t, torch.Shape{5, 5}, crop.Forward(tv.Sample{Mask: tv.Mask{Tensor: s.Mask.Tensor.Select(0, 1)}}).
			Mask.Tensor.Shape())
		assert.Equal(t, [2]int64{5, 5}, crop.Forward(tv.Sample{KeyPoints: s.KeyPoints}).KeyPoints.CanvasSize)
		empty := s
		empty.Boxes.Tensor, empty.Labels = torch.Zeros(torch.Shape{0, 4}), torch.Zeros(torch.Shape{0})
		empty.Mask.Tensor = torch.Zeros(torch.Shape{0, height, width}, torch.Bool)
		all := tv.NewCompose(tv.NewRandomIoUCrop(), tv.NewRandomZoomOut(tv.P(1)), flip, tv.NewResize(10),
			tv.NewSanitizeBoundingBoxes())
		y := all.Forward(empty)
		assert.Equal(t, torch.Shape{0, 4}, y.Boxes.Tensor.Shape())
		assert.Equal(t, torch.Shape{0, y.Image.Size(1), y.Image.Size(2)}, y.Mask.Tensor.Shape())
	})
}

// A user-defined transform may return its argument, or only some parts of it.
func TestUserTransforms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := samples["xyxy"]()
		y := tv.NewCompose(same{}, tv.NewRandomVerticalFlip(tv.P(1)), same{}, onlyImage{}).Forward(s)
		assert.Equal(t, tv.Sample{Image: y.Image}, y)
		require.NoError(t, y.Close())
		assert.False(t, s.Image.IsClosed())
		y = tv.NewCompose(same{}).Forward(s)
		require.NoError(t, y.Close())
		assert.False(t, s.Image.IsClosed())
		assert.Equal(t, "Image closed", tv.Sample{Image: y.Image}.String())
		norm := tv.NewImageOnly(images.NewCompose(images.NewToTensor(),
			images.NewNormalize([]float64{0.5}, []float64{0.5})))
		assert.Equal(t, torch.Float32, norm.Forward(s).Image.DType())
		assert.Contains(t, norm.String(), "Normalize")
		assert.Nil(t, norm.Forward(tv.Sample{}).Image)
		assert.Len(t, tv.NewCompose(same{}, norm).Transforms(), 2)
	})
}

type (
	same      struct{}
	onlyImage struct{}
)

func (same) Forward(s tv.Sample) tv.Sample      { return s }
func (onlyImage) Forward(s tv.Sample) tv.Sample { return tv.Sample{Image: s.Image} }

// Any number of goroutines may use the same Compose.
func TestGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := list()["Compose"]
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				torch.Scope(func() { c.Forward(samples["xyxy"]()) })
			}
		})
	}
	all.Wait()
}

// Invalid samples cause errors of the right kind, and leave nothing behind.
func TestInvalidSamples(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		zeros := func(d torch.DType, shape ...int64) *torch.Tensor { return torch.Zeros(shape, d) }
		box := func(x *torch.Tensor) tv.BoundingBoxes { return tv.BoundingBoxes{Tensor: x, CanvasSize: [2]int64{4, 4}} }
		closed := torch.Zeros(torch.Shape{3, 4, 4})
		require.NoError(t, closed.Close())
		full := tv.Sample{Image: zeros(torch.Uint8, 3, 4, 4), Boxes: box(zeros(torch.Float32, 2, 4))}
		with := func(change func(s *tv.Sample)) tv.Sample {
			s := full
			change(&s)
			return s
		}
		flip, crop, sanitize := tv.NewRandomHorizontalFlip(), tv.NewRandomCrop(2), tv.NewSanitizeBoundingBoxes()
		for name, c := range map[string]struct {
			f    tv.Transform
			s    tv.Sample
			kind error
		}{
			"closed":    {flip, tv.Sample{Image: closed}, torch.ErrClosed},
			"image":     {flip, tv.Sample{Image: zeros(torch.Uint8, 4, 4)}, torch.ErrShape},
			"bools":     {flip, tv.Sample{Image: zeros(torch.Bool, 3, 4, 4)}, torch.ErrDType},
			"boxes":     {flip, tv.Sample{Boxes: box(zeros(torch.Float32, 4))}, torch.ErrShape},
			"five":      {flip, tv.Sample{Boxes: box(zeros(torch.Float32, 2, 5))}, torch.ErrShape},
			"complex":   {flip, tv.Sample{Boxes: box(zeros(torch.Complex64, 2, 4))}, torch.ErrDType},
			"mask":      {flip, tv.Sample{Mask: tv.Mask{Tensor: zeros(torch.Uint8, 4)}}, torch.ErrShape},
			"points":    {flip, tv.Sample{KeyPoints: tv.KeyPoints{Tensor: zeros(torch.Float32, 4)}}, torch.ErrShape},
			"format":    {flip, with(func(s *tv.Sample) { s.Boxes.Format = "XYWHR" }), torch.ErrValue},
			"mode":      {flip, with(func(s *tv.Sample) { s.Boxes.ClampingMode = "x" }), torch.ErrValue},
			"canvas":    {flip, with(func(s *tv.Sample) { s.Boxes.CanvasSize[0] = -1 }), torch.ErrValue},
			"sizes":     {crop, with(func(s *tv.Sample) { s.Boxes.CanvasSize[0] = 5 }), torch.ErrShape},
			"nothing":   {crop, tv.Sample{}, torch.ErrValue},
			"small":     {tv.NewRandomCrop(5), full, torch.ErrValue},
			"no pixels": {tv.NewResize(5), tv.Sample{Image: zeros(torch.Uint8, 3, 0, 4)}, torch.ErrShape},
			"tiny":      {tv.NewScaleJitter(1, tv.ScaleRange(0, 0)), full, torch.ErrValue},
			"huge":      {tv.NewResize([]int64{1 << 40, 1 << 40}), full, torch.ErrValue},
			"no boxes":  {tv.NewRandomIoUCrop(), tv.Sample{Image: full.Image}, torch.ErrValue},
			"none":      {sanitize, tv.Sample{Image: full.Image}, torch.ErrValue},
			"labels":    {sanitize, with(func(s *tv.Sample) { s.Labels = zeros(torch.Int64, 3) }), torch.ErrShape},
			"no extra":  {tv.NewSanitizeBoundingBoxes(tv.LabelsGetter{"x"}), full, torch.ErrValue},
			"no points": {tv.NewSanitizeKeyPoints(tv.LabelsGetter{"x"}), full, torch.ErrValue},
			"reflected": {tv.NewPad(1, tv.PaddingModeReflect), full, torch.ErrValue},
			"mask colors": {
				tv.NewPad(1, tv.Fills{1, 2}),
				tv.Sample{Mask: tv.Mask{Tensor: zeros(torch.Uint8, 2, 2)}},
				torch.ErrValue,
			},
			"removed": {tv.NewPad(-3), full, torch.ErrValue},
			"nil":     {(*tv.Pad)(nil), full, torch.ErrNil},
		} {
			before := torch.NumLiveTensors()
			err := torch.Try(func() { c.f.Forward(c.s) })
			require.ErrorIs(t, err, c.kind, name)
			assert.Equal(t, before, torch.NumLiveTensors(), name)
		}
	})
}

// Invalid settings cause errors of the right kind.
func TestInvalidSettings(t *testing.T) {
	for name, c := range map[string]struct {
		make func()
		kind error
	}{
		"p":          {func() { tv.NewRandomHorizontalFlip(tv.P(2)) }, torch.ErrValue},
		"size":       {func() { tv.NewResize(0) }, torch.ErrValue},
		"type":       {func() { tv.NewResize("x") }, torch.ErrType},
		"both":       {func() { tv.NewResize([]int{1, 2}, tv.MaxSize(3)) }, torch.ErrValue},
		"range":      {func() { tv.NewRandomResize(5, 5) }, torch.ErrValue},
		"empty":      {func() { tv.NewRandomShortestSize([]int{}) }, torch.ErrValue},
		"word":       {func() { tv.NewRandomShortestSize("x") }, torch.ErrType},
		"three":      {func() { tv.NewCenterCrop([]int{1, 2, 3}) }, torch.ErrValue},
		"float":      {func() { tv.NewScaleJitter(1.5) }, torch.ErrType},
		"paddings":   {func() { tv.NewRandomCrop(3, tv.Paddings{1, 2, 3}) }, torch.ErrValue},
		"padding":    {func() { tv.NewPad([]int{1, 2, 3}) }, torch.ErrValue},
		"ratio":      {func() { tv.NewRandomResizedCrop(3, tv.Ratio(2, 1)) }, torch.ErrValue},
		"scales":     {func() { tv.NewRandomIoUCrop(tv.MaxScale(2)) }, torch.ErrValue},
		"sides":      {func() { tv.NewRandomZoomOut(tv.SideRange(0.5, 2)) }, torch.ErrValue},
		"transforms": {func() { tv.NewCompose() }, torch.ErrValue},
		"nil":        {func() { tv.NewCompose((*tv.Pad)(nil)) }, torch.ErrNil},
		"no image":   {func() { tv.NewImageOnly(nil) }, torch.ErrNil},
		"format":     {func() { tv.NewConvertBoundingBoxFormat("xyxy") }, torch.ErrValue},
		"clamping":   {func() { tv.NewClampBoundingBoxes("x") }, torch.ErrValue},
		"no mode":    {func() { tv.NewSetClampingMode("") }, torch.ErrValue},
		"transform":  {func() { (*tv.Compose)(nil).Transforms() }, torch.ErrNil},
	} {
		require.ErrorIs(t, torch.Try(c.make), c.kind, name)
	}
}

// Calling a nil transform causes an error that names the transform.
func TestNilTransforms(t *testing.T) {
	all := list()
	all["ImageOnly"] = tv.NewImageOnly(images.NewIdentity())
	all["ClampBoundingBoxes"], all["SetClampingMode"] = tv.NewClampBoundingBoxes(), tv.NewSetClampingMode("soft")
	all["SanitizeBoundingBoxes"], all["SanitizeKeyPoints"] = tv.NewSanitizeBoundingBoxes(), tv.NewSanitizeKeyPoints()
	for _, f := range all {
		none := reflect.Zero(reflect.TypeOf(f)).Interface().(tv.Transform)
		name := strings.TrimPrefix(fmt.Sprintf("%T", f), "*transforms.")
		err := torch.Try(func() { none.Forward(tv.Sample{}) })
		require.ErrorIs(t, err, torch.ErrNil, name)
		assert.ErrorContains(t, err, "transforms."+name+".Forward", name)
		assert.Equal(t, name+"(nil)", none.(fmt.Stringer).String())
	}
}

// FuzzSizes checks that, for any sizes, a transform returns a sample or panics with an error.
func FuzzSizes(f *testing.F) {
	f.Add(uint8(4), uint8(5), int64(3), int64(2), int64(1), int64(-1), 0.5)
	f.Add(uint8(1), uint8(1), int64(-3), int64(1)<<62, int64(0), int64(7), math.Inf(1))
	f.Fuzz(func(t *testing.T, h, w uint8, a, b, c, d int64, v float64) {
		defer torchtest.CheckLeaks(t)()
		a, b, c, d = a%600, b%600, c%600, d%600
		torch.Scope(func() {
			size := [2]int64{int64(h % 16), int64(w % 16)}
			s := tv.Sample{
				Image: torch.Ones(torch.Shape{1, size[0], size[1]}, torch.Uint8),
				Mask:  tv.Mask{Tensor: torch.Ones(torch.Shape{2, size[0], size[1]}, torch.Bool)},
				Boxes: tv.BoundingBoxes{
					Tensor: torch.FromSlice([]float64{float64(a), float64(b), float64(c), v, v, 0, float64(d), 3},
						2, 4),
					CanvasSize: size,
				},
				KeyPoints: tv.KeyPoints{Tensor: torch.FromSlice([]float64{v, float64(a)}, 1, 2), CanvasSize: size},
			}
			for name, make := range map[string]func() tv.Transform{
				"resize":   func() tv.Transform { return tv.NewResize([]int64{a, b}) },
				"short":    func() tv.Transform { return tv.NewResize(a, tv.MaxSize(b)) },
				"shortest": func() tv.Transform { return tv.NewRandomShortestSize([]int64{a, b}, tv.MaxSize(c)) },
				"jitter": func() tv.Transform {
					return tv.NewScaleJitter([]int64{a, b}, tv.ScaleRange(0, min(v, 4)))
				},
				"center": func() tv.Transform { return tv.NewCenterCrop([]int64{a, b}) },
				"crop": func() tv.Transform {
					return tv.NewRandomCrop([]int64{a, b}, tv.Paddings{c, d}, tv.PadIfNeeded(a%2 == 0))
				},
				"part": func() tv.Transform {
					return tv.NewRandomResizedCrop([]int64{a, b}, tv.Scale(0.1, max(v, 0.2)))
				},
				"iou":  func() tv.Transform { return tv.NewRandomIoUCrop(tv.MinScale(v), tv.Trials(3)) },
				"zoom": func() tv.Transform { return tv.NewRandomZoomOut(tv.SideRange(1, min(v, 10)), tv.P(1)) },
				"pad":  func() tv.Transform { return tv.NewPad([]int64{a, b, c, d}) },
				"boxes": func() tv.Transform {
					return tv.NewCompose(tv.NewClampBoundingBoxes(),
						tv.NewConvertBoundingBoxFormat(tv.BoundingBoxFormatCXCYWH), tv.NewSanitizeBoundingBoxes())
				},
			} {
				if err := torch.Try(func() { make().Forward(s) }); err != nil {
					var e *torch.Error
					require.ErrorAs(t, err, &e, name)
				}
			}
		})
	})
}

// Passing an option that a constructor does not have is a compile error.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{"github.com/gotorch/gotorch/vision/transforms"}}
	s.Accepts(t, "transforms.NewRandomZoomOut(transforms.P(1), transforms.Fill(2))")
	s.Rejects(t, "transforms.NewRandomHorizontalFlip(transforms.Fill(1))",
		"transforms.NewRandomIoUCrop(transforms.P(1))", "transforms.NewPad(1, transforms.Padding(2))",
		"transforms.NewRandomResize(1, 2, transforms.MaxSize(3))")
}
