package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The input has the scores of three classes for two examples, and the target has the
// correct classes.
func ExampleCrossEntropyLoss() {
	loss := nn.NewCrossEntropyLoss()
	torch.Scope(func() {
		scores := torch.NewTensor([][]float32{{2, 0, 0}, {0, 1, 0}})
		classes := torch.FromSlice([]int64{0, 2})
		fmt.Println(loss.Forward(scores, classes))
	})
	// Output: tensor(0.8955)
}

// NLLLoss takes logarithms of probabilities.
func ExampleNLLLoss() {
	loss := nn.NewNLLLoss()
	torch.Scope(func() {
		logProbs := nn.NewLogSoftmax(1).Forward(torch.NewTensor([][]float32{{2, 0, 0}, {0, 1, 0}}))
		classes := torch.FromSlice([]int64{0, 2})
		fmt.Println(loss.Forward(logProbs, classes))
	})
	// Output: tensor(0.8955)
}

// MSELoss returns the mean of the squared differences.
func ExampleMSELoss() {
	loss := nn.NewMSELoss()
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{1, 2, 5}), torch.FromSlice([]float32{1, 4, 4})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(1.6667)
}

// With this option, L1Loss returns the sum of the absolute differences. Without the
// option it returns their mean.
func ExampleL1Loss() {
	loss := nn.NewL1Loss(nn.ReductionSum)
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{1, 2, 5}), torch.FromSlice([]float32{1, 4, 4})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(3.)
}

// The loss is quadratic where the difference is small and linear where it is large.
func ExampleSmoothL1Loss() {
	loss := nn.NewSmoothL1Loss(nn.ReductionNone)
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{0.5, 3}), torch.FromSlice([]float32{0, 0})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor([0.1250, 2.5000])
}

func ExampleHuberLoss() {
	loss := nn.NewHuberLoss(nn.Delta(2), nn.ReductionNone)
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{0.5, 3}), torch.FromSlice([]float32{0, 0})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor([0.1250, 4.0000])
}

// The input holds probabilities that the answer is yes. The target holds the correct
// answers: 1 is yes, 0 is no.
func ExampleBCELoss() {
	loss := nn.NewBCELoss()
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{0.9, 0.2}), torch.FromSlice([]float32{1, 0})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(0.1643)
}

// BCEWithLogitsLoss takes scores instead of probabilities, which is more precise. With
// this PosWeight, targets of 1 count three times.
func ExampleBCEWithLogitsLoss() {
	weight := torch.FromSlice([]float32{3})
	defer weight.Close()
	loss := nn.NewBCEWithLogitsLoss(nn.PosWeight(weight))
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{2, -1}), torch.FromSlice([]float32{1, 0})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(0.3470)
}

// The input holds the log probabilities of one distribution. The target holds the
// probabilities of another.
func ExampleKLDivLoss() {
	loss := nn.NewKLDivLoss(nn.ReductionBatchMean)
	torch.Scope(func() {
		input := torch.NewTensor([][]float32{{0.5, 0.25, 0.25}}).Log()
		target := torch.NewTensor([][]float32{{0.25, 0.25, 0.5}})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(0.1733)
}

// The input is the logarithm of a rate, the target a count.
func ExamplePoissonNLLLoss() {
	loss := nn.NewPoissonNLLLoss()
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{0, 1}), torch.FromSlice([]float32{1, 3})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(0.3591)
}

// This loss is for networks that also predict their uncertainty: a mean and a variance
// for each target.
func ExampleGaussianNLLLoss() {
	loss := nn.NewGaussianNLLLoss()
	torch.Scope(func() {
		mean, variance := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{0.5, 2})
		target := torch.FromSlice([]float32{1, 4})
		fmt.Println(loss.Forward(mean, target, variance))
	})
	// Output: tensor(0.5000)
}

// A sequence of 5 steps over the blank and 2 letters. The target text is one letter,
// twice.
func ExampleCTCLoss() {
	loss := nn.NewCTCLoss()
	torch.Scope(func() {
		logProbs := torch.Zeros(torch.Shape{5, 1, 3}).LogSoftmax(2) // time, batch, classes: the blank and 2 letters
		text := torch.NewTensor([][]int64{{1, 1}})
		fmt.Println(loss.Forward(logProbs, text, []int64{5}, []int64{2}))
	})
	// Output: tensor(1.3925)
}

// The targets are 1 and -1.
func ExampleSoftMarginLoss() {
	loss := nn.NewSoftMarginLoss()
	torch.Scope(func() {
		input, target := torch.FromSlice([]float32{2, -1}), torch.FromSlice([]float32{1, -1})
		fmt.Println(loss.Forward(input, target))
	})
	// Output: tensor(0.2201)
}

// The example belongs to classes 3 and 0; -1 ends the list of classes.
func ExampleMultiLabelMarginLoss() {
	loss := nn.NewMultiLabelMarginLoss()
	torch.Scope(func() {
		scores := torch.NewTensor([][]float32{{0.1, 0.2, 0.4, 0.8}})
		classes := torch.NewTensor([][]int64{{3, 0, -1, 1}})
		fmt.Println(loss.Forward(scores, classes))
	})
	// Output: tensor(0.8500)
}

// The target is 1 for each class that the example belongs to, and 0 for the others.
func ExampleMultiLabelSoftMarginLoss() {
	loss := nn.NewMultiLabelSoftMarginLoss()
	torch.Scope(func() {
		scores := torch.NewTensor([][]float32{{2, -1, 0}})
		target := torch.NewTensor([][]float32{{1, 0, 1}})
		fmt.Println(loss.Forward(scores, target))
	})
	// Output: tensor(0.3778)
}

// The score of the right class should be above the others by a margin.
func ExampleMultiMarginLoss() {
	loss := nn.NewMultiMarginLoss()
	torch.Scope(func() {
		scores := torch.NewTensor([][]float32{{0.1, 0.2, 0.4, 0.8}})
		label := torch.FromSlice([]int64{3})
		fmt.Println(loss.Forward(scores, label))
	})
	// Output: tensor(0.3250)
}

// The input holds distances of pairs. The target is 1 for pairs that are alike, and -1
// for other pairs.
func ExampleHingeEmbeddingLoss() {
	loss := nn.NewHingeEmbeddingLoss()
	torch.Scope(func() {
		distances, alike := torch.FromSlice([]float32{0.5, 0.25}), torch.FromSlice([]float32{1, -1})
		fmt.Println(loss.Forward(distances, alike))
	})
	// Output: tensor(0.6250)
}

// A target of 1 means that the first input should be ranked higher.
func ExampleMarginRankingLoss() {
	loss := nn.NewMarginRankingLoss(nn.Margin(0.5))
	torch.Scope(func() {
		a, b := torch.FromSlice([]float32{1, 3}), torch.FromSlice([]float32{2, 1})
		first := torch.FromSlice([]float32{1, 1})
		fmt.Println(loss.Forward(a, b, first))
	})
	// Output: tensor(0.7500)
}

// The vectors of the first pair should point in the same direction, and those of the
// second pair should not.
func ExampleCosineEmbeddingLoss() {
	loss := nn.NewCosineEmbeddingLoss()
	torch.Scope(func() {
		a := torch.NewTensor([][]float32{{1, 0}, {1, 1}})
		b := torch.NewTensor([][]float32{{1, 1}, {1, 0}})
		alike := torch.FromSlice([]float32{1, -1})
		fmt.Println(loss.Forward(a, b, alike))
	})
	// Output: tensor(0.5000)
}

// The distance of the anchor to the positive example should be smaller than its
// distance to the negative example by at least 1.
func ExampleTripletMarginLoss() {
	loss := nn.NewTripletMarginLoss()
	torch.Scope(func() {
		anchor := torch.NewTensor([][]float32{{0, 0}})
		positive := torch.NewTensor([][]float32{{0, 1}})
		negative := torch.NewTensor([][]float32{{1.5, 0}})
		fmt.Println(loss.Forward(anchor, positive, negative))
	})
	// Output: tensor(0.5000)
}

// The distance is a Go function.
func ExampleTripletMarginWithDistanceLoss() {
	loss := nn.NewTripletMarginWithDistanceLoss(nn.DistanceFunction(func(a, b *torch.Tensor) *torch.Tensor {
		return a.Sub(b).Abs().Sum(torch.Dim(1))
	}))
	torch.Scope(func() {
		anchor := torch.NewTensor([][]float32{{0, 0}})
		positive := torch.NewTensor([][]float32{{1, 1}})
		negative := torch.NewTensor([][]float32{{2, 0.5}})
		fmt.Println(loss.Forward(anchor, positive, negative))
	})
	// Output: tensor(0.5000)
}

// A softmax over 1000 words, of which the first 10 are frequent.
func ExampleAdaptiveLogSoftmaxWithLoss() {
	softmax := nn.NewAdaptiveLogSoftmaxWithLoss(16, 1000, []int64{10, 100})
	defer softmax.Close()
	torch.Scope(func() {
		hidden := torch.Randn(torch.Shape{3, 16})
		out := softmax.Forward(hidden, torch.FromSlice([]int64{2, 50, 700}))
		fmt.Println(out.Output.Shape(), out.Loss.Shape())
		fmt.Println(softmax.LogProb(hidden).Shape(), softmax.Predict(hidden).Shape())
	})
	// Output:
	// (3,) ()
	// (3, 1000) (3,)
}

func ExampleCosineSimilarity() {
	similarity := nn.NewCosineSimilarity(nn.Dim(1))
	torch.Scope(func() {
		a := torch.NewTensor([][]float32{{1, 0}, {1, 1}})
		b := torch.NewTensor([][]float32{{1, 1}, {-1, -1}})
		fmt.Println(similarity.Forward(a, b))
	})
	// Output: tensor([ 0.7071, -1.0000])
}

func ExamplePairwiseDistance() {
	distance := nn.NewPairwiseDistance()
	torch.Scope(func() {
		a := torch.NewTensor([][]float32{{0, 0}, {1, 1}})
		b := torch.NewTensor([][]float32{{3, 4}, {1, 3}})
		fmt.Println(distance.Forward(a, b))
	})
	// Output: tensor([5.0000, 2.0000])
}
