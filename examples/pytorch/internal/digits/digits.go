// Package digits is shared by the programs of examples/pytorch that learn MNIST. It
// provides the images, tests a model on them, and draws the model's predictions.
package digits

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The mean and standard deviation of the pixels of MNIST's training images, scaled to 0..1.
const (
	Mean = 0.1307
	Std  = 0.3081
)

// Flags choose the images and the model's device.
type Flags struct {
	Data, Device, Samples string
	Examples              int
}

// Defaults returns the default values of the flags.
func Defaults() Flags { return Flags{Device: "cpu", Examples: 4096} }

// Register adds the flags to the command line.
func (f *Flags) Register() {
	flag.StringVar(&f.Data, "data", f.Data,
		"folder with the four files of MNIST, or of Fashion-MNIST; without it images are generated")
	flag.IntVar(&f.Examples, "examples", f.Examples,
		"number of generated training images; the test has a quarter as many")
	flag.StringVar(&f.Device, "device", f.Device, "device of the model: cpu, cuda, cuda:1")
	flag.StringVar(&f.Samples, "samples", f.Samples, "draw test images with the model's predictions into this PNG file")
}

// Sets contains the training images and the test images.
type Sets struct {
	Train, Test *data.TensorDataset
	Device      torch.Device
}

// Open reads the images from the directory -data, or generates them if no directory is
// given. It returns the errors of data.MNIST and torch.ParseDevice.
func (f Flags) Open() (s *Sets, err error) {
	s = &Sets{}
	if s.Device, err = torch.ParseDevice(f.Device); err != nil {
		return nil, err
	}
	if f.Data == "" {
		if f.Examples < 4 {
			return nil, fmt.Errorf("-examples must be at least 4, got %d", f.Examples)
		}
		s.Train, s.Test = madeUp(1, int64(f.Examples)), madeUp(2, int64(f.Examples)/4)
		return s, nil
	}
	if s.Train, err = data.MNIST(f.Data); err != nil {
		return nil, err
	}
	if s.Test, err = data.MNIST(f.Data, data.Train(false)); err != nil {
		_ = s.Train.Close()
		return nil, err
	}
	return s, nil
}

// Close frees the images.
func (s *Sets) Close() {
	_ = s.Train.Close()
	_ = s.Test.Close()
}

// Loader returns a loader for set whose batches are normalized and on the model's device.
func (s *Sets) Loader(set data.Dataset, batch int, opts ...data.LoaderOption) *data.Loader {
	return data.NewLoader(set, append([]data.LoaderOption{
		data.BatchSize(batch), data.Transform(data.Normalize(Mean, Std)), data.Device(s.Device),
	}, opts...)...)
}

// madeUp returns n noise images with a bright horizontal band. The band's position is the
// label. Pixels are whole numbers, so that Python generates the same images.
func madeUp(seed uint64, n int64) *data.TensorDataset {
	var inputs, labels *torch.Tensor
	torch.Scope(func() {
		g := torch.NewGenerator(torch.CPU).ManualSeed(seed)
		labels = torch.Disown(torch.RandInt(0, 10, torch.Shape{n}, g))
		inputs = torch.Disown(torch.RandInt(0, 160, torch.Shape{n, 1, 28, 28}, g, torch.Uint8))
		height := torch.Arange(28).Reshape(1, 1, 28, 1).Sub(labels.Reshape(n, 1, 1, 1).MulScalar(2))
		band := height.GeScalar(0).LogicalAnd(height.LtScalar(6))
		inputs.Add_(band.To(torch.Uint8).MulScalar(60))
	})
	return data.NewTensorDataset(inputs, labels)
}
