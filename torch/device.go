package torch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/plain"
)

// Device is where a tensor's data is stored. Follows torch.device. The zero
// Device means "not given": functions then use the default device, see
// [DefaultDevice]. A Device is an option of the creation functions.
type Device int32

// These are the devices that need no index. Each Device is libtorch's number plus one, so
// that the zero value can mean "not given".
const (
	CPU  Device = abi.DeviceCPU<<8 + 1
	Meta Device = abi.DeviceMeta<<8 + 1 // shapes and dtypes without data

	// CUDA is the current CUDA device of the goroutine; [Device.At] selects one.
	CUDA Device = abi.DeviceCUDA<<8 + 1

	// MPS is the GPU of Apple silicon. It is untested, and gotorch does not account for
	// its memory. With a libtorch built without MPS, using it panics with
	// ErrNotImplemented.
	MPS Device = deviceMPS<<8 + 1
)

// deviceMPS is libtorch's number for the MPS device type.
const deviceMPS = 13

// maxDeviceIndex is the largest device index that libtorch supports.
const maxDeviceIndex = 127

// At returns the device of d's type with an index: torch.CUDA.At(1) is cuda:1.
// It does not check whether the device exists; [Device.Check] does. It panics
// with ErrDevice for a type without indices, and with ErrValue for an index
// below 0 or above 127.
func (d Device) At(index int) Device {
	if d == 0 || d == CPU || d == Meta {
		panic(argError("Device.At", ErrDevice, "d",
			"expected a device type with indices, such as torch.CUDA, got "+d.String()))
	}
	if index < 0 || index > maxDeviceIndex {
		panic(argError("Device.At", ErrValue, "index",
			fmt.Sprintf("expected a device index from 0 to %d, got %d", maxDeviceIndex, index)))
	}
	return deviceOf(d.kind(), index)
}

func deviceOf(kind, index int) Device { return DeviceOf(int32(kind<<8 | (index + 1))) }

// DeviceOf converts a device number of package cgotorch to a Device.
func DeviceOf(code int32) Device { return Device(code + 1) }

var deviceNames = map[int]string{
	abi.DeviceCPU: "cpu", abi.DeviceCUDA: "cuda", 6: "hip", 9: "xla", 12: "xpu", deviceMPS: "mps",
	abi.DeviceMeta: "meta", 15: "hpu", 20: "privateuseone",
}

// valid reports whether d is a known device. Only a Device converted from an
// integer can be invalid.
func (d Device) valid() bool {
	if d == 0 || d == CPU {
		return true
	}
	_, named := deviceNames[d.kind()]
	return named && d.kind() != abi.DeviceCPU && d.Index() <= maxDeviceIndex
}

// code returns libtorch's number for the device, or -1 for the zero Device.
func (d Device) code() int32 { return int32(d) - 1 }

// kind returns libtorch's number for the device type, or -1 for the zero Device.
func (d Device) kind() int { return int(d.code() >> 8) }

// Type returns the device type, such as "cpu" or "cuda", or "default" for the
// zero Device.
func (d Device) Type() string {
	if d == 0 {
		return "default"
	}
	if n, ok := deviceNames[d.kind()]; ok {
		return n
	}
	return fmt.Sprintf("device%d", d.kind())
}

// Index returns the device's index, or -1 if it has none.
func (d Device) Index() int {
	if d == 0 {
		return -1
	}
	return int(d.code()&0xff) - 1
}

// IsCUDA reports whether the device is a CUDA device. It is false for the zero
// Device.
func (d Device) IsCUDA() bool { return d.kind() == abi.DeviceCUDA }

// IsCPU reports whether the device is the CPU. It is false for the zero Device.
func (d Device) IsCPU() bool { return d == CPU }

// String returns PyTorch's name, such as "cpu" or "cuda:0". It returns
// "default" for the zero Device, and text such as "Device(3)" for an invalid
// one.
func (d Device) String() string {
	if !d.valid() {
		return fmt.Sprintf("Device(%d)", int32(d))
	}
	if i := d.Index(); i >= 0 {
		return d.Type() + ":" + strconv.Itoa(i)
	}
	return d.Type()
}

// ParseDevice parses PyTorch's name of a device: "cpu", "cuda", "cuda:1". For
// any other text it returns an *Error of kind ErrValue.
func ParseDevice(s string) (Device, error) {
	name, number, numbered := strings.Cut(s, ":")
	index := -1
	if numbered {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > maxDeviceIndex {
			return 0, &Error{
				Op: "ParseDevice", Kind: ErrValue,
				Message: fmt.Sprintf("invalid device number %s in %s", plain.Quote(number), plain.Quote(s)),
			}
		}
		index = n
	}
	for kind, n := range deviceNames {
		if n == name {
			if kind == abi.DeviceCPU {
				return CPU, nil // PyTorch's cpu:0 is the same device
			}
			return deviceOf(kind, index), nil
		}
	}
	return 0, &Error{
		Op: "ParseDevice", Kind: ErrValue,
		Message: fmt.Sprintf("unknown device %s, expected cpu, cuda, cuda:N, mps, xpu or meta", plain.Quote(s)),
	}
}

// Code returns the number of the device for package cgotorch, or -1 for the
// zero Device. For a CUDA device it loads the CUDA library; if that fails, the
// operator that uses the device reports it.
func (d Device) Code() int32 {
	if d.IsCUDA() {
		cuda.Load()
	}
	return d.code()
}
