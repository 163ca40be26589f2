package gguf

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [File.Load] and [File.Source]: [DType] or [Device].
//
//gotorch:options DType Device
type LoadOption interface{ loadOption() }

// DType is the dtype of the loaded tensor. The default, and the zero DType, is
// torch.Float32.
type DType torch.DType

// Device is the device to which tensors are loaded. The default, and the zero Device, is
// the CPU, even if a default device is set.
type Device torch.Device

// loading holds the values of LoadOptions.
type loading struct {
	dtype  torch.DType
	device torch.Device
}

// readLoading reads the options. It panics for an invalid option and returns an error for
// an unavailable device.
func readLoading(op string, opts []LoadOption) (loading, error) {
	dtype, device := opt.Read2(op, opts, DType(torch.Float32), Device(torch.CPU))
	l := loading{dtype: torch.DType(dtype), device: torch.Device(device)}
	if l.dtype == 0 {
		l.dtype = torch.Float32
	}
	if l.device == 0 {
		l.device = torch.CPU
	}
	return l, opt.MissingDevice(op, l.device)
}
