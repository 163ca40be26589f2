package weights

import (
	"maps"
	"slices"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Format is a format of weights.
type Format string

// These are the formats that [Open] recognizes.
const (
	FormatSafetensors Format = "safetensors"
	FormatPyTorch     Format = "pytorch"
	FormatGGUF        Format = "gguf"
)

// part is an open file with some of the weights.
type part interface {
	nn.StateSource
	Meta(name string) (*torch.Tensor, error)
	Close() error
}

// Weights are the open weights of a model. [Open] returns them. They are a source for
// nn.LoadStateDict. Methods of nil and of the zero Weights panic with a *torch.Error of kind
// ErrNil. They are safe for use by several goroutines.
type Weights struct {
	path   string
	format Format
	parts  []part
	where  map[string]part // for each tensor, the file that contains it
	names  []string

	dtype  torch.DType // 0 for the file's
	device torch.Device
}

// Open opens the weights of a folder or in a file. In a folder it takes the first of these:
// model.safetensors or model.safetensors.index.json, pytorch_model.bin,
// pytorch_model.bin.index.json, and a GGUF file, if there is only one model in this format. A
// path of a file ends in .safetensors, .bin, .pt, .pth, .gguf or .index.json. If it is the
// first file of a GGUF model in several files, whose name ends in -00001-of-00003.gguf, Open
// opens all of them.
//
// Close the weights when you need no more tensors; tensors already read stay valid. For an
// unavailable device the error is a *torch.Error of kind ErrDevice. Invalid options panic.
func Open(path string, opts ...OpenOption) (*Weights, error) {
	const op = "weights.Open"
	s := settings{}
	for _, o := range opts {
		switch o := o.(type) {
		case DType:
			s.dtype = torch.DType(o)
		case Device:
			s.device = torch.Device(o)
		case Mmap:
			s.mmap = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if s.device == 0 {
		s.device = torch.CPU
	}
	if err := opt.MissingDevice(op, s.device); err != nil {
		return nil, err
	}
	w := &Weights{path: path, dtype: s.dtype, device: s.device, where: map[string]part{}}
	if err := w.open(path, s); err != nil {
		_ = w.Close() // only the first error is returned
		return nil, err
	}
	w.names = slices.Sorted(maps.Keys(w.where))
	return w, nil
}

// settings holds the values of OpenOptions.
type settings struct {
	dtype  torch.DType
	device torch.Device
	mmap   bool
}

// must panics unless Open returned w.
func (w *Weights) must(op string) {
	if w == nil || w.where == nil {
		panic(torch.NewError(op, torch.ErrNil, "w", "was not returned by Open"))
	}
}

// Close closes all files. Tensors stay valid. Closing twice, or closing nil, does nothing.
func (w *Weights) Close() error {
	if w == nil {
		return nil
	}
	var first error
	for _, p := range w.parts {
		if err := p.Close(); first == nil {
			first = err
		}
	}
	return first
}

// Path returns the path of the file, or of the index if there are several files.
func (w *Weights) Path() string {
	w.must("weights.Weights.Path")
	return w.path
}

// Format returns the format of the files.
func (w *Weights) Format() Format {
	w.must("weights.Weights.Format")
	return w.format
}

// Names returns the names of all tensors in alphabetical order.
func (w *Weights) Names() []string {
	w.must("weights.Weights.Names")
	return slices.Clone(w.names)
}

// Tensor reads a tensor, and converts it to the dtype and device of the options. Each call
// reads it again and returns a new tensor, which belongs to the innermost scope or else to the
// garbage collector.
func (w *Weights) Tensor(name string) (*torch.Tensor, error) {
	w.must("weights.Weights.Tensor")
	p, err := w.part(name)
	if err != nil {
		return nil, err
	}
	t, err := p.Tensor(name)
	if err != nil {
		return nil, err
	}
	return w.converted(t, w.device)
}

// Meta returns a tensor on the meta device with the shape and dtype of the tensor that Tensor
// returns. It does not read the tensor.
func (w *Weights) Meta(name string) (*torch.Tensor, error) {
	w.must("weights.Weights.Meta")
	p, err := w.part(name)
	if err != nil {
		return nil, err
	}
	t, err := p.Meta(name)
	if err != nil {
		return nil, err
	}
	return w.converted(t, torch.Meta)
}

// converted converts a tensor to the dtype of the options and to a device. It closes t if the
// result is another tensor.
func (w *Weights) converted(t *torch.Tensor, device torch.Device) (*torch.Tensor, error) {
	dtype := t.DType()
	if w.dtype != 0 && dtype.IsFloatingPoint() {
		dtype = w.dtype
	}
	if dtype == t.DType() && device == t.Device() {
		return t, nil
	}
	defer func() { _ = t.Close() }()
	return mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor { return t.To(dtype).To(device) })
	})
}

func (w *Weights) part(name string) (part, error) {
	if p := w.where[name]; p != nil {
		return p, nil
	}
	e := w.fault(torch.ErrNotFound, "none of the %d files has this tensor", len(w.parts))
	e.Tensor = name
	return nil, e
}
