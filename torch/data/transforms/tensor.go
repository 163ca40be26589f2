package transforms

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// ToTensor converts bytes to numbers from 0 to 1. In Python, ToTensor also converts a
// Pillow image to a tensor. Here it is not needed for that, because the datasets of package
// data return tensors. Use imageops.ToTensor for an image of package image. Follows
// torchvision.transforms.ToTensor.
type ToTensor struct{}

// NewToTensor returns a ToTensor.
func NewToTensor() *ToTensor { return new(ToTensor) }

// Forward returns x divided by 255 in the default dtype if x has bytes. Otherwise it
// returns a new tensor that shares the memory of x. The result is contiguous.
func (*ToTensor) Forward(x *torch.Tensor) *torch.Tensor {
	opt.Sizes("transforms.ToTensor(image)", x)
	if x.DType() != torch.Uint8 {
		if x.IsContiguous() {
			return same(x)
		}
		return x.Contiguous()
	}
	return torch.Tidy(func() *torch.Tensor {
		return x.Contiguous().To(torch.DefaultDType()).DivScalar_(255)
	})
}

// String returns "ToTensor()".
func (*ToTensor) String() string { return "ToTensor()" }

// ToDType converts images to a dtype. Follows torchvision.transforms.v2.ToDtype.
type ToDType struct {
	dtype torch.DType
	scale bool
}

// NewToDType returns a ToDType. With [WithScale] it maps the range of the image's dtype to
// the range of dtype.
func NewToDType(dtype torch.DType, opts ...ToDTypeOption) *ToDType {
	const op = "transforms.NewToDType"
	return &ToDType{dtype: dtype, scale: bool(common.Read(op, opts, WithScale(false)))}
}

// Forward returns imageops.ToDType of x.
func (t *ToDType) Forward(x *torch.Tensor) *torch.Tensor {
	there(t != nil, "ToDType", "Forward")
	return imageops.ToDType(x, t.dtype, WithScale(t.scale))
}

// String returns the settings as Python prints them.
func (t *ToDType) String() string {
	if t == nil {
		return "ToDType(nil)"
	}
	return repr("ToDtype", "scale="+pyBool(t.scale))
}

// ConvertImageDType converts images, and maps the range of their dtype to the range of the new
// dtype. Follows torchvision.transforms.ConvertImageDtype.
type ConvertImageDType struct{ dtype torch.DType }

// NewConvertImageDType returns a ConvertImageDType.
func NewConvertImageDType(dtype torch.DType) *ConvertImageDType { return &ConvertImageDType{dtype} }

// Forward returns imageops.ConvertImageDType of x.
func (t *ConvertImageDType) Forward(x *torch.Tensor) *torch.Tensor {
	there(t != nil, "ConvertImageDType", "Forward")
	return imageops.ConvertImageDType(x, t.dtype)
}

// String returns "ConvertImageDtype()".
func (*ConvertImageDType) String() string { return "ConvertImageDtype()" }

// Normalize returns (image - mean) / std for each channel.
// Follows torchvision.transforms.Normalize.
type Normalize struct {
	mean, std []float64
	inplace   bool
}

// NewNormalize returns a Normalize. mean and std have one number per channel, or one for
// all channels. It panics with ErrValue for an empty list and for a std of 0.
func NewNormalize(mean, std []float64, opts ...InplaceOption) *Normalize {
	const op = "transforms.NewNormalize"
	n := &Normalize{
		mean: append([]float64(nil), mean...), std: append([]float64(nil), std...),
		inplace: bool(common.Read(op, opts, Inplace(false))),
	}
	if len(mean) == 0 || len(std) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "mean", "expected at least one mean and one deviation"))
	}
	for _, s := range std {
		if s == 0 {
			panic(torch.NewError(op, torch.ErrValue, "std", "expected numbers other than 0"))
		}
	}
	return n
}

// Forward returns imageops.Normalize of x: a new tensor or, with [Inplace], x itself.
func (n *Normalize) Forward(x *torch.Tensor) *torch.Tensor {
	there(n != nil, "Normalize", "Forward")
	return imageops.Normalize(x, n.mean, n.std, Inplace(n.inplace))
}

// String returns the settings as Python prints them.
func (n *Normalize) String() string {
	if n == nil {
		return "Normalize(nil)"
	}
	return repr("Normalize", "mean=["+pyFloats(n.mean...)+"]", "std=["+pyFloats(n.std...)+"]",
		"inplace="+pyBool(n.inplace))
}

// RandomErasing erases a random part of images, or leaves them unchanged. Follows
// torchvision.transforms.RandomErasing.
type RandomErasing struct {
	p            float64
	scale, ratio [2]float64
	logs         [2]float64
	value        []float64 // empty for noise
	inplace      bool
}

// NewRandomErasing returns a RandomErasing, which erases a part with probability [P], 0.5
// by default. [Scale] is the range of the part's area, by default 0.02 to 0.33 times the
// image's area. [Ratio] is the range of the part's height divided by its width, by default
// 0.3 to 3.3. The part's pixels become the [Value], 0 by default, or noise with
// ValueRandom. With [Inplace] the image itself is changed. It panics with ErrValue for an
// invalid P, for invalid ranges, for a Scale outside 0 to 1 and for a Ratio that is not
// positive. It panics with ErrValue for an unknown [ValueWord] and for an empty list of
// [Values].
func NewRandomErasing(opts ...ErasingOption) *RandomErasing {
	const op = "transforms.NewRandomErasing"
	e := &RandomErasing{p: 0.5, scale: [2]float64{0.02, 0.33}, ratio: [2]float64{0.3, 3.3}, value: []float64{0}}
	for _, o := range opts {
		switch o := o.(type) {
		case P:
			e.p = float64(o)
		case ScaleOption:
			e.scale = [2]float64{o.Min, o.Max}
		case RatioOption:
			e.ratio = [2]float64{o.Min, o.Max}
		case Value:
			e.value = []float64{float64(o)}
		case Values:
			e.value = append([]float64(nil), o...)
			if len(e.value) == 0 {
				panic(torch.NewError(op, torch.ErrValue, "Values", "an empty list"))
			}
		case ValueWord:
			if o != ValueRandom {
				panic(torch.NewError(op, torch.ErrValue, "ValueWord",
					fmt.Sprintf("expected random, got %q", string(o))))
			}
			e.value = nil
		case Inplace:
			e.inplace = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	checkP(op, e.p)
	checkRange(op, "Scale", e.scale[0], e.scale[1], 0, 1)
	mustBeRatio(op, e.ratio)
	e.logs = logarithms(e.ratio[0], e.ratio[1])
	return e
}

// Forward returns x with a random part erased, as by imageops.Erase, or a view of x. It
// tries ten random parts, and also returns a view if none of them fits into x. It panics
// with ErrValue if [Values] has neither one number nor one per channel.
func (e *RandomErasing) Forward(x *torch.Tensor) *torch.Tensor {
	there(e != nil, "RandomErasing", "Forward")
	const op = "transforms.RandomErasing(image)"
	c, height, width := opt.Sizes(op, x)
	if n := int64(len(e.value)); n > 1 && n != c {
		panic(torch.NewError(op, torch.ErrValue, "Values", fmt.Sprintf("expected one number or %d, got %d", c, n)))
	}
	if !happens(e.p) {
		return same(x)
	}
	area := float64(height * width)
	for range 10 {
		part := area * uniform(e.scale[0], e.scale[1])
		ratio := aspect(e.logs)
		h, w := round(math.Sqrt(part*ratio)), round(math.Sqrt(part/ratio))
		if h >= height || w >= width {
			continue
		}
		return torch.Tidy(func() *torch.Tensor {
			v := e.filling(c, h, w)
			i := integer(0, height-h+1)
			return imageops.Erase(x, i, integer(0, width-w+1), h, w, v, Inplace(e.inplace))
		})
	}
	return same(x)
}

// filling returns the values for an erased region with c channels and h x w pixels.
func (e *RandomErasing) filling(c, h, w int64) *torch.Tensor {
	if e.value == nil {
		return torch.Empty(torch.Shape{c, h, w}, torch.Float32).Normal_(0, 1)
	}
	return torch.FromSliceWith(e.value, torch.Shape{int64(len(e.value)), 1, 1}, torch.DefaultDType())
}

// String returns the settings as Python prints them.
func (e *RandomErasing) String() string {
	if e == nil {
		return "RandomErasing(nil)"
	}
	value := ""
	if e.value != nil {
		value = "value=[" + pyFloats(e.value...) + "]"
	}
	return repr("RandomErasing", pyP(e.p), "scale=("+pyFloats(e.scale[:]...)+")", "ratio=("+pyFloats(e.ratio[:]...)+")",
		value, "inplace="+pyBool(e.inplace))
}

// LinearTransformation flattens images, subtracts a vector and multiplies by a matrix,
// for example for whitening. Follows torchvision.transforms.LinearTransformation.
type LinearTransformation struct{ matrix, mean *torch.Tensor }

// NewLinearTransformation returns a LinearTransformation with a matrix (D, D) and a vector
// (D), where D is C*H*W. The caller still owns the tensors and must keep them open. It
// panics with ErrNil or ErrClosed for a nil or closed tensor, with ErrShape for other
// shapes, and with ErrDevice or ErrDType if the devices or dtypes of the two differ.
func NewLinearTransformation(transformationMatrix, meanVector *torch.Tensor) *LinearTransformation {
	const op = "transforms.NewLinearTransformation(transformationMatrix, meanVector)"
	transformationMatrix.HandleFor(op, 0)
	meanVector.HandleFor(op, 1)
	m, v := transformationMatrix.Shape(), meanVector.Shape()
	switch {
	case len(m) != 2 || m[0] != m[1]:
		panic(torch.NewError(op, torch.ErrShape, "transformationMatrix",
			fmt.Sprintf("expected a square matrix, got %v", m)))
	case len(v) != 1 || v[0] != m[0]:
		panic(torch.NewError(op, torch.ErrShape, "meanVector", fmt.Sprintf("expected shape (%d,), got %v", m[0], v)))
	case transformationMatrix.Device() != meanVector.Device():
		panic(torch.NewError(op, torch.ErrDevice, "meanVector",
			fmt.Sprintf("is on %v, but the matrix is on %v", meanVector.Device(), transformationMatrix.Device())))
	case transformationMatrix.DType() != meanVector.DType():
		panic(torch.NewError(op, torch.ErrDType, "meanVector",
			fmt.Sprintf("is %v, but the matrix is %v", meanVector.DType(), transformationMatrix.DType())))
	}
	return &LinearTransformation{transformationMatrix, meanVector}
}

// Forward returns (x - mean) @ matrix in the shape of x, a new tensor. It panics with
// ErrShape for an image of a different size.
func (l *LinearTransformation) Forward(x *torch.Tensor) *torch.Tensor {
	there(l != nil, "LinearTransformation", "Forward")
	const op = "transforms.LinearTransformation(image)"
	c, h, w := opt.Sizes(op, x)
	n := c * h * w
	if d := l.mean.Size(0); n != d {
		panic(torch.NewError(op, torch.ErrShape, "image",
			fmt.Sprintf("%d x %d x %d numbers do not fit a matrix of %d x %d", c, h, w, d, d)))
	}
	return torch.Tidy(func() *torch.Tensor {
		flat := x.Reshape(-1, n).Sub(l.mean)
		return flat.Mm(l.matrix.To(flat.DType())).Reshape(x.Shape()...)
	})
}

// String returns "LinearTransformation()".
func (*LinearTransformation) String() string { return "LinearTransformation()" }

// GaussianBlur blurs images with a kernel of random width. Follows
// torchvision.transforms.GaussianBlur.
type GaussianBlur struct {
	x, y  int64
	sigma [2]float64
}

// NewGaussianBlur returns a GaussianBlur. kernelSize is an odd int, or []int{x, y}. The
// standard deviation is drawn from the [SigmaRange], 0.1 to 2 by default, or is the
// [Sigma]. It panics with ErrType for any other type of size, and with ErrValue for a
// size that is not odd and positive, for deviations that are not positive and for an
// invalid range.
func NewGaussianBlur(kernelSize any, opts ...BlurOption) *GaussianBlur {
	const op = "transforms.NewGaussianBlur"
	b := &GaussianBlur{sigma: [2]float64{0.1, 2}}
	arg := "SigmaRange"
	for _, o := range opts {
		switch o := o.(type) {
		case Sigma:
			arg, b.sigma = "Sigma", [2]float64{float64(o), float64(o)}
		case SigmaRange:
			arg, b.sigma = "SigmaRange", o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	b.x, b.y = opt.Pair(op, "kernelSize", kernelSize)
	if b.x%2 == 0 || b.y%2 == 0 {
		panic(torch.NewError(op, torch.ErrValue, "kernelSize",
			fmt.Sprintf("expected odd numbers, got %d and %d", b.x, b.y)))
	}
	checkRange(op, arg, b.sigma[0], b.sigma[1], math.SmallestNonzeroFloat32, infinity)
	return b
}

// Forward returns imageops.GaussianBlur of x.
func (b *GaussianBlur) Forward(x *torch.Tensor) *torch.Tensor {
	there(b != nil, "GaussianBlur", "Forward")
	opt.Sizes("transforms.GaussianBlur(image)", x)
	return imageops.GaussianBlur(x, []int64{b.x, b.y}, Sigma(uniform(b.sigma[0], b.sigma[1])))
}

// String returns the settings as Python prints them.
func (b *GaussianBlur) String() string {
	if b == nil {
		return "GaussianBlur(nil)"
	}
	return repr("GaussianBlur", "kernel_size=("+pyInts(b.x, b.y)+")", "sigma=["+pyFloats(b.sigma[:]...)+"]")
}

// GaussianNoise adds noise to images. Follows torchvision.transforms.v2.GaussianNoise.
type GaussianNoise struct {
	mean, sigma float64
	clip        bool
}

// NewGaussianNoise returns a GaussianNoise. The defaults are [Mean] 0 and [Sigma] 0.1,
// where 1 stands for the whole range of values. It panics with ErrValue for a negative
// deviation.
func NewGaussianNoise(opts ...NoiseOption) *GaussianNoise {
	const op = "transforms.NewGaussianNoise"
	mean, sigma, clip := common.Read3(op, opts, Mean(0), Sigma(0.1), Clip(true))
	if !(sigma >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "Sigma", fmt.Sprintf("expected 0 or more, got %v", sigma)))
	}
	return &GaussianNoise{float64(mean), float64(sigma), bool(clip)}
}

// Forward returns imageops.GaussianNoise of x.
func (g *GaussianNoise) Forward(x *torch.Tensor) *torch.Tensor {
	there(g != nil, "GaussianNoise", "Forward")
	return imageops.GaussianNoise(x, Mean(g.mean), Sigma(g.sigma), Clip(g.clip))
}

// String returns the settings as Python prints them.
func (g *GaussianNoise) String() string {
	if g == nil {
		return "GaussianNoise(nil)"
	}
	return repr("GaussianNoise", "mean="+pyFloats(g.mean), "sigma="+pyFloats(g.sigma), "clip="+pyBool(g.clip))
}
