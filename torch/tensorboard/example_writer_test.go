package tensorboard_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/tensorboard"
)

// The example writes two curves for one plot, and an image.
func ExampleSummaryWriter() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w, err := tensorboard.NewSummaryWriter(dir)
	if err != nil {
		log.Fatal(err)
	}
	picture := torch.Zeros(torch.Shape{3, 8, 8})
	defer func() { _ = picture.Close() }()
	err = errors.Join(
		w.AddScalars("loss", map[string]float64{"train": 0.5, "test": 0.7}, 1),
		w.AddImage("first", picture, 1),
		w.Close(),
	)
	fmt.Println(err)
	// Output:
	// <nil>
}
