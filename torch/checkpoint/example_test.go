package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// Save the training state at every second step, and resume from it. The second call of
// train stands for another process.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	train := func(until int) error {
		model := nn.NewLinear(4, 1)
		defer func() { _ = model.Close() }()
		opt := optim.NewAdamW(model.Parameters())
		defer func() { _ = opt.Close() }()
		var best float64
		state := checkpoint.State{"model": model, "optimizer": opt, "best": &best}

		m, err := checkpoint.Open(dir, checkpoint.Keep(3), checkpoint.KeepBest("loss", checkpoint.ModeMin),
			checkpoint.Async(true))
		if err != nil {
			return err
		}
		step := 0
		switch at, err := m.Resume(state); {
		case errors.Is(err, os.ErrNotExist): // a new training
		case err != nil:
			return errors.Join(err, m.Close())
		default:
			step = at.Step
			fmt.Println("resumed at step", step, "skipped", len(at.Skipped))
		}
		for step < until {
			loss := 0.0
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{8, 4})
				l := F.MSELoss(model.Forward(x), x.Sum(torch.Dim(1), torch.KeepDim(true)))
				opt.ZeroGrad()
				l.Backward()
				opt.Step()
				loss = l.Item()
			})
			if step++; step%2 == 0 {
				if err := m.Save(context.Background(), step, state, checkpoint.Metrics{"loss": loss}); err != nil {
					log.Print(err) // continue the training without this checkpoint
				}
			}
		}
		return m.Close() // Close waits until the last checkpoint is written
	}
	fmt.Println(train(4))
	fmt.Println(train(6))
	// Output:
	// <nil>
	// resumed at step 4 skipped 0
	// <nil>
}

// List the checkpoints of a directory without loading any of them.
func ExampleList() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	m, err := checkpoint.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	names := []string{"first"}
	for step := range 2 {
		if err := m.Save(context.Background(), step, checkpoint.State{"names": &names},
			checkpoint.Metrics{"loss": 0.5}); err != nil {
			log.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		log.Fatal(err)
	}
	all, err := checkpoint.List(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range all {
		fmt.Println(c.Number, c.Step, c.Metrics, checkpoint.Verify(c.Path))
	}
	// Output:
	// 1 0 map[loss:0.5] <nil>
	// 2 1 map[loss:0.5] <nil>
}
