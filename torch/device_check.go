package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/cuda"
)

// Check returns nil if tensors can live on the device, and otherwise an *Error
// of kind ErrDevice that says why not: CUDA is not installed, installed in
// part, without a driver, or has fewer devices; or the Device was converted from a
// number that is none. It opens CUDA's library if that
// has not been done yet; every operation that names a CUDA device does so. For
// devices other than the CPU, CUDA and meta it does not know and returns nil.
// The zero Device stands for the default one, which is there.
func (d Device) Check() error {
	if e := d.check("Device.Check"); e != nil {
		return e
	}
	return nil
}

func (d Device) check(op string) *Error {
	switch {
	case !d.valid():
		return deviceError(op, fmt.Sprintf("%s is no device, one of CUDA is written torch.CUDA.At(n)", d), nil)
	case !d.IsCUDA():
		return nil
	}
	if err := cuda.Load(); err != nil {
		return deviceError(op, fmt.Sprintf("device %s is not available: %s", d, firstLine(err.Message)), err)
	}
	if n := cuda.DeviceCount(); d.Index() >= n {
		return deviceError(op, fmt.Sprintf("device %s is not available: there are %d CUDA devices, the first is cuda:0", d, n), nil)
	}
	return nil
}

func deviceError(op, message string, cause *cgotorch.Error) *Error {
	name, _ := splitOp(op)
	return &Error{Op: name, Kind: ErrDevice, Message: message, cause: cause}
}

// need panics if the device is not there. It stands before the crossing of
// every operator that takes a device.
func (d Device) need(op string) {
	if d == CPU {
		return
	}
	if err := d.check(op); err != nil {
		panic(err)
	}
}
