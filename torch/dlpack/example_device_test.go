package dlpack_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
)

// DeviceOf returns the device of a tensor in DLPack's numbers, in which 1 is the CPU.
func ExampleDeviceOf() {
	torch.Scope(func() {
		d := dlpack.DeviceOf(torch.Ones(torch.Shape{2}))
		fmt.Printf("(%d, %d)\n", d.Type, d.ID)
	})
	// Output: (1, 0)
}
