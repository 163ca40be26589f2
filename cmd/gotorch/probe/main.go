// Command probe links libtorch and prints what it finds, as JSON. gotorch doctor builds and
// runs it.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

func main() {
	gpus := 0
	if err := torch.Try(func() {
		x := torch.Ones(torch.Shape{2, 2})
		defer x.Close()
		if sum := x.MatMul(x).Sum().Item(); sum != 8 {
			panic(fmt.Sprintf("the product has the sum %v, expected 8", sum))
		}
		if cuda.IsAvailable() {
			gpus = cuda.DeviceCount()
		}
	}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{
		"Libtorch": torch.Version(), "Allocator": memory.Backend(torch.CPU),
		"Threads": torch.NumThreads(), "GPUs": gpus,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
