package data

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoaderOption is an argument of [NewLoader] and [NewIterableLoader] that Python takes
// by keyword: [BatchSize], [Shuffle], [DropLast], [WithSampler], [WithBatchSampler],
// [CollateFn], [Generator], [NumWorkers], [PrefetchFactor], [InOrder], [PinMemory],
// [Timeout], [WorkerInitFn] or [PersistentWorkers]; or [Transform] or [Device].
//
//gotorch:options BatchSize Shuffle DropLast CollateFn Transform GeneratorOption Device SamplerOption
//gotorch:options BatchSamplerOption NumWorkers PrefetchFactor InOrder PinMemory Timeout WorkerInitFn
//gotorch:options PersistentWorkers
type LoaderOption interface{ loaderOption() }

// A SplitOption is an argument of [RandomSplit] and [RandomSplitFractions] that Python
// takes by keyword: [Generator].
//
//gotorch:options GeneratorOption
type SplitOption interface{ splitOption() }

// An MNISTOption is an argument of [MNIST] that Python takes by keyword:
// [Train].
//
//gotorch:options Train
type MNISTOption interface{ mnistOption() }

// BatchSize is the number of examples in a batch, batch_size in Python. The default is 1;
// a smaller number panics with ErrValue, except [BatchSizeNone].
type BatchSize int

// BatchSizeNone is batch_size=None in Python: the loader yields single examples without
// stacking them, and a [CollateFn] gets one example at a time.
const BatchSizeNone = BatchSize(math.MinInt)

// Shuffle says whether the loader draws a new order of the examples for each epoch. The
// default is false. It is shuffle in Python.
type Shuffle bool

// DropLast says whether the last batch is left out if it is not full; drop_last in
// Python. The default is false.
type DropLast bool

// CollateFn joins examples into a batch; collate_fn in Python. The default, and nil, is
// [Stack]. The function runs in a scope that frees the examples and all tensors that the
// function makes, except its result.
type CollateFn func([]Example) Example

// Transform changes a whole batch, so that an operator runs once per batch instead of once
// per example. The default, and nil, leaves batches unchanged. Temporaries are freed when
// the function returns. If it returns an empty Example, the loop panics. Python's
// DataLoader has no such argument; torchvision's datasets transform single examples.
type Transform func(Example) Example

// Device is the device to which batches are moved, as by batch.to(device,
// non_blocking=True) in Python. The default, the zero Device, leaves batches where the
// dataset and the other options put them.
type Device torch.Device

// Train says whether to read the training set; Train(false) reads the test set. It is
// train in torchvision. The default is true.
type Train bool

// GeneratorOption is the type of [Generator].
type GeneratorOption struct{ generator *torch.Generator }

// Generator sets the generator that draws the order of the examples. The default, and nil,
// is PyTorch's default CPU generator. It is generator in Python.
func Generator(g *torch.Generator) GeneratorOption { return GeneratorOption{g} }

// loaderSettings holds the values of LoaderOptions.
type loaderSettings struct {
	batchSize BatchSize
	workerOptions
	shuffle   bool
	dropLast  bool
	collate   func([]Example) Example
	transform func(Example) Example
	generator *torch.Generator
	device    torch.Device
	sampler   Sampler
	batches   BatchSampler
}

func readLoading(op string, opts []LoaderOption) loaderSettings {
	l := loaderSettings{batchSize: 1, workerOptions: workerOptions{inOrder: true, prefetch: -1}}
	for _, o := range opts {
		switch o := o.(type) {
		case BatchSize:
			l.batchSize = o
		case Shuffle:
			l.shuffle = bool(o)
		case DropLast:
			l.dropLast = bool(o)
		case CollateFn:
			l.collate = o
		case Transform:
			l.transform = o
		case GeneratorOption:
			l.generator = o.generator
		case SamplerOption:
			l.sampler = o.sampler
		case BatchSamplerOption:
			l.batches = o.sampler
		case Device:
			l.device = torch.Device(o)
			opt.CheckDevice(op, l.device)
		default:
			if !l.take(op, o) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	if l.batchSize < 1 && l.batchSize != BatchSizeNone {
		panic(torch.NewError(op, torch.ErrValue, "BatchSize",
			fmt.Sprintf("expected a positive number, got %d", l.batchSize)))
	}
	l.mustHaveWorkers(op)
	switch {
	case l.batchSize == BatchSizeNone && l.dropLast:
		panic(torch.NewError(op, torch.ErrValue, "DropLast",
			"cannot be combined with BatchSizeNone, which makes no batches"))
	case l.sampler != nil && l.shuffle:
		panic(torch.NewError(op, torch.ErrValue, "WithSampler",
			"cannot be combined with Shuffle, since the sampler sets the order"))
	case l.batches != nil && (l.batchSize != 1 || l.shuffle || l.dropLast || l.sampler != nil):
		panic(torch.NewError(op, torch.ErrValue, "WithBatchSampler",
			"cannot be combined with BatchSize, Shuffle, DropLast or WithSampler"))
	case l.sampler != nil:
		l.batches = NewBatchSampler(l.sampler, max(1, int(l.batchSize)), l.dropLast)
	}
	return l
}

// readSplit reads the options and returns their generator, or nil for the default
// generator.
func readSplit(op string, opts []SplitOption) *torch.Generator {
	return opt.Read(op, opts, GeneratorOption{}).generator
}

// readMNIST reads the options and reports whether they select the training set.
func readMNIST(opts []MNISTOption) bool {
	return bool(opt.Read("data.MNIST", opts, Train(true)))
}
