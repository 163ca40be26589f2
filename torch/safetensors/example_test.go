package safetensors_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// Example saves a model to a file and loads it again.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "model.safetensors")

	model := nn.NewLinear(4, 2)
	defer func() { _ = model.Close() }()
	torch.Scope(func() {
		if err := safetensors.SaveFile(model.StateDict().Map(), path,
			safetensors.Metadata{"format": "pt"}); err != nil {
			log.Fatal(err)
		}
	})
	torch.Scope(func() {
		tensors, err := safetensors.LoadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tensors["weight"].Shape(), tensors["bias"].Shape())
		if err := model.LoadStateDict(nn.NewStateDict(tensors)); err != nil {
			log.Fatal(err)
		}
	})
	// Output: (2, 4) (2,)
}

// Open reads only the header of a file. Each later call reads only the requested part.
func ExampleOpen() {
	f, err := safetensors.Open("testdata/goldens/shapes.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, name := range f.Names() {
		info, err := f.Info(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, info.Code, info.Shape)
	}
	torch.Scope(func() {
		row, err := f.Slice("cube", 1, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Float32s())
	})
	// Output:
	// cube F32 (2, 3, 4)
	// empty F32 (0,)
	// empty3 F32 (2, 0, 3)
	// one F32 (1, 1, 1)
	// scalar F32 ()
	// [12 13 14 15]
}

// The error for a damaged file says which tensor is wrong, and at which offset.
func ExampleFileError() {
	_, err := safetensors.LoadFile("testdata/malformed/overlap.safetensors")
	var e *torch.FileError
	if errors.As(err, &e) && errors.Is(err, torch.ErrFormat) {
		fmt.Println(e.Tensor, e.Offset)
		fmt.Println(e.Detail)
	}
	// Output:
	// b 135
	// begins within tensor "a"
}

// Open a model that is stored in several files with an index.
func ExampleOpenSharded() {
	s, err := safetensors.OpenSharded("testdata/shards/many")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	torch.Scope(func() {
		x, err := s.Tensor("b.bias")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(s.Names()), x.Int64s())
	})
	// Output: 6 [0 1 2]
}
