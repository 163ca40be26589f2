package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// A NewOption is an option of the functions that make models: [Device] or [DType].
//
//gotorch:options Device DType
type NewOption interface{ newOption() }

// Device is where the parameters of a new model are. On torch.Meta they have no memory;
// LoadStateDict with nn.Assign(true) replaces them. The default, and the zero Device, is
// torch's default device.
type Device torch.Device

// DType is the dtype of the parameters of a new model. The default, and the zero DType, is
// torch's default dtype.
type DType torch.DType

// Build runs fn, which makes modules, under the options. op is the function that errors
// name. Build panics with ErrNil for a nil option, and as fn does.
func Build(op string, opts []NewOption, fn func()) {
	var device torch.Device
	var dtype torch.DType
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			device = torch.Device(o)
		case DType:
			dtype = torch.DType(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if device != 0 {
		inner := fn
		fn = func() { torch.WithDevice(device, inner) }
	}
	if dtype != 0 {
		inner := fn
		fn = func() { torch.WithDType(dtype, inner) }
	}
	fn()
}

// NewEmbedding returns an Embedding whose weights are normal with a standard deviation of
// std. If padding is not nil, that row is zero and has no gradient.
func NewEmbedding(rows, features int64, std float64, padding *int64) *nn.Embedding {
	var opts []nn.EmbeddingOption
	if padding != nil && *padding >= 0 && *padding < rows {
		opts = append(opts, nn.PaddingIdx(*padding))
	}
	l := nn.NewEmbedding(rows, features, opts...)
	if l.Weight.Device() != torch.Meta {
		nninit.Normal_(l.Weight, 0, std)
		if len(opts) > 0 {
			torch.NoGrad(func() { l.Weight.Select(0, *padding).Zero_() })
		}
	}
	return l
}
