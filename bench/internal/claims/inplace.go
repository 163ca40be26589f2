package claims

import (
	"errors"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// chainLength is the number of operators in a chain, each applied to the previous result.
const chainLength = 8

var inPlaceMemory = Claim{
	Name:     "claim.inplace_memory",
	Says:     "In-place operators halve memory",
	Measured: "peak of a chain of 8 operators in place, against the same with new results",
	Unit:     "x",
	Range:    Range{0.45, 0.55},
	measure: func(s *sheet) {
		x := torch.Randn(float32s(s.pick(16*mib, 256*kib)))
		defer x.Close()
		base := float64(x.NBytes())
		inPlace := func() {
			y := x.Clone()
			for range chainLength {
				y.Sin_()
			}
			y.Close()
		}
		torch.NoGrad(func() {
			r := s.alternate(
				func() { chain(x, chainLength).Close() },
				func() { torch.Scope(func() { unclosed(x) }) },
				inPlace)
			// base is the size of x, which all variants need.
			in := r[2].peakBytes() - base
			s.judge("no gradients, each temporary closed", in/(r[0].peakBytes()-base))
			s.judge("no gradients, temporaries left to the scope", in/(r[1].peakBytes()-base))
			s.note("no gradients: time in place", r[2].slower(r[0]), "% above closing each temporary")
		})
		s.withGradients(x)
		s.layers(s.pick(1024, 64))
		s.note("backward refused after Exp then AddScalar_", refused(x), "errors of 1")
	},
}

// unclosed is like chain, but closes no temporaries.
func unclosed(x *torch.Tensor) *torch.Tensor {
	for range chainLength {
		x = x.Sin()
	}
	return x
}

// withGradients compares in-place with ordinary operators whose gradients need their
// inputs. The input of an in-place operator must be copied before it is overwritten.
func (s *sheet) withGradients(x *torch.Tensor) {
	leaf := x.Clone().RequiresGrad_()
	defer leaf.Close()
	base := float64(x.NBytes() + leaf.NBytes())
	learn := func(y *torch.Tensor) {
		loss := y.Sum()
		y.Close()
		loss.Backward()
		loss.Close()
		leaf.SetGrad(nil)
	}
	r := s.alternate(
		func() { learn(chain(leaf, chainLength)) },
		func() {
			y := leaf.Clone()
			for range chainLength {
				y.Sin_()
			}
			learn(y)
		})
	s.judge("with gradients, Sin (saves its argument)", (r[1].peakBytes()-base)/(r[0].peakBytes()-base))
}

// layers compares in-place ReLU with ordinary ReLU, after linear layers. The gradient of
// ReLU needs only ReLU's result, so overwriting its input is safe.
func (s *sheet) layers(width int64) {
	weight := torch.Randn(torch.Shape{width, width}).MulScalar_(0.01).RequiresGrad_()
	x := torch.Randn(torch.Shape{4 * width, width})
	defer closeAll([]*torch.Tensor{weight, x})
	base := float64(memory.Requested(torch.CPU))
	run := func(activation func(*torch.Tensor) *torch.Tensor) func() {
		return func() {
			torch.Scope(func() {
				h := x
				for range chainLength / 2 {
					h = activation(h.MatMul(weight))
				}
				h.Sum().Backward()
			})
			weight.SetGrad(nil)
		}
	}
	fresh := run(func(h *torch.Tensor) *torch.Tensor { return h.ReLU() })
	closing := run(func(h *torch.Tensor) *torch.Tensor {
		y := h.ReLU()
		h.Close()
		return y
	})
	r := s.alternate(fresh, closing, run(func(h *torch.Tensor) *torch.Tensor { return h.ReLU_() }))
	in := r[2].peakBytes() - base
	s.judge("with gradients, ReLU after a product, temporaries left to the scope", in/(r[0].peakBytes()-base))
	s.judge("with gradients, ReLU after a product, each temporary closed", in/(r[1].peakBytes()-base))
}

// refused returns 1 if a backward pass fails because a saved tensor was overwritten, and
// 0 otherwise. The tensor is the result of Exp, which Exp saves.
func refused(x *torch.Tensor) float64 {
	var err error
	torch.Scope(func() {
		leaf := x.Clone().RequiresGrad_()
		y := leaf.Exp()
		y.AddScalar_(1)
		loss := y.Sum()
		err = torch.Try(func() { loss.Backward() })
	})
	if errors.Is(err, torch.ErrAutograd) {
		return 1
	}
	return 0
}
