package soak

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The mean and standard deviation of Fashion-MNIST's training images, scaled to 0 to 1.
const mean, std = 0.2860, 0.3530

// example runs a small version of examples/fashionmnist. It reads the files, creates the
// model, trains for some steps, evaluates the model, loads the weights into a second
// model, and closes everything.
func example(w *Worker) error {
	train, err := data.MNIST(w.shared.data)
	if err != nil {
		return err
	}
	defer train.Close()
	model := exampleModel()
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	loader := data.NewLoader(train, data.BatchSize(16), data.Shuffle(true),
		data.Transform(data.Normalize(mean, std)),
		data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(w.Rand.Uint64())))
	steps, loss := 5+w.Rand.IntN(10), 0.0
	for batch := range loader.All() {
		l := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
		opt.ZeroGrad()
		l.Backward()
		opt.Step()
		loss = l.Item()
		if batch.Index+1 == steps {
			break
		}
	}
	if err := finite("loss", loss); err != nil {
		return err
	}
	if err := evaluate(w, model); err != nil {
		return err
	}
	second := exampleModel()
	defer second.Close()
	return second.LoadStateDict(model.StateDict())
}

func exampleModel() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2d(1, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(32, 64, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(64*5*5, 128), nn.NewReLU(), nn.NewLinear(128, 10),
	)
}

// evaluate counts the correct predictions in a few batches.
func evaluate(w *Worker, model *nn.Sequential) error {
	tests, err := data.MNIST(w.shared.data, data.Train(false))
	if err != nil {
		return err
	}
	defer tests.Close()
	model.Eval()
	torch.NoGrad(func() {
		loader := data.NewLoader(tests, data.BatchSize(32), data.Transform(data.Normalize(mean, std)))
		for batch := range loader.All() {
			model.Forward(batch.Input).ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			if batch.Index == 1 {
				break
			}
		}
	})
	return nil
}

// madeUp writes the four files of a small data set of random noise to dir.
func madeUp(dir string, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 0))
	for name, n := range map[string]int{"train": 512, "t10k": 128} {
		labels := make([]byte, n)
		for i := range labels {
			labels[i] = byte(r.IntN(10))
		}
		pixels := make([]byte, n*28*28)
		for i := range pixels {
			pixels[i] = byte(r.IntN(256))
		}
		if err := writeIDX(filepath.Join(dir, name+"-labels-idx1-ubyte"), labels, n); err != nil {
			return err
		}
		if err := writeIDX(filepath.Join(dir, name+"-images-idx3-ubyte"), pixels, n, 28, 28); err != nil {
			return err
		}
	}
	return nil
}

// writeIDX writes bytes of the given shape in the format that data.ReadIDX reads.
func writeIDX(path string, content []byte, shape ...int) error {
	const bytes = 8 // the code of the element type uint8 in IDX files
	text := []byte{0, 0, bytes, byte(len(shape))}
	for _, n := range shape {
		text = binary.BigEndian.AppendUint32(text, uint32(n))
	}
	return os.WriteFile(path, append(text, content...), 0o644)
}
