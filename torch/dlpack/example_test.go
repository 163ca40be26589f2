package dlpack_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
)

// Two tensors share memory, as if the second were another library's.
func Example() {
	x := torch.FromSlice([]float32{1, 2, 3})
	c := dlpack.ToDLPack(x, dlpack.MaxVersion(1, 0))
	fmt.Println(c)

	y, err := dlpack.FromDLPack(c)
	if err != nil {
		log.Fatal(err)
	}
	y.MulScalar_(2)
	fmt.Println(x.Float32s())
	_ = x.Close()
	fmt.Println(y.Float32s(), c)
	_ = y.Close()
	// Output:
	// dlpack.Capsule(dltensor_versioned)
	// [2 4 6]
	// [2 4 6] dlpack.Capsule(used_dltensor_versioned)
}

// Pass a struct to a C function or a Python capsule, which calls the deleter when it is
// done.
func ExampleCapsule_Take() {
	x := torch.Ones(torch.Shape{2, 3})
	p := dlpack.ToDLPack(x).Take()
	_ = x.Close() // the struct keeps the memory

	// The other side, in this process:
	y, err := dlpack.FromDLPack(dlpack.NewCapsule(p, dlpack.KindLegacy))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Shape())
	_ = y.Close()
	// Output: (2, 3)
}
