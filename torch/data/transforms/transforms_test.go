package transforms_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torchtest"
)

type T = *torch.Tensor

// ToTensor converts bytes to numbers from 0 to 1. The result is contiguous, whatever the
// memory format of the image.
func TestToTensor(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]uint8{0, 51, 102, 153, 204, 255}, 1, 2, 3).Permute(2, 0, 1)
		f := transforms.NewToTensor()
		before := torch.NumLiveTensors()
		y := f.Forward(x)
		assert.Equal(t, before+1, torch.NumLiveTensors())
		assert.Equal(t, torch.Shape{3, 1, 2}, y.Shape())
		assert.True(t, y.IsContiguous())
		assert.InDeltaSlice(t, []float64{0, 0.6, 0.2, 0.8, 0.4, 1}, y.Double().Float64s(), 1e-7)
		z := f.Forward(y)
		assert.True(t, z.SharesStorage(y), "floating-point numbers stay unchanged")
		assert.Equal(t, "ToTensor()", f.String())
	})
}

// Compose frees each intermediate result immediately, unless a user-defined transform
// keeps it or returns it unchanged.
func TestCompose(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, kept := torch.Rand(torch.Shape{3, 6, 6}), torch.Rand(torch.Shape{3, 4, 4})
		var seen []*torch.Tensor
		look := transforms.NewLambda(func(x T) T { seen = append(seen, x); return x })
		c := transforms.NewCompose(look, transforms.NewCenterCrop(4), look, transforms.NewLambda(func(T) T {
			return kept
		}), look, transforms.NewRandomInvert(transforms.P(1)))
		before := torch.NumLiveTensors()
		y := c.Forward(x)
		assert.Equal(t, before+1, torch.NumLiveTensors())
		assert.False(t, x.IsClosed())
		assert.True(t, seen[1].IsClosed())
		assert.False(t, kept.IsClosed())
		assert.True(t, y.Equal(kept.RSubScalar(1)))
		assert.Len(t, c.Transforms(), 6)
		assert.Same(t, x, transforms.NewCompose(look).Forward(x))
		nested := transforms.NewCompose(transforms.NewCompose(transforms.NewIdentity(), look),
			transforms.NewLambda(func(x T) T {
				return x.MulScalar(2).AddScalar(1)
			}))
		assert.Equal(t, "Compose(\n      Compose(\n        Identity()\n        Lambda()\n  )\n      Lambda()\n)",
			nested.String())
		before = torch.NumLiveTensors()
		assert.PanicsWithValue(t, "no", func() {
			transforms.NewCompose(transforms.NewCenterCrop(3),
				transforms.NewLambda(func(T) T { panic("no") })).Forward(x)
		})
		assert.Equal(t, before, torch.NumLiveTensors())
	})
}

// Whichever random numbers a transform draws, its result is a new tensor.
func TestResultsAreOfTheirOwn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, f := range list() {
		torch.Scope(func() {
			for seed := range uint64(6) {
				x := torch.Rand(torch.Shape{3, 9, 9})
				torch.ManualSeed(seed)
				y := f.Forward(x)
				if name == "RandomErasing/random" {
					continue // works in place
				}
				require.NotSame(t, x, y, name)
				_ = x.Close()
				assert.False(t, y.IsClosed(), name)
				_ = y.Sum().Item()
			}
		})
	}
}

// Every transform refuses a tensor that is not an image. The error names the transform, and
// no tensors are left behind.
func TestNoImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		flat, letters := torch.Ones(torch.Shape{4}), torch.Ones(torch.Shape{3, 9, 9}, torch.Bool)
		closed := torch.Ones(torch.Shape{3, 4, 4})
		_ = closed.Close()
		matrix, mean := torch.Ones(torch.Shape{3, 3}), torch.Ones(torch.Shape{3})
		all := list()
		all["LinearTransformation"] = transforms.NewLinearTransformation(matrix, mean)
		all["ToTensor"] = transforms.NewToTensor()
		before := torch.NumLiveTensors()
		for name, f := range all {
			err := torch.Try(func() { f.Forward(nil) })
			assert.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorIs(t, torch.Try(func() { f.Forward(closed) }), torch.ErrClosed, name)
			switch name {
			case "Identity", "RandomApply", "RandomChoice", "RandomChoice/p", "RandomOrder":
				continue // these transforms accept any tensor
			}
			if name != "ToDType" && name != "ConvertImageDType" { // accept any shape
				assert.ErrorIs(t, torch.Try(func() { f.Forward(flat) }), torch.ErrShape, name)
			}
			assert.ErrorIs(t, torch.Try(func() { f.Forward(letters) }), torch.ErrDType, name)
		}
		assert.Equal(t, before, torch.NumLiveTensors())
	})
}

// Invalid arguments are errors.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, labels := torch.Rand(torch.Shape{3, 4, 5}), torch.Arange(2)
		batch := torch.Rand(torch.Shape{2, 3, 4, 5})
		up := transforms.NewMixUp(transforms.NumClasses(2))
		nan := math.NaN()
		for text, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"NewCompose: argument transforms: an empty list": {torch.ErrValue, func() {
				transforms.NewCompose()
			}},
			"NewCompose: argument transforms: number 1 is nil": {torch.ErrNil, func() {
				transforms.NewCompose(transforms.NewIdentity(), nil)
			}},
			"NewRandomApply: argument transforms: an empty list": {torch.ErrValue, func() {
				transforms.NewRandomApply(nil)
			}},
			"NewRandomChoice: argument transforms: an empty list": {torch.ErrValue, func() {
				transforms.NewRandomChoice(nil)
			}},
			"NewRandomOrder: argument transforms: an empty list": {torch.ErrValue, func() {
				transforms.NewRandomOrder()
			}},
			"NewLambda: argument lambd": {torch.ErrNil, func() {
				transforms.NewLambda(nil)
			}},
			"NewResize: argument size: expected positive numbers": {torch.ErrValue, func() {
				transforms.NewResize(-4)
			}},
			"NewResize: argument size: must not be nil without a MaxSize": {torch.ErrValue, func() {
				transforms.NewResize(nil)
			}},
			"NewResize: argument size: expected an int or a slice of ints": {torch.ErrType, func() {
				transforms.NewResize(2.5)
			}},
			"NewResize: argument MaxSize: can only be combined with a size of one number": {torch.ErrValue, func() {
				transforms.NewResize([]int{1, 2}, transforms.MaxSize(4))
			}},
			"NewCenterCrop: argument size: expected positive numbers": {torch.ErrValue, func() {
				transforms.NewCenterCrop(0)
			}},
			"NewRandomCrop: argument size: expected a list of length 1 or 2": {torch.ErrValue, func() {
				transforms.NewRandomCrop([]int{})
			}},
			"a crop of 6 x 6 is larger than the image of 4 x 5": {torch.ErrValue, func() {
				transforms.NewRandomCrop(6).Forward(x)
			}},
			"a crop of 9 x 9 is larger than the padded image of 6 x 7": {torch.ErrValue, func() {
				transforms.NewRandomCrop(9, transforms.Padding(1)).Forward(x)
			}},
			"imageops.FiveCrop: argument size: a crop of 5 x 5 is larger": {torch.ErrValue, func() {
				transforms.NewFiveCrop(5).Forward(x)
			}},
			"NewRandomRotation: argument degrees: a single number must not be neg": {torch.ErrValue, func() {
				transforms.NewRandomRotation(-1)
			}},
			"argument degrees: expected (smallest, largest), got (20, 10)": {torch.ErrValue, func() {
				transforms.NewRandomRotation([]float64{20, 10})
			}},
			"argument degrees: expected a float64 or an []float64, got string": {torch.ErrType, func() {
				transforms.NewRandomAffine("1")
			}},
			"argument degrees: a single number must not be negative, got NaN": {torch.ErrValue, func() {
				transforms.NewRandomAffine(nan)
			}},
			"RandomPerspective: argument image: expected pixels, got an image of": {torch.ErrShape, func() {
				transforms.NewRandomPerspective().Forward(torch.Ones(torch.Shape{3, 0, 2}))
			}},
			"NewRandomPosterize: argument bits: expected a number from 0 to 8": {torch.ErrValue, func() {
				transforms.NewRandomPosterize(9)
			}},
			"NewRandomSolarize: argument threshold: expected a number, got NaN": {torch.ErrValue, func() {
				transforms.NewRandomSolarize(nan)
			}},
			"NewRandomAdjustSharpness: argument sharpnessFactor: expected 0 or more, got -1": {torch.ErrValue, func() {
				transforms.NewRandomAdjustSharpness(-1)
			}},
			"NewGaussianBlur: argument kernelSize: expected odd numbers, got 4": {torch.ErrValue, func() {
				transforms.NewGaussianBlur(4)
			}},
			"an image of 4 x 5 is too small for a kernel of 9 x 9": {torch.ErrShape, func() {
				transforms.NewGaussianBlur(9).Forward(x)
			}},
			"NewNormalize: argument mean: expected at least one mean": {torch.ErrValue, func() {
				transforms.NewNormalize(nil, []float64{1})
			}},
			"NewNormalize: argument std: expected numbers other than 0": {torch.ErrValue, func() {
				transforms.NewNormalize([]float64{1}, []float64{0})
			}},
			"mean: expected one number or 3, got 2": {torch.ErrValue, func() {
				transforms.NewNormalize([]float64{1, 2}, []float64{1, 2}).Forward(x)
			}},
			"argument Values: expected one number or 3, got 2": {torch.ErrValue, func() {
				transforms.NewRandomErasing(transforms.Values{1, 2}).Forward(x)
			}},
			"transformationMatrix: expected a square matrix, got (4, 5)": {torch.ErrShape, func() {
				transforms.NewLinearTransformation(x.Select(0, 0), labels)
			}},
			"meanVector: expected shape (60,), got (2,)": {torch.ErrShape, func() {
				transforms.NewLinearTransformation(torch.Ones(torch.Shape{60, 60}), labels)
			}},
			"meanVector: is int64, but the matrix is float32": {torch.ErrDType, func() {
				transforms.NewLinearTransformation(torch.Ones(torch.Shape{2, 2}), labels)
			}},
			"3 x 4 x 5 numbers do not fit a matrix of 2 x 2": {torch.ErrShape, func() {
				transforms.NewLinearTransformation(torch.Ones(torch.Shape{2, 2}), torch.Ones(torch.Shape{2})).Forward(x)
			}},
			"MixUp: argument images: expected (N, C, H, W), got (3, 4, 5)": {torch.ErrShape, func() {
				up.Forward(x, labels)
			}},
			"MixUp: argument labels: expected a label for each image, got 3 labels for 2 images": {
				torch.ErrShape,
				func() {
					up.Forward(batch, torch.Arange(3))
				},
			},
			"MixUp: argument labels: expected (N) or (N, classes), got (2, 1, 1)": {torch.ErrShape, func() {
				up.Forward(batch, labels.View(2, 1, 1))
			}},
			"MixUp: argument NumClasses: is required for labels that are indices": {torch.ErrValue, func() {
				transforms.NewMixUp().Forward(batch, labels)
			}},
			"MixUp: argument NumClasses: is 2, but the labels have 5": {torch.ErrValue, func() {
				up.Forward(batch, torch.Rand(torch.Shape{2, 5}))
			}},
			"MixUp: argument images: expected floating-point numbers, got uint8": {torch.ErrDType, func() {
				up.Forward(batch.Byte(), labels)
			}},
			"MixUp: argument labels": {torch.ErrNil, func() { up.Forward(batch, nil) }},
			"CutMix: argument images: expected pixels": {torch.ErrShape, func() {
				transforms.NewCutMix(transforms.NumClasses(2)).Forward(torch.Ones(torch.Shape{2, 1, 0, 3}), labels)
			}},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, text)
			assert.ErrorContains(t, err, text)
		}
	})
}

// Flips, rotations and similar functions have their mathematical properties, for example
// that two flips cancel out.
func TestProperties(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(3)
	for range 30 {
		torch.Scope(func() {
			h, w := torch.RandInt(1, 12, torch.Shape{1}).ItemInt(), torch.RandInt(1, 12, torch.Shape{1}).ItemInt()
			x := torch.Rand(torch.Shape{3, h, w})
			flip, upside := transforms.NewRandomHorizontalFlip(transforms.P(1)),
				transforms.NewRandomVerticalFlip(transforms.P(1))
			assert.True(t, x.Equal(flip.Forward(flip.Forward(x))), "flipped twice")
			assert.True(t, x.Equal(upside.Forward(upside.Forward(x))))
			assert.True(t, imageops.Rotate(x, 180).Equal(flip.Forward(upside.Forward(x))))
			assert.True(t,
				x.Equal(imageops.Rotate(imageops.Rotate(x, 90, imageops.Expand(true)), 270, imageops.Expand(true))))
			assert.True(t, x.Equal(transforms.NewCenterCrop([]int64{h, w}).Forward(transforms.NewPad(3).Forward(x))),
				"padded and cropped")
			assert.True(t, x.Equal(imageops.Crop(imageops.Pad(x, []int64{1, 2, 3, 4}), 2, 1, h, w)))
			assert.True(t, x.Equal(imageops.Pad(imageops.Pad(x, []int64{1, 2, 3, 4}), []int64{-1, -2, -3, -4})))
			torchtest.AllClose(t, x, imageops.Invert(imageops.Invert(x)), torchtest.Rounding(4, torch.Float32))
			torchtest.AllClose(t, x, imageops.AdjustBrightness(x, 1), torchtest.Rounding(4, torch.Float32))
			torchtest.AllClose(t, x, imageops.Affine(x, 0, []float64{0, 0}, 1, []float64{0}),
				torchtest.Rounding(64, torch.Float32))
			assert.Equal(t, torch.Shape{3, 5, 7}, transforms.NewRandomResizedCrop([]int{5, 7}).Forward(x).Shape())
			bytes := imageops.ConvertImageDType(x, torch.Uint8)
			assert.True(t,
				bytes.Equal(imageops.ConvertImageDType(imageops.ConvertImageDType(bytes, torch.Float32), torch.Uint8)),
				"bytes come back")
		})
	}
}

// FuzzSizes checks that, for any sizes, a function returns an image or panics with an
// error.
func FuzzSizes(f *testing.F) {
	f.Add(uint8(4), uint8(5), int64(3), int64(2), int64(1), int64(-1))
	f.Add(uint8(1), uint8(1), int64(-3), int64(1)<<62, int64(0), int64(7))
	f.Fuzz(func(t *testing.T, h, w uint8, a, b, c, d int64) {
		defer torchtest.CheckLeaks(t)()
		// small changes n to a size that fits in memory, unless n is far too large for any
		// machine
		small := func(n int64) int64 {
			if n > 1<<12 && n < 1<<50 {
				return n % (1 << 12)
			}
			return n
		}
		a, b, c, d = small(a), small(b), small(c), small(d)
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{1, int64(h % 16), int64(w % 16)}, torch.Uint8)
			for name, fn := range map[string]func() *torch.Tensor{
				"resize": func() T { return imageops.Resize(x, []int64{a % 600, b % 600}) },
				"short":  func() T { return imageops.Resize(x, a%600, imageops.MaxSize(b)) },
				"crop":   func() T { return imageops.Crop(x, a, b, c%4096, d%4096) },
				"center": func() T { return imageops.CenterCrop(x, []int64{a % 4096, b % 4096}) },
				"part":   func() T { return imageops.ResizedCrop(x, a, b, c%600, d%600, []int64{a % 600, b % 600}) },
				"pad":    func() T { return imageops.Pad(x, []int64{a % 2048, b % 2048, c % 2048, d % 2048}) },
				"mirror": func() T { return imageops.Pad(x, []int64{a, b, c, d}, imageops.PaddingModeSymmetric) },
				"erase":  func() T { return imageops.Erase(x, a, b, c, d, torch.Ones(torch.Shape{1})) },
				"blur":   func() T { return imageops.GaussianBlur(x, []int64{a, b}) },
				"large":  func() T { return imageops.CenterCrop(x, []int64{max(a, 1<<50), b}) },
			} {
				if err := torch.Try(func() { fn() }); err != nil {
					var e *torch.Error
					require.ErrorAs(t, err, &e, name)
				}
			}
		})
	})
}

// Any number of goroutines may use the same Compose.
func TestGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := transforms.NewCompose(transforms.NewRandomResizedCrop(8), transforms.NewRandomHorizontalFlip(),
		transforms.NewColorJitter(transforms.Hue(0.1)),
		transforms.NewAutoAugment(), transforms.NewToTensor(), transforms.NewNormalize([]float64{0.5}, []float64{0.5}))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				torch.Scope(func() {
					y := c.Forward(torch.RandInt(0, 256, torch.Shape{3, 12, 12}, torch.Uint8))
					assert.Equal(t, torch.Shape{3, 8, 8}, y.Shape())
				})
			}
		})
	}
	all.Wait()
}

func ExampleCompose() {
	torch.ManualSeed(1)
	train := transforms.NewCompose(
		transforms.NewRandomResizedCrop(4, transforms.Scale(0.5, 1)),
		transforms.NewRandomHorizontalFlip(),
		transforms.NewToTensor(),
		transforms.NewNormalize([]float64{0.5}, []float64{0.25}),
	)
	image := torch.Full(torch.Shape{1, 6, 6}, 255, torch.Uint8) // all white
	defer image.Close()
	x := train.Forward(image)
	defer x.Close()
	fmt.Println(train)
	fmt.Println(x.Shape(), x.Max().Item())
	// Output:
	// Compose(
	//       RandomResizedCrop(size=(4, 4), scale=(0.5, 1.0), ratio=(0.75, 1.3333333333333333), interpolation=InterpolationMode.BILINEAR, antialias=True)
	//       RandomHorizontalFlip(p=0.5)
	//       ToTensor()
	//       Normalize(mean=[0.5], std=[0.25], inplace=False)
	// )
	// (1, 4, 4) 2
}
