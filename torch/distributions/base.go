package distributions

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// base is embedded in every distribution. It has default implementations of
// Distribution's methods. They call other methods through self, so that a distribution
// may embed another one and replace its methods.
//
// A distribution creates the tensors that it keeps in its constructor, inside build, or
// as a [lazy].
type base struct {
	self         core   // the distribution that embeds this base, nil if no constructor made it
	name         string // the name of the type, which is the same in Python and Go
	batch, event torch.Shape
	validate     bool
	rsample      bool
	enumerates   bool

	keeping sync.Mutex
	// kept holds the tensors that Close frees: the tensors that the constructor made,
	// followed by the tensors of lazy values.
	kept   []*torch.Tensor
	parts  []core // distributions made by the constructor
	closed atomic.Bool
}

// build makes d: fn sets its fields and the shapes of its base. Tensors that fn passes to keep, and
// tensors of distributions that it passes to part, outlive the call and are freed by Close. All
// other tensors are freed. The parameters are checked at the end.
func build(d core, name string, s settings, fn func(b *base)) {
	b := d.state()
	b.self, b.name, b.validate = d, name, s.validate
	torch.TidyAll(func() []*torch.Tensor {
		fn(b)
		if b.validate {
			b.checkParameters(b.constructor())
		}
		return b.all(nil)
	})
}

// keep records t, made by the constructor, as a tensor of the distribution.
func (b *base) keep(t *torch.Tensor) *torch.Tensor {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	b.kept = append(b.kept, t)
	return t
}

// part records d, made by the constructor, as a part of the distribution.
func (b *base) part(d core) { b.parts = append(b.parts, d) }

func (b *base) all(list []*torch.Tensor) []*torch.Tensor {
	b.keeping.Lock()
	list = append(list, b.kept...)
	b.keeping.Unlock()
	for _, p := range b.parts {
		list = p.state().all(list)
	}
	return list
}

// release implements Close. Every distribution defines Close itself, because only its
// own method can be called on a nil pointer.
func (b *base) release() error {
	if b.closed.Swap(true) {
		return nil
	}
	for _, t := range b.all(nil) {
		_ = t.Close()
	}
	return nil
}

func (b *base) state() *base { return b }

// BatchShape returns the shape of the batch of distributions.
func (b *base) BatchShape() torch.Shape {
	b.open("BatchShape")
	return append(torch.Shape{}, b.batch...)
}

// EventShape returns the shape of a single sample, without the batch dimensions.
func (b *base) EventShape() torch.Shape {
	b.open("EventShape")
	return append(torch.Shape{}, b.event...)
}

// HasRSample reports whether RSample is supported.
func (b *base) HasRSample() bool {
	b.open("HasRSample")
	return b.rsample
}

// HasEnumerateSupport reports whether EnumerateSupport is supported.
func (b *base) HasEnumerateSupport() bool {
	b.open("HasEnumerateSupport")
	return b.enumerates
}

// ArgConstraints returns the regions of the parameters; see [Distribution].
func (b *base) ArgConstraints() map[string]constraints.Constraint {
	regions := map[string]constraints.Constraint{}
	for _, p := range b.open("ArgConstraints").parameters() {
		// If a parameter has several constraints, the first is the one that Python lists.
		if regions[p.name] == nil {
			regions[p.name] = p.constraint
		}
	}
	return regions
}

// Mean panics with ErrNotImplemented.
func (b *base) Mean() *torch.Tensor { panic(b.without("Mean")) }

// Mode panics with ErrNotImplemented.
func (b *base) Mode() *torch.Tensor { panic(b.without("Mode")) }

// Variance panics with ErrNotImplemented.
func (b *base) Variance() *torch.Tensor { panic(b.without("Variance")) }

// LogProb panics with ErrNotImplemented.
func (b *base) LogProb(*torch.Tensor) *torch.Tensor { panic(b.without("LogProb")) }

// CDF panics with ErrNotImplemented.
func (b *base) CDF(*torch.Tensor) *torch.Tensor { panic(b.without("CDF")) }

// ICDF panics with ErrNotImplemented.
func (b *base) ICDF(*torch.Tensor) *torch.Tensor { panic(b.without("ICDF")) }

// Entropy panics with ErrNotImplemented.
func (b *base) Entropy() *torch.Tensor { panic(b.without("Entropy")) }

// RSample panics with ErrNotImplemented.
func (b *base) RSample(...SampleOption) *torch.Tensor { panic(b.without("RSample")) }

// EnumerateSupport panics with ErrNotImplemented.
func (b *base) EnumerateSupport(...EnumerateOption) *torch.Tensor {
	panic(b.without("EnumerateSupport"))
}

// StdDev returns the square root of the variance.
func (b *base) StdDev() *torch.Tensor {
	d := b.open("StdDev")
	return torch.Tidy(func() *torch.Tensor { return d.Variance().Sqrt() })
}

// Perplexity returns e to the power of the entropy.
func (b *base) Perplexity() *torch.Tensor {
	d := b.open("Perplexity")
	return torch.Tidy(func() *torch.Tensor { return d.Entropy().Exp() })
}

// Sample draws samples without gradients; see [Distribution].
func (b *base) Sample(opts ...SampleOption) *torch.Tensor {
	d := b.open("Sample")
	if !b.rsample {
		panic(b.without("Sample"))
	}
	return noGrad(func() *torch.Tensor { return d.RSample(opts...) })
}

// parameters is the default, for a distribution that prints no parameters.
func (b *base) parameters() []parameter { return nil }

// noGrad calls fn without gradients and returns its result.
func noGrad(fn func() *torch.Tensor) (t *torch.Tensor) {
	torch.NoGrad(func() { t = fn() })
	return t
}
