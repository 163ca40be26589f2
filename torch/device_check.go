package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/cuda"
)

// Check returns nil if the device is available, and otherwise an *Error of kind ErrDevice
// with the reason. CUDA may be missing or incompletely installed, lack a driver, or have
// fewer devices. For CUDA, Check loads the CUDA library first. It returns nil without
// checking for devices other than CPU, CUDA and meta, and for the zero Device.
func (d Device) Check() error {
	if e := d.check("Device.Check"); e != nil {
		return e
	}
	return nil
}

func (d Device) check(op string) *Error {
	switch {
	case !d.valid():
		return deviceError(op, fmt.Sprintf("%s is not a device; write CUDA devices as torch.CUDA.At(n)", d), nil)
	case !d.IsCUDA():
		return nil
	}
	if err := cuda.Load(); err != nil {
		return deviceError(op, fmt.Sprintf("device %s is not available: %s", d, firstLine(err.Message)), err)
	}
	if n := cuda.DeviceCount(); d.Index() >= n {
		return deviceError(op,
			fmt.Sprintf("device %s is not available: there are %d CUDA devices, the first is cuda:0", d, n), nil)
	}
	return nil
}

func deviceError(op, message string, cause *cgotorch.Error) *Error {
	name, _ := splitOp(op)
	return &Error{Op: name, Kind: ErrDevice, Message: message, cause: cause}
}

// need panics if the device is not available. Every operator that takes a
// device calls it before native code.
func (d Device) need(op string) {
	if d == CPU {
		return
	}
	if err := d.check(op); err != nil {
		panic(err)
	}
}
