package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// errInterrupted is the error of a run that Ctrl-C has stopped.
var errInterrupted = errors.New("interrupted")

// train trains the model, saves its state after each epoch, and returns its accuracy on the
// validation data.
func train(ctx context.Context, c config, out io.Writer) (accuracy float64, err error) {
	torch.ManualSeed(c.seed)
	source, err := load(c.data)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	loader := data.NewLoader(source.train, data.BatchSize(c.batch), data.Shuffle(true))
	tests := data.NewLoader(source.valid, data.BatchSize(c.batch))
	model := newModel(source.inputs, int64(len(source.classes)))
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()

	epoch := 0
	state := checkpoint.State{"model": model, "optimizer": opt, "loader": loader, "epoch": &epoch}
	states, err := checkpoint.Open(filepath.Join(c.out, "checkpoints"), checkpoint.Keep(2))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, states.Close()) }()
	if c.resume {
		if _, err := states.Resume(state); err != nil {
			return 0, err
		}
	}

	for epoch < c.epochs {
		total, batches := 0.0, 0
		for batch := range loader.All() { // frees the tensors of each step
			loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total += loss.Item()
			batches++
			if ctx.Err() != nil {
				break
			}
		}
		if ctx.Err() != nil {
			// The context is cancelled, so the save needs another one.
			if err := states.Save(context.Background(), epoch, state); err != nil {
				return 0, err
			}
			return 0, fmt.Errorf("%w in epoch %d: the state is saved, continue with -resume", errInterrupted, epoch+1)
		}
		epoch++
		accuracy = evaluate(model, tests)
		fmt.Fprintf(out, "epoch %d: loss %.4f, accuracy %.3f\n", epoch, total/float64(batches), accuracy)
		if err := states.Save(ctx, epoch, state, checkpoint.Metrics{"accuracy": accuracy}); err != nil {
			return 0, err
		}
	}
	weights := filepath.Join(c.out, "model.safetensors")
	if err := safetensors.SaveFile(model.StateDict().Map(), weights); err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "classes %v; the weights are in %s\n", source.classes, weights)
	return accuracy, nil
}

// evaluate returns the share of the examples that the model classifies correctly.
func evaluate(model nn.Layer, tests *data.Loader) float64 {
	right, all := int64(0), int64(0)
	model.Eval()
	torch.NoGrad(func() {
		for batch := range tests.All() {
			right += model.Forward(batch.Input).ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			all += batch.Target.Numel()
		}
	})
	model.Train()
	return float64(right) / float64(all)
}
