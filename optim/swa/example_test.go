package swa_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
)

// The average of a model over its training is often better than its last state.
func Example() {
	model := nn.NewLinear(2, 1)
	defer model.Close()
	average := swa.NewAveragedModel(model)
	defer average.Close()
	for _, w := range []float64{1, 2, 6} {
		torch.NoGrad(func() { model.Weight.Fill_(w) }) // stands for a training step
		average.UpdateParameters(model)
	}
	fmt.Println(average.Module.(*nn.Linear).Weight.Float32s(), average.NAveraged.Item())
	// Output: [3 3] 3
}

// Computes a moving average instead of the mean: the latest weights count most.
func ExampleEMAMultiAvgFn() {
	model := nn.NewLinear(2, 1)
	defer model.Close()
	ema := swa.NewAveragedModel(model, swa.EMAMultiAvgFn(0.75))
	defer ema.Close()
	for _, w := range []float64{0, 1, 1} {
		torch.NoGrad(func() { model.Weight.Fill_(w) })
		ema.UpdateParameters(model)
	}
	fmt.Println(ema.Module.(*nn.Linear).Weight.Float32s())
	// Output: [0.4375 0.4375]
}

// Computes the same as EMAMultiAvgFn, for one parameter at a time.
func ExampleEMAAvgFn() {
	model := nn.NewLinear(2, 1)
	defer model.Close()
	ema := swa.NewAveragedModel(model, swa.EMAAvgFn(0.5))
	defer ema.Close()
	for _, w := range []float64{0, 1, 1} {
		torch.NoGrad(func() { model.Weight.Fill_(w) })
		ema.UpdateParameters(model)
	}
	fmt.Println(ema.Module.(*nn.Linear).Weight.Float32s())
	// Output: [0.75 0.75]
}
