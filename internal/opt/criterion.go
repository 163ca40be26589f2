package opt

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The losses of margins, likelihoods and sequences.

// The families of functions.
type (
	ReductionFunc                 interface{ ReductionFunc() } // losses that take a Reduction alone
	MarginLossFunc                interface{ MarginLossFunc() }
	MultiMarginFunc               interface{ MultiMarginFunc() }
	MultilabelSoftMarginFunc      interface{ MultilabelSoftMarginFunc() }
	TripletMarginFunc             interface{ TripletMarginFunc() }
	TripletMarginWithDistanceFunc interface{ TripletMarginWithDistanceFunc() }
	PoissonNLLFunc                interface{ PoissonNLLFunc() }
	GaussianNLLFunc               interface{ GaussianNLLFunc() }
	CTCFunc                       interface{ CTCFunc() }
)

// The families of layers.
type (
	MarginLossLayer                interface{ MarginLossLayer() }
	MultiMarginLayer               interface{ MultiMarginLayer() }
	MultiLabelSoftMarginLayer      interface{ MultiLabelSoftMarginLayer() }
	TripletMarginLayer             interface{ TripletMarginLayer() }
	TripletMarginWithDistanceLayer interface{ TripletMarginWithDistanceLayer() }
	PoissonNLLLayer                interface{ PoissonNLLLayer() }
	GaussianNLLLayer               interface{ GaussianNLLLayer() }
	CTCLayer                       interface{ CTCLayer() }
	AdaptiveLogSoftmaxLayer        interface{ AdaptiveLogSoftmaxLayer() }
)

func (AnyLayer) MarginLossLayer()                {}
func (AnyLayer) MultiMarginLayer()               {}
func (AnyLayer) MultiLabelSoftMarginLayer()      {}
func (AnyLayer) TripletMarginLayer()             {}
func (AnyLayer) TripletMarginWithDistanceLayer() {}
func (AnyLayer) PoissonNLLLayer()                {}
func (AnyLayer) GaussianNLLLayer()               {}
func (AnyLayer) CTCLayer()                       {}
func (AnyLayer) AdaptiveLogSoftmaxLayer()        {}

func (Reduction) ReductionFunc()                  {}
func (Reduction) MarginLossFunc()                 {}
func (Reduction) MultiMarginFunc()                {}
func (Reduction) MultilabelSoftMarginFunc()       {}
func (Reduction) TripletMarginFunc()              {}
func (Reduction) TripletMarginWithDistanceFunc()  {}
func (Reduction) PoissonNLLFunc()                 {}
func (Reduction) GaussianNLLFunc()                {}
func (Reduction) CTCFunc()                        {}
func (Reduction) MarginLossLayer()                {}
func (Reduction) MultiMarginLayer()               {}
func (Reduction) MultiLabelSoftMarginLayer()      {}
func (Reduction) TripletMarginLayer()             {}
func (Reduction) TripletMarginWithDistanceLayer() {}
func (Reduction) PoissonNLLLayer()                {}
func (Reduction) GaussianNLLLayer()               {}
func (Reduction) CTCLayer()                       {}

func (Weight) MultiMarginFunc()           {}
func (Weight) MultilabelSoftMarginFunc()  {}
func (Weight) MultiMarginLayer()          {}
func (Weight) MultiLabelSoftMarginLayer() {}

func (P) MultiMarginFunc()    {}
func (P) TripletMarginFunc()  {}
func (P) MultiMarginLayer()   {}
func (P) TripletMarginLayer() {}

func (Eps) TripletMarginFunc()  {}
func (Eps) PoissonNLLFunc()     {}
func (Eps) GaussianNLLFunc()    {}
func (Eps) TripletMarginLayer() {}
func (Eps) PoissonNLLLayer()    {}
func (Eps) GaussianNLLLayer()   {}

func (Device) AdaptiveLogSoftmaxLayer() {}
func (DType) AdaptiveLogSoftmaxLayer()  {}

// Margin is the difference that a loss asks for.
type Margin float64

func (Margin) MarginLossFunc()                 {}
func (Margin) MultiMarginFunc()                {}
func (Margin) TripletMarginFunc()              {}
func (Margin) TripletMarginWithDistanceFunc()  {}
func (Margin) MarginLossLayer()                {}
func (Margin) MultiMarginLayer()               {}
func (Margin) TripletMarginWithDistanceLayer() {}
func (Margin) TripletMarginLayer()             {}

// Swap takes the smaller of two distances to the negative.
type Swap bool

func (Swap) TripletMarginFunc()              {}
func (Swap) TripletMarginWithDistanceFunc()  {}
func (Swap) TripletMarginWithDistanceLayer() {}
func (Swap) TripletMarginLayer()             {}

// DistanceFunction is the distance of two batches, a number for each pair.
type DistanceFunction func(x, y *torch.Tensor) *torch.Tensor

func (DistanceFunction) TripletMarginWithDistanceLayer() {}
func (DistanceFunction) TripletMarginWithDistanceFunc()  {}

// LogInput says that inputs are logarithms.
type LogInput bool

func (LogInput) PoissonNLLFunc()  {}
func (LogInput) PoissonNLLLayer() {}

// Full adds the constant part of a likelihood.
type Full bool

func (Full) PoissonNLLFunc()   {}
func (Full) GaussianNLLFunc()  {}
func (Full) PoissonNLLLayer()  {}
func (Full) GaussianNLLLayer() {}

// Blank is the class of no label.
type Blank int64

func (Blank) CTCFunc()  {}
func (Blank) CTCLayer() {}

// ZeroInfinity makes endless losses 0.
type ZeroInfinity bool

func (ZeroInfinity) CTCFunc()  {}
func (ZeroInfinity) CTCLayer() {}

// DivValue is how much smaller the vectors of each cluster are.
type DivValue float64

func (DivValue) AdaptiveLogSoftmaxLayer() {}

// HeadBias gives the head a bias.
type HeadBias bool

func (HeadBias) AdaptiveLogSoftmaxLayer() {}

// CheckMargin panics unless a triplet loss has a margin, which NaN is not.
func CheckMargin(op string, margin float64) {
	if !(margin > 0) {
		panic(torch.NewError(op, torch.ErrValue, "Margin", fmt.Sprintf("expected a positive number, got %v", margin)))
	}
}

// CheckMultiMargin panics unless MultiMarginLoss has such an exponent and weight, which
// may be nil.
func CheckMultiMargin(op string, p float64, weight *torch.Tensor) {
	if p != 1 && p != 2 {
		panic(torch.NewError(op, torch.ErrValue, "P", fmt.Sprintf("expected 1 or 2, got %v", p)))
	}
	if weight != nil && weight.Dim() != 1 {
		panic(torch.NewError(op, torch.ErrShape, "Weight", fmt.Sprintf("expected one dimension, got size %v", weight.Shape())))
	}
}
