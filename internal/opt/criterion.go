package opt

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Options of margin, likelihood and sequence losses.

// The option families of functions.
type (
	//gotorch:options Reduction
	ReductionFunc interface{ reductionFunc() } // losses whose only option is a Reduction
	//gotorch:options Reduction Margin
	MarginLossFunc interface{ marginLossFunc() }
	//gotorch:options Reduction Weight P Margin
	MultiMarginFunc interface{ multiMarginFunc() }
	//gotorch:options Reduction Weight
	MultilabelSoftMarginFunc interface{ multilabelSoftMarginFunc() }
	//gotorch:options Reduction P Eps Margin Swap
	TripletMarginFunc interface{ tripletMarginFunc() }
	//gotorch:options Reduction Margin Swap DistanceFunction
	TripletMarginWithDistanceFunc interface{ tripletMarginWithDistanceFunc() }
	//gotorch:options Reduction Eps LogInput Full
	PoissonNLLFunc interface{ poissonNLLFunc() }
	//gotorch:options Reduction Eps Full
	GaussianNLLFunc interface{ gaussianNLLFunc() }
	//gotorch:options Reduction Blank ZeroInfinity
	CTCFunc interface{ ctcFunc() }
)

// The families of layers.
type (
	//gotorch:options AnyLayer Reduction Margin
	MarginLossLayer interface{ marginLossLayer() }
	//gotorch:options AnyLayer Reduction Weight P Margin
	MultiMarginLayer interface{ multiMarginLayer() }
	//gotorch:options AnyLayer Reduction Weight
	MultiLabelSoftMarginLayer interface{ multiLabelSoftMarginLayer() }
	//gotorch:options AnyLayer Reduction P Eps Margin Swap
	TripletMarginLayer interface{ tripletMarginLayer() }
	//gotorch:options AnyLayer Reduction Margin Swap DistanceFunction
	TripletMarginWithDistanceLayer interface{ tripletMarginWithDistanceLayer() }
	//gotorch:options AnyLayer Reduction Eps LogInput Full
	PoissonNLLLayer interface{ poissonNLLLayer() }
	//gotorch:options AnyLayer Reduction Eps Full
	GaussianNLLLayer interface{ gaussianNLLLayer() }
	//gotorch:options AnyLayer Reduction Blank ZeroInfinity
	CTCLayer interface{ ctcLayer() }
	//gotorch:options AnyLayer Device DType DivValue HeadBias
	AdaptiveLogSoftmaxLayer interface{ adaptiveLogSoftmaxLayer() }
)

// Margin is the margin of a loss.
type Margin float64

// Swap says whether a triplet loss uses the distance between positive and negative where
// it is smaller than the distance between anchor and negative.
type Swap bool

// DistanceFunction computes the distance of each pair of rows of x and y.
type DistanceFunction func(x, y *torch.Tensor) *torch.Tensor

// LogInput says whether inputs are logarithms.
type LogInput bool

// Full says whether the loss includes the constant terms of the likelihood.
type Full bool

// Blank is the class index of the blank label.
type Blank int64

// ZeroInfinity says whether infinite losses are replaced with 0.
type ZeroInfinity bool

// DivValue is the factor by which the size of the vectors shrinks from one cluster of an
// adaptive softmax to the next.
type DivValue float64

// HeadBias says whether the head of an adaptive softmax has a bias.
type HeadBias bool

// CheckMargin panics unless the margin of a triplet loss is positive. NaN is invalid too.
func CheckMargin(op string, margin float64) {
	if !(margin > 0) {
		panic(torch.NewError(op, torch.ErrValue, "Margin", fmt.Sprintf("expected a positive number, got %v", margin)))
	}
}

// CheckMultiMargin panics unless the exponent and the weight of MultiMarginLoss are
// valid. The weight may be nil.
func CheckMultiMargin(op string, p float64, weight *torch.Tensor) {
	if p != 1 && p != 2 {
		panic(torch.NewError(op, torch.ErrValue, "P", fmt.Sprintf("expected 1 or 2, got %v", p)))
	}
	if weight != nil && weight.Dim() != 1 {
		panic(torch.NewError(op, torch.ErrShape, "Weight", fmt.Sprintf("expected one dimension, got size %v",
			weight.Shape())))
	}
}
