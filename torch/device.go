package torch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/cuda"
)

// Device is where a tensor lives, torch.device in Python. The zero Device is
// the CPU. A Device is an Option of the creation functions.
type Device int32

// The devices that need no number.
const (
	CPU  Device = 0
	Meta Device = 14 << 8 // shapes and dtypes without data
)

// CUDA returns the CUDA device with the given number; a negative number means
// the current one.
func CUDA(index int) Device { return deviceOf(1, index) }

func deviceOf(kind, index int) Device {
	return Device(kind<<8 | (max(index, -1)+1)&0xff)
}

var deviceNames = map[int]string{
	0: "cpu", 1: "cuda", 6: "hip", 9: "xla", 12: "xpu", 13: "mps", 14: "meta", 15: "hpu", 20: "privateuseone",
}

// Type returns the kind of device, such as "cpu" or "cuda".
func (d Device) Type() string {
	if n, ok := deviceNames[int(d>>8)]; ok {
		return n
	}
	return fmt.Sprintf("device%d", int(d>>8))
}

// Index returns the device's number, -1 if it has none.
func (d Device) Index() int { return int(d&0xff) - 1 }

// IsCUDA reports whether the device is a CUDA device.
func (d Device) IsCUDA() bool { return d>>8 == 1 }

// IsCPU reports whether the device is the CPU.
func (d Device) IsCPU() bool { return d>>8 == 0 }

// String returns PyTorch's name, such as "cpu" or "cuda:0".
func (d Device) String() string {
	if i := d.Index(); i >= 0 {
		return d.Type() + ":" + strconv.Itoa(i)
	}
	return d.Type()
}

// ParseDevice reads PyTorch's name of a device: "cpu", "cuda", "cuda:1".
func ParseDevice(s string) (Device, error) {
	name, number, numbered := strings.Cut(s, ":")
	index := -1
	if numbered {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 127 {
			return CPU, &Error{Op: "ParseDevice", Kind: ErrValue, Message: fmt.Sprintf("invalid device number %q in %q", number, s)}
		}
		index = n
	}
	for kind, n := range deviceNames {
		if n == name {
			if kind == 0 {
				return CPU, nil // PyTorch's cpu:0 is the same place
			}
			return deviceOf(kind, index), nil
		}
	}
	return CPU, &Error{Op: "ParseDevice", Kind: ErrValue, Message: fmt.Sprintf("unknown device %q, expected cpu, cuda, cuda:N, mps, xpu or meta", s)}
}

// Code returns the number that package cgotorch takes for the device. For a
// CUDA device it opens CUDA's library, as an operator is about to need it; if
// that fails, the operator says so.
func (d Device) Code() int32 {
	if d.IsCUDA() {
		cuda.Load()
	}
	return int32(d)
}
