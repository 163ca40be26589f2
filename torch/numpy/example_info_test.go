package numpy_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/numpy"
)

// Read the header of a file, without reading the data.
func ExampleReadInfo() {
	info, err := numpy.ReadInfo("testdata/golden/complex64_big.npy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.DType, info.Descr, info.Shape)
	// Output: complex64 >c8 (2, 3)
}
