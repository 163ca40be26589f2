package dlpack

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// DeviceType is DLPack's number for a type of device; torch.utils.dlpack.DLDeviceType in
// Python.
type DeviceType int32

// These are the types of device. Tensors are on DLCPU and DLCUDA; memory of DLCUDAHost
// becomes a CPU tensor.
const (
	DLCPU         DeviceType = 1
	DLCUDA        DeviceType = 2
	DLCUDAHost    DeviceType = 3 // page-locked memory of the host
	DLOpenCL      DeviceType = 4
	DLVulkan      DeviceType = 7
	DLMetal       DeviceType = 8
	DLVPI         DeviceType = 9
	DLROCM        DeviceType = 10
	DLROCMHost    DeviceType = 11
	DLExtDev      DeviceType = 12
	DLCUDAManaged DeviceType = 13
	DLOneAPI      DeviceType = 14
	DLWebGPU      DeviceType = 15
	DLHexagon     DeviceType = 16
	DLMAIA        DeviceType = 17
)

// String returns DLPack's name, such as "kDLCPU".
func (t DeviceType) String() string {
	switch t {
	case DLCPU:
		return "kDLCPU"
	case DLCUDA:
		return "kDLCUDA"
	case DLCUDAHost:
		return "kDLCUDAHost"
	case DLOpenCL:
		return "kDLOpenCL"
	case DLVulkan:
		return "kDLVulkan"
	case DLMetal:
		return "kDLMetal"
	case DLVPI:
		return "kDLVPI"
	case DLROCM:
		return "kDLROCM"
	case DLROCMHost:
		return "kDLROCMHost"
	case DLExtDev:
		return "kDLExtDev"
	case DLCUDAManaged:
		return "kDLCUDAManaged"
	case DLOneAPI:
		return "kDLOneAPI"
	case DLWebGPU:
		return "kDLWebGPU"
	case DLHexagon:
		return "kDLHexagon"
	case DLMAIA:
		return "kDLMAIA"
	default:
		return fmt.Sprintf("DLDeviceType(%d)", int32(t))
	}
}

// DLDevice is a device in DLPack's terms. As an option of [ToDLPack] it is the device of
// the struct's memory; dl_device in Python. The zero DLDevice counts as not given.
type DLDevice struct {
	Type DeviceType
	ID   int // 0 for the CPU
}

// String returns the device as text, such as "kDLCUDA:1".
func (d DLDevice) String() string { return fmt.Sprintf("%v:%d", d.Type, d.ID) }

// DeviceOf returns the device of a tensor in DLPack's terms. Page-locked CPU memory is
// kDLCUDAHost. DeviceOf panics with ErrNil or ErrClosed for a nil or closed tensor, and
// with ErrDevice for a tensor that is not on the CPU or a CUDA device. Follows
// Tensor.__dlpack_device__.
func DeviceOf(x *torch.Tensor) DLDevice {
	const op = "dlpack.DeviceOf"
	if x.IsClosed() {
		panic(unusable(op, x))
	}
	switch d := x.Device(); {
	case d.IsCUDA():
		return DLDevice{DLCUDA, d.Index()}
	case !d.IsCPU():
		panic(torch.NewError(op, torch.ErrDevice, "x", fmt.Sprintf("tensors on %v are not supported", d)))
	case x.IsPinned():
		return DLDevice{Type: DLCUDAHost}
	default:
		return DLDevice{Type: DLCPU}
	}
}

func unusable(op string, x *torch.Tensor) *torch.Error {
	if x == nil {
		return torch.NewError(op, torch.ErrNil, "x", "a nil *Tensor")
	}
	return torch.NewError(op, torch.ErrClosed, "x", "tensor used after Close")
}

// torch returns libtorch's device, and false for an unsupported device. For host memory,
// ID is ignored.
func (d DLDevice) torch() (torch.Device, bool) {
	switch {
	case d.Type == DLCPU || d.Type == DLCUDAHost:
		return torch.CPU, true
	case d.Type == DLCUDA && d.ID >= 0 && d.ID <= 127:
		return torch.CUDA.At(d.ID), true
	default:
		return 0, false
	}
}
