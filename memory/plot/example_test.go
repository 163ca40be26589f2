package plot_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/torch"
)

// The first steps run in scopes. The same steps then leave their tensors to the collector:
// live bytes rise from step to step and fall at each collection.
func ExampleSteps() {
	dir, err := os.MkdirTemp("", "plot")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	x, w := torch.Randn(torch.Shape{1024, 512}), torch.Randn(torch.Shape{512, 512})
	defer x.Close()
	defer w.Close()
	step := func() { x.MatMul(w).ReLU().Add(x).Sum() }

	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	for range 60 {
		torch.Scope(step)
		t.Step("scope")
	}
	for range 60 {
		step()
		t.Step("collector")
	}

	file := filepath.Join(dir, "memory.png")
	fmt.Println(plot.Save(file, "step", plot.Steps(t.Steps())))
	info, err := os.Stat(file)
	fmt.Println(err == nil && info.Size() > 0)
	// Output:
	// <nil>
	// true
}
