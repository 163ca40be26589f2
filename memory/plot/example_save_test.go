package plot_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/torch"
)

// A loss and, below it, the memory over the steps of a training run.
func Example() {
	dir, err := os.MkdirTemp("", "plot")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	var losses []float64
	for step := range 10 {
		torch.Scope(func() { losses = append(losses, torch.Full(torch.Shape{4}, 1/float64(1+step)).Mean().Item()) })
		t.Step("train")
	}
	loss := plot.Panel{Label: "loss", Lines: []plot.Line{{Label: "train", Y: losses}}}
	file := filepath.Join(dir, "training.svg")
	fmt.Println(plot.Save(file, "step", loss, plot.Steps(t.Steps())))
	// Output:
	// <nil>
}
