package distributions

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Dirichlet is a distribution on the simplex: its values are vectors of probabilities
// of categories. Follows torch.distributions.Dirichlet.
type Dirichlet struct {
	base
	concentration *torch.Tensor
}

// NewDirichlet returns the Dirichlet distribution over the last dimension of
// concentration; the dimensions before it are the batch. See [NewNormal] for ownership
// and panics. NewDirichlet also panics with ErrShape for a concentration without
// dimensions; its elements must be positive.
func NewDirichlet(concentration *torch.Tensor, opts ...Option) *Dirichlet {
	const op = "distributions.NewDirichlet"
	d := &Dirichlet{}
	build(d, "Dirichlet", readOptions(op, opts), func(b *base) {
		d.concentration = concentration
		b.batch, b.event = categories(op, "concentration", concentration)
		b.rsample = true
	})
	return d
}

// categories splits the shape of t, a parameter over categories, into the batch and the
// last dimension. It panics with ErrNil or ErrClosed for a nil or closed t, and with
// ErrShape if t has no dimensions.
func categories(op, name string, t *torch.Tensor) (batch, event torch.Shape) {
	t.HandleFor(op+"("+name+")", 0)
	shape := t.Shape()
	n := len(shape) - 1
	if n < 0 {
		panic(torch.NewError(op, torch.ErrShape, name,
			fmt.Sprintf("expected at least one dimension, got shape %v", shape)))
	}
	return shape[:n:n], shape[n:]
}

func (d *Dirichlet) parameters() []parameter {
	return []parameter{{
		name: "concentration", value: d.concentration,
		constraint: constraints.Independent(constraints.Positive, 1),
	}}
}

// Concentration returns the parameter.
func (d *Dirichlet) Concentration() *torch.Tensor {
	opened(d, "Concentration")
	return d.concentration
}

// Support returns the simplex: vectors of probabilities.
func (d *Dirichlet) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Simplex
}

func (d *Dirichlet) total() *torch.Tensor {
	return d.concentration.Sum(torch.Dim(-1), torch.KeepDim(true))
}

// Mean returns the concentration divided by its sum over the categories.
func (d *Dirichlet) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.concentration.Div(d.total()) })
}

// Mode returns (concentration - 1) divided by its sum, where negative elements count as
// 0. If all concentrations are below 1, it returns one of the corners of the simplex.
func (d *Dirichlet) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		less := d.concentration.SubScalar(1).Clamp(0, nil)
		mode := less.Div(less.Sum(torch.Dim(-1), torch.KeepDim(true)))
		corner := oneHot(mode.ArgMax(torch.Dim(-1)), mode)
		return torch.Where(d.concentration.LtScalar(1).All(torch.Dim(-1)).Unsqueeze(-1), corner, mode)
	})
}

// oneHot returns one-hot vectors with a 1 at the given indices. They are as long as the
// last dimension of like, and have its dtype.
func oneHot(indices, like *torch.Tensor) *torch.Tensor {
	return aten.OneHot(indices, like.Size(-1)).TypeAs(like)
}

// Variance returns the variance of each element; see [Distribution].
func (d *Dirichlet) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		total := d.total()
		return d.concentration.Mul(total.Sub(d.concentration)).Div(total.PowScalar(2).Mul(total.AddScalar(1)))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *Dirichlet) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return drawDirichlet(d.concentration.Expand(shape...))
	})
}

// drawDirichlet draws from a Dirichlet distribution. Its backward pass calls libtorch's operator
// _dirichlet_grad.
func drawDirichlet(concentration *torch.Tensor) *torch.Tensor {
	if !torch.IsGradEnabled() || !concentration.RequiresGrad() {
		return aten.UnderSampleDirichlet(concentration, nil)
	}
	f := torch.Function{
		Name: "_Dirichlet",
		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			x := aten.UnderSampleDirichlet(in[0], nil)
			ctx.Save(x, in[0])
			return []*torch.Tensor{x}
		},
		Backward: func(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
			saved := ctx.Saved()
			x, c, g := saved[0], saved[1], grads[0]
			total := c.Sum(torch.Dim(-1), torch.KeepDim(true)).ExpandAs(c)
			return []*torch.Tensor{aten.UnderDirichletGrad(x, c, total).Mul(g.Sub(x.Mul(g).Sum(torch.Dim(-1),
				torch.KeepDim(true))))}
		},
	}
	return f.Apply(concentration)[0]
}

// LogProb returns the log density at value; see [Distribution].
func (d *Dirichlet) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		c, last := d.concentration, torch.Dim(-1)
		return c.SubScalar(1).Xlogy(value).Sum(last).Add(c.Sum(last).Lgamma()).Sub(c.Lgamma().Sum(last))
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Dirichlet) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		c, last := d.concentration, torch.Dim(-1)
		total := c.Sum(last)
		return c.Lgamma().Sum(last).Sub(total.Lgamma()).
			Sub(total.RSubScalar(c.Size(-1)).Mul(total.Digamma())).
			Sub(c.SubScalar(1).Mul(c.Digamma()).Sum(last))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Dirichlet) Expand(batchShape torch.Shape) Distribution {
	n := &Dirichlet{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.concentration = grow(d.concentration)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Dirichlet) Close() error { return closeAll(d) }
