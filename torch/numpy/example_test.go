package numpy_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
)

// Save a tensor to a file that np.load reads, and load it again.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "features.npy")
	torch.Scope(func() {
		if err := numpy.Save(torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2), path); err != nil {
			log.Fatal(err)
		}
		x, err := numpy.Load(path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(x.Shape(), x.Float32s())
	})
	// Output: (2, 2) [1 2 3 4]
}

// Read only some arrays of an archive.
func ExampleOpenNpz() {
	f, err := numpy.OpenNpz("testdata/golden/positional.npz")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	fmt.Println(f.Names())
	torch.Scope(func() {
		x, err := f.Tensor("arr_1")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(x.DType(), x.ToList())
	})
	// Output:
	// [arr_0 arr_1]
	// int8 [[0 1 3] [5 7 100]]
}

// An array of Python objects is a pickle. Load returns an error and does not run it.
func ExampleFileError() {
	_, err := numpy.Load("testdata/malformed/objects.npy")
	var e *torch.FileError
	if errors.As(err, &e) && errors.Is(err, torch.ErrUnsupported) {
		fmt.Println(e.Detail)
	}
	// Output: an array of Python objects, stored as a pickle; unpickling could run any code (allow_pickle=True)
}
