package serialization_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Example writes a file that torch.load(weights_only=True) can read, and reads it again.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.pt")
	torch.Scope(func() {
		w := torch.FromSlice([]float32{1, 2})
		if err := serialization.Save(serialization.NewDict("w", w, "epoch", 3), path); err != nil {
			log.Fatal(err)
		}
		d, err := serialization.LoadDict(path)
		if err != nil {
			log.Fatal(err)
		}
		epoch, _ := d.Get("epoch")
		saved, _ := d.Get("w")
		fmt.Println(epoch, saved)
	})
	// Output:
	// 3 tensor([1., 2.])
}

// An archive can be written to any writer, such as a buffer.
func ExampleNewArchive() {
	w := torch.FromSlice([]float32{1, 2})
	defer func() { _ = w.Close() }()
	a, err := serialization.NewArchive(serialization.NewDict("w", w))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	var b bytes.Buffer
	n, err := a.WriteTo(&b)
	fmt.Println(n == int64(b.Len()), err)
	// Output:
	// true <nil>
}

// OpenStateDict reads only the requested tensors of a large file.
func ExampleOpenStateDict() {
	f, err := serialization.OpenStateDict("testdata/golden/checkpoint.pth", serialization.Key("model"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	fmt.Println(f.Names())
	torch.Scope(func() {
		w, err := f.Tensor("0.weight")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(w.Shape(), w.DType())
	})
	// Output:
	// [0.weight 0.bias 2.weight 2.bias]
	// (8, 4) float64
}
