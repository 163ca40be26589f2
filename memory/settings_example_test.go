package memory_test

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The CPU's allocator has a limit. SetSettings changes the settings of the CUDA devices'
// allocators, even before CUDA is in use.
func ExampleSettings() {
	if err := memory.SetLimit(torch.CPU, 8<<30); err != nil {
		panic(err)
	}
	fmt.Println(memory.Settings(torch.CPU)["cpu_limit"])
	if err := memory.SetLimit(torch.CPU, 0); err != nil {
		panic(err)
	}

	err := memory.SetSettings("max_split_size:128")
	fmt.Println(errors.Is(err, torch.ErrValue), err)
	// Output:
	// 8589934592
	// true torch: memory.SetSettings: max_split_size:128: there is no allocator setting max_split_size
}
