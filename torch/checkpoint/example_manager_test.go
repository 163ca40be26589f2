package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// Save checkpoints in a directory, and keep only the newest two.
func ExampleManager() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	model := nn.NewLinear(2, 1)
	defer func() { _ = model.Close() }()
	m, err := checkpoint.Open(dir, checkpoint.Keep(2))
	if err != nil {
		log.Fatal(err)
	}
	for step := range 4 {
		if err := m.Save(context.Background(), step, checkpoint.State{"model": model}); err != nil {
			log.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		log.Fatal(err)
	}
	all, err := checkpoint.List(dir)
	for _, c := range all {
		fmt.Println(c.Number, c.Step)
	}
	fmt.Println(err)
	// Output:
	// 3 2
	// 4 3
	// <nil>
}

// Load the newest checkpoint in a program that does not save checkpoints.
func ExampleResume() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	model := nn.NewLinear(2, 1)
	defer func() { _ = model.Close() }()
	state := checkpoint.State{"model": model}

	_, err = checkpoint.Resume(dir, state)
	fmt.Println(errors.Is(err, os.ErrNotExist))

	m, err := checkpoint.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	torch.NoGrad(func() { model.Weight.Fill_(7) })
	if err := errors.Join(m.Save(context.Background(), 10, state), m.Close()); err != nil {
		log.Fatal(err)
	}
	torch.NoGrad(func() { model.Weight.Zero_() })
	restored, err := checkpoint.Resume(dir, state)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(restored.Step, len(restored.Skipped), model.Weight.Float32s())
	// Output:
	// true
	// 10 0 [7 7]
}
