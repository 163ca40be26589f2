// Command consumer draws the memory usage of two steps.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	t := memory.StartTracker(memory.TrackerOptions{})
	defer t.Stop()
	for range 2 {
		torch.Scope(func() { torch.Ones(torch.Shape{1 << 10}).Sum() })
		t.Step("ones")
	}
	file := os.Args[1] + ".png"
	if err := plot.Save(file, "step", plot.Steps(t.Steps())); err != nil {
		log.Fatal(err)
	}
	png, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(png), "bytes of PNG")
}
