package nninit

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// CalculateGain returns the factor by which weights before an activation should be scaled. slope is
// the slope of a leaky ReLU, for which PyTorch's default is 0.01; other activations ignore it. It
// panics with ErrValue for an unknown activation. Follows torch.nn.init.calculate_gain.
func CalculateGain(n Nonlinearity, slope float64) float64 {
	return calculateGain("CalculateGain", n, slope)
}

func calculateGain(op string, n Nonlinearity, slope float64) float64 {
	switch n {
	case NonlinearityLinear, NonlinearitySigmoid, NonlinearityConv1d, NonlinearityConv2d, NonlinearityConv3d,
		NonlinearityConvTranspose1d, NonlinearityConvTranspose2d, NonlinearityConvTranspose3d:
		return 1
	case NonlinearityTanh:
		return 5.0 / 3
	case NonlinearityReLU:
		return math.Sqrt(2)
	case NonlinearityLeakyReLU:
		// The conversion to float64 prevents a fused multiply-add, which would round differently
		// from Python.
		return math.Sqrt(2 / (1 + float64(slope*slope)))
	case NonlinearitySELU:
		return 3.0 / 4
	}
	panic(torch.NewError(op, torch.ErrValue, "nonlinearity", fmt.Sprintf("unknown activation %q", string(n))))
}

// kaiming holds the option values of the Kaiming functions.
type kaiming struct {
	gain   float64
	fanOut bool // the mode is fan_out
	g      *torch.Generator
}

func readKaiming(op string, opts []KaimingOption) kaiming {
	a, mode, n, g := opt.Read4(op, opts, A(0), ModeFanIn, NonlinearityLeakyReLU, GeneratorOption{})
	if mode != ModeFanIn && mode != ModeFanOut {
		panic(torch.NewError(op, torch.ErrValue, "Mode",
			fmt.Sprintf(`expected "fan_in" or "fan_out", got %q`, string(mode))))
	}
	return kaiming{gain: calculateGain(op, n, float64(a)), fanOut: mode == ModeFanOut, g: g.g}
}

func (k *kaiming) std(op string, t *torch.Tensor) float64 {
	fan, out := fans(op, t)
	if k.fanOut {
		fan = out
	}
	return k.gain / math.Sqrt(float64(fan))
}

// isEmpty reports whether t has no elements. If so, it warns as PyTorch does.
func isEmpty(op string, t *torch.Tensor) bool {
	if shapeOf(op, t, 0).Numel() != 0 {
		return false
	}
	cgotorch.Warn("Initializing zero-element tensors is a no-op")
	return true
}

// KaimingUniform_ draws from [-bound, bound) with bound = gain * sqrt(3/fan). A
// tensor without elements stays unchanged. It panics with ErrShape for fewer than two
// dimensions. Follows torch.nn.init.kaiming_uniform_.
func KaimingUniform_(t *torch.Tensor, opts ...KaimingOption) *torch.Tensor {
	const op = "KaimingUniform_(t)"
	k := readKaiming(op, opts)
	if isEmpty(op, t) {
		return t
	}
	bound := math.Sqrt(3) * k.std(op, t)
	return uniform(op, t, -bound, bound, k.g)
}

// KaimingNormal_ draws from a normal distribution with standard deviation gain /
// sqrt(fan). A tensor without elements stays unchanged. It panics with ErrShape for
// fewer than two dimensions. Follows torch.nn.init.kaiming_normal_.
func KaimingNormal_(t *torch.Tensor, opts ...KaimingOption) *torch.Tensor {
	const op = "KaimingNormal_(t)"
	k := readKaiming(op, opts)
	if isEmpty(op, t) {
		return t
	}
	return normal(op, t, 0, k.std(op, t), k.g)
}

// XavierUniform_ draws from [-bound, bound) with bound = gain * sqrt(6 / (in +
// out)). It panics with ErrShape for fewer than two dimensions.
// Follows torch.nn.init.xavier_uniform_.
func XavierUniform_(t *torch.Tensor, opts ...GainOption) *torch.Tensor {
	const op = "XavierUniform_(t)"
	f, g := readGain(op, opts)
	bound := math.Sqrt(3) * xavierStd(op, t, f)
	return uniform(op, t, -bound, bound, g)
}

// XavierNormal_ draws from a normal distribution of standard deviation gain *
// sqrt(2 / (in + out)). It panics with ErrShape for fewer than two dimensions.
// Follows torch.nn.init.xavier_normal_.
func XavierNormal_(t *torch.Tensor, opts ...GainOption) *torch.Tensor {
	const op = "XavierNormal_(t)"
	f, g := readGain(op, opts)
	return normal(op, t, 0, xavierStd(op, t, f), g)
}

func xavierStd(op string, t *torch.Tensor, gain float64) float64 {
	in, out := fans(op, t)
	return gain * math.Sqrt(2/float64(in+out))
}

// Orthogonal_ fills a matrix with gain times orthonormal rows or columns. A
// tensor of more dimensions is treated as a matrix of shape (size(0), rest). It
// panics with ErrShape for fewer than two dimensions.
// Follows torch.nn.init.orthogonal_.
func Orthogonal_(t *torch.Tensor, opts ...GainOption) *torch.Tensor {
	const op = "Orthogonal_(t)"
	f, g := readGain(op, opts)
	s := shapeOf(op, t, 2)
	if s.Numel() == 0 {
		return t
	}
	rows, cols := s[0], s.Numel()/s[0]
	torch.NoGrad(func() {
		torch.Scope(func() {
			draw := normal(op, torch.Empty(torch.Shape{rows, cols}, t.DType(), t.Device()), 0, 1, g)
			if rows < cols {
				draw = transpose(op, draw)
			}
			h := draw.HandleFor(op, 0)
			r := torch.BeginRaw(op, draw)
			qr, st := aten.LinalgQr(r.Ctx, h, "reduced")
			r.Status(st)
			q, upper := r.Wrap(qr[0]), r.Wrap(qr[1])
			// The QR decomposition does not determine the sign of each column of q.
			// Choose the signs that make the diagonal of upper positive: then q is
			// unique, and uniformly distributed.
			sign := apply(op, apply(op, upper, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diag(cx, h, 0) }),
				aten.Sign)
			signs := sign.HandleFor(op, 0)
			modify(op, q, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Mul_Tensor(cx, h, signs) }, sign)
			if rows < cols {
				q = transpose(op, q)
			}
			q = apply(op, q, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Reshape(cx, h, s) })
			from := q.HandleFor(op, 0)
			modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Copy_(cx, h, from, false) }, q)
			modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Mul_Scalar(cx, h, float(f)) })
		})
	})
	return t
}

func apply(op string, t *torch.Tensor, f func(cx abi.Ctx, h abi.Tensor) abi.Ret) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h))
}

// transpose returns a transposed view of t.
func transpose(op string, t *torch.Tensor) *torch.Tensor {
	return apply(op, t, aten.T)
}
