package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// LocalResponseNorm divides each element by a power of the mean square over
// neighboring channels. Follows torch.nn.LocalResponseNorm.
type LocalResponseNorm struct {
	Base
	Size           int64
	Alpha, Beta, K float64
}

// NewLocalResponseNorm makes a LocalResponseNorm over size channels. It panics with
// ErrValue unless size is positive. Follows torch.nn.LocalResponseNorm.
func NewLocalResponseNorm(size int64, opts ...LocalResponseNormOption) *LocalResponseNorm {
	l := new(LocalResponseNorm)
	r := newResponse(l, size, opts)
	l.Size, l.Alpha, l.Beta, l.K = r.size, r.alpha, r.beta, r.k
	return l
}

func (l *LocalResponseNorm) describe() string {
	return responseOptions{l.Size, l.Alpha, l.Beta, l.K}.describe(tensorfmt.PyFloat(l.K))
}

// Forward takes x of shape (N, C, *). It panics as F.LocalResponseNorm does.
func (l *LocalResponseNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.LocalResponseNorm(x, l.Size, F.Alpha(l.Alpha), F.Beta(l.Beta), F.K(l.K))
	})
}

// CrossMapLRN2d is LocalResponseNorm for images, as Caffe computes it.
// Follows torch.nn.CrossMapLRN2d.
type CrossMapLRN2d struct {
	Base
	Size           int64
	Alpha, Beta, K float64
}

// NewCrossMapLRN2d makes a CrossMapLRN2d over size channels. It panics with ErrValue
// unless size is positive. Follows torch.nn.CrossMapLRN2d.
func NewCrossMapLRN2d(size int64, opts ...LocalResponseNormOption) *CrossMapLRN2d {
	l := new(CrossMapLRN2d)
	r := newResponse(l, size, opts)
	l.Size, l.Alpha, l.Beta, l.K = r.size, r.alpha, r.beta, r.k
	return l
}

func (l *CrossMapLRN2d) describe() string {
	k := tensorfmt.PyFloat(l.K)
	if l.K == 1 {
		k = "1" // the default, an int in Python
	}
	return responseOptions{l.Size, l.Alpha, l.Beta, l.K}.describe(k)
}

// Forward takes x of shape (N, C, H, W). It panics with ErrShape for any other number
// of dimensions and with ErrDType for integers.
func (l *CrossMapLRN2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return responseOptions{l.Size, l.Alpha, l.Beta, l.K}.crossMap(x)
	})
}

// responseOptions holds the fields common to the local response normalizations.
type responseOptions struct {
	size           int64
	alpha, beta, k float64
}

// newResponse reads the options of l and initializes it.
func newResponse(l Module, size int64, opts []LocalResponseNormOption) responseOptions {
	op := "New" + goName(l)
	alpha, beta, k, as := opt.Read4(op, opts, Alpha(1e-4), Beta(0.75), K(1), Registration{})
	if size < 1 {
		panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected a positive number, got %d", size)))
	}
	l.ModuleBase().startLayer(l)
	as.register(l)
	return responseOptions{size: size, alpha: float64(alpha), beta: float64(beta), k: float64(k)}
}

func (r responseOptions) describe(k string) string {
	return fmt.Sprintf("%d, alpha=%s, beta=%s, k=%s", r.size, tensorfmt.PyFloat(r.alpha), tensorfmt.PyFloat(r.beta), k)
}

// crossMap sums the squares in a window over the channels. It rounds differently from
// F.LocalResponseNorm.
func (r responseOptions) crossMap(x *torch.Tensor) *torch.Tensor {
	const op = "CrossMapLRN2d(input)"
	x.HandleFor(op, 0)
	if x.Dim() != 4 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected 4 dimensions, got size %v", x.Shape())))
	}
	if d := x.DType(); !d.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "input", "expected floating point, got "+d.String()))
	}
	f := torch.Function{Name: "CrossMapLRN2d", Forward: r.forward, Backward: r.backward}
	return f.Apply(x)[0]
}

func (r responseOptions) forward(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
	x := in[0]
	square := x.PowScalar(2)
	scale := torch.Empty(x.Shape(), x.DType(), x.Device())
	before := int64(0)
	if x.Numel() > 0 {
		before = x.Size(1)
	}
	half := (r.size-1)/2 + 1
	for c := range before {
		torch.Scope(func() {
			sum := scale.Select(1, c)
			if c == 0 {
				sum.Zero_()
				for i := range min(half, before) {
					sum.Add_(square.Select(1, i))
				}
				return
			}
			sum.Copy_(scale.Select(1, c-1))
			if c < before-half+1 {
				sum.Add_(square.Select(1, c+half-1))
			}
			if c > half {
				sum.Sub_(square.Select(1, c-half))
			}
		})
	}
	_ = square.Close()
	scale.MulScalar_(r.alpha / float64(r.size)).AddScalar_(r.k)
	y := scale.PowScalar(-r.beta).Mul_(x)
	ctx.Save(x, y, scale)
	return []*torch.Tensor{y}
}

func (r responseOptions) backward(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
	saved, grad := ctx.Saved(), grads[0]
	x, y, scale := saved[0], saved[1], saved[2]
	s := x.Shape()
	out := scale.PowScalar(-r.beta).Mul_(grad)
	if x.Numel() == 0 {
		return []*torch.Tensor{out}
	}
	padded := torch.Zeros(torch.Shape{s[1] + r.size - 1, s[2], s[3]}, x.DType(), x.Device())
	center := padded.Narrow(0, r.size-r.size/2, s[1])
	factor := 2 * r.alpha * r.beta / float64(r.size)
	for n := range s[0] {
		torch.Scope(func() {
			center.Copy_(grad.Select(0, n)).Mul_(y.Select(0, n))
			center.Div_(scale.Select(0, n))
			sum := padded.Narrow(0, 0, r.size-1).Sum(torch.Dim(0))
			for c := range s[1] {
				torch.Scope(func() {
					sum.Add_(padded.Select(0, c+r.size-1))
					out.Select(0, n).Select(0, c).Addcmul_(x.Select(0, n).Select(0, c), sum, torch.Value(-factor))
					sum.Sub_(padded.Select(0, c))
				})
			}
		})
	}
	return []*torch.Tensor{out}
}
