package tensorboard_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/tensorboard"
)

// Log a number at each step, and the distribution of the weights now and then.
// "tensorboard --logdir runs" shows them.
func Example() {
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(runs) }()

	w, err := tensorboard.NewSummaryWriter(filepath.Join(runs, "first"))
	if err != nil {
		panic(err)
	}
	weights := torch.Linspace(-1, 1, 100)
	defer func() { _ = weights.Close() }()
	for step := range 100 {
		if err := w.AddScalar("loss/train", math.Exp(-float64(step)/20), step); err != nil {
			panic(err)
		}
		if step%50 == 0 {
			if err := w.AddHistogram("weights", weights, step); err != nil {
				panic(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	files, err := filepath.Glob(filepath.Join(runs, "first", "events.out.tfevents.*"))
	fmt.Println(len(files), err)
	// Output: 1 <nil>
}
