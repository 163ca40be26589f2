package distributions

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A VonMises is a distribution of angles, in radians from -pi to pi. Follows
// torch.distributions.VonMises.
type VonMises struct {
	base
	loc, concentration *torch.Tensor
	variance           lazy
}

// NewVonMises returns the distribution around the angle loc. The larger the
// concentration, the nearer its samples are to loc. See [NewNormal] for ownership and
// panics; the concentration must be positive.
func NewVonMises(loc, concentration any, opts ...Option) *VonMises {
	d := &VonMises{}
	build(d, "VonMises", readOptions("distributions.NewVonMises", opts), func(b *base) {
		ts := b.broadcast([]string{"loc", "concentration"}, loc, concentration)
		d.loc, d.concentration = ts[0], ts[1]
		b.mark(d.loc)
		b.batch = d.loc.Shape()
	})
	return d
}

func (d *VonMises) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "concentration", value: d.concentration, constraint: constraints.Positive},
	}
}

// Loc returns the angle.
func (d *VonMises) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Concentration returns the concentration.
func (d *VonMises) Concentration() *torch.Tensor { opened(d, "Concentration"); return d.concentration }

// Support returns the real numbers.
func (d *VonMises) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// Mean returns loc, the circular mean.
func (d *VonMises) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.loc) })
}

// Mode returns loc.
func (d *VonMises) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns the circular variance.
func (d *VonMises) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		return alias(d.variance.of(&d.base, func() *torch.Tensor {
			return minus(1, logBessel(d.concentration, 1).Sub(logBessel(d.concentration, 0)).Exp())
		}))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *VonMises) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		p := d.concentration.Mul(value.Sub(d.loc).Cos())
		return minus(p, math.Log(2*math.Pi)).Sub(logBessel(d.concentration, 0))
	})
}

// Sample draws samples without gradients, by rejection sampling in Float64; see [Distribution].
func (d *VonMises) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		loc, kappa := d.loc.To(torch.Float64), d.concentration.To(torch.Float64)
		r := proposal(kappa)
		x := torch.Zeros(shape, torch.Float64, loc.Device())
		done := torch.Zeros(shape, torch.Bool, loc.Device())
		for !allOf(done) {
			next := torch.TidyAll(func() []*torch.Tensor {
				u := torch.Rand(slices.Concat(torch.Shape{3}, shape), torch.Float64, loc.Device()).Unbind()
				z := times(math.Pi, u[0]).Cos()
				f := plus(1, r.Mul(z)).Div(r.Add(z))
				c := kappa.Mul(r.Sub(f))
				accept := c.Mul(minus(2, c)).Sub(u[1]).GtScalar(0).LogicalOr(minus(plus(c.Div(u[1]).Log(), 1),
					c).GeScalar(0))
				return []*torch.Tensor{
					torch.Where(accept, minus(u[2], 0.5).Sign().Mul(f.Acos()), x),
					done.LogicalOr(accept),
				}
			})
			_, _ = x.Close(), done.Close()
			x, done = next[0], next[1]
		}
		turned := plus(x, math.Pi).Add(loc).RemainderScalar(2 * math.Pi)
		return minus(turned, math.Pi).To(d.loc.DType())
	})
}

// proposal returns the parameter of the wrapped Cauchy distribution from which candidates are drawn.
func proposal(kappa *torch.Tensor) *torch.Tensor {
	tau := plus(1, plus(1, times(4, kappa.PowScalar(2))).Sqrt())
	rho := tau.Sub(times(2, tau).Sqrt()).Div(times(2, kappa))
	r := plus(1, rho.PowScalar(2)).Div(times(2, rho))
	// For a small kappa, rounding errors dominate r.
	nearZero := over(1, kappa).Add(kappa)
	return torch.Where(kappa.LtScalar(1e-5), nearZero, r)
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *VonMises) Expand(batchShape torch.Shape) Distribution {
	n := &VonMises{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc, n.concentration = grow(d.loc), grow(d.concentration)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *VonMises) Close() error { return closeAll(d) }

// logBessel returns the logarithm of the modified Bessel function of order 0 or 1, from
// the polynomials 9.8.1 to 9.8.4 of Abramowitz and Stegun.
func logBessel(x *torch.Tensor, order int) *torch.Tensor {
	near := []float64{1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2}
	far := []float64{
		0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1,
		-0.1647633e-1, 0.392377e-2,
	}
	if order == 1 {
		near = []float64{0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3}
		far = []float64{
			0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
			-0.2895312e-1, 0.1787654e-1, -0.420059e-2,
		}
	}
	y := over(x, 3.75)
	small := polynomial(y.Mul(y), near)
	if order == 1 {
		small = x.Abs().Mul(small)
	}
	large := x.Sub(times(0.5, x.Log())).Add(polynomial(over(3.75, x), far).Log())
	return torch.Where(x.LtScalar(3.75), small.Log(), large)
}

// polynomial returns coef[0] + coef[1] y + coef[2] y^2 and so on.
func polynomial(y *torch.Tensor, coef []float64) *torch.Tensor {
	last := len(coef) - 1
	result := plus(coef[last-1], times(y, coef[last]))
	for _, c := range slices.Backward(coef[:last-1]) {
		result = plus(c, y.Mul(result))
	}
	return result
}
