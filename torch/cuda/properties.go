package cuda

import (
	"fmt"
	"regexp"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

// DeviceProperties are the properties of a device that the driver reports. Memory is in
// bytes, clock rates are in kHz, and the width of the memory bus is in bits. Follows the
// fields of torch.cuda.get_device_properties.
type DeviceProperties struct {
	Name         string
	Major, Minor int // the compute capability
	TotalMemory  int64

	MultiProcessorCount           int
	MaxThreadsPerMultiProcessor   int
	MaxThreadsPerBlock            int
	WarpSize                      int
	RegsPerMultiprocessor         int
	SharedMemoryPerBlock          int
	SharedMemoryPerBlockOptin     int
	SharedMemoryPerMultiprocessor int
	L2CacheSize                   int

	ClockRate, MemoryClockRate, MemoryBusWidth int
	PCIBusID, PCIDeviceID, PCIDomainID         int
	IsIntegrated, IsMultiGPUBoard              bool
	UUID                                       string // as nvidia-smi shows it, such as 8d9f2a3c-...
}

// String returns what Python prints.
func (p DeviceProperties) String() string {
	return fmt.Sprintf("_CudaDeviceProperties(name='%s', major=%d, minor=%d, total_memory=%dMB, "+
		"multi_processor_count=%d, uuid=%s, pci_bus_id=%d, pci_device_id=%d, pci_domain_id=%d, L2_cache_size=%dMB)",
		p.Name, p.Major, p.Minor, p.TotalMemory>>20, p.MultiProcessorCount, p.UUID, p.PCIBusID, p.PCIDeviceID,
		p.PCIDomainID, p.L2CacheSize>>20)
}

// GetDeviceProperties returns the properties of a device. torch.CUDA stands for the
// current device. It panics with ErrDevice for an unavailable device. Follows
// torch.cuda.get_device_properties.
func GetDeviceProperties(dev torch.Device) DeviceProperties {
	const op = "GetDeviceProperties"
	index := require(op, dev)
	raw, err := native.ReadProperties(index)
	must(op, err)
	p := DeviceProperties{
		Name: raw.Name, TotalMemory: raw.TotalMemory,
		UUID: fmt.Sprintf("%x-%x-%x-%x-%x", raw.UUID[:4], raw.UUID[4:6], raw.UUID[6:8], raw.UUID[8:10], raw.UUID[10:]),
	}
	var integrated, board int
	// The keys are the values of CUDA's cudaDeviceAttr.
	for which, field := range map[int]*int{
		75: &p.Major, 76: &p.Minor, 16: &p.MultiProcessorCount, 39: &p.MaxThreadsPerMultiProcessor,
		1:  &p.MaxThreadsPerBlock,
		10: &p.WarpSize, 82: &p.RegsPerMultiprocessor, 8: &p.SharedMemoryPerBlock, 97: &p.SharedMemoryPerBlockOptin,
		81: &p.SharedMemoryPerMultiprocessor, 38: &p.L2CacheSize, 13: &p.ClockRate, 36: &p.MemoryClockRate,
		37: &p.MemoryBusWidth, 33: &p.PCIBusID, 34: &p.PCIDeviceID, 50: &p.PCIDomainID, 18: &integrated, 84: &board,
	} {
		*field, err = native.Attribute(index, which)
		must(op, err)
	}
	p.IsIntegrated, p.IsMultiGPUBoard = integrated != 0, board != 0
	return p
}

// DeviceName returns the name of a device. torch.CUDA stands for the current device. It
// panics with ErrDevice for an unavailable device. Follows torch.cuda.get_device_name.
func DeviceName(dev torch.Device) string {
	p, err := native.ReadProperties(require("GetDeviceName", dev))
	must("GetDeviceName", err)
	return p.Name
}

// DeviceCapability returns the compute capability of a device, such as 9 and 0 for
// sm_90. torch.CUDA stands for the current device. It panics with ErrDevice for an
// unavailable device. Follows torch.cuda.get_device_capability.
func DeviceCapability(dev torch.Device) (major, minor int) {
	const op = "GetDeviceCapability"
	index := require(op, dev)
	major, err := native.Attribute(index, 75)
	must(op, err)
	minor, err = native.Attribute(index, 76)
	must(op, err)
	return major, minor
}

// CanDeviceAccessPeer reports whether dev can access the memory of peer. If so,
// libtorch copies directly between the two devices, without using CPU memory. It panics
// with ErrDevice for an unavailable device. Follows torch.cuda.can_device_access_peer.
func CanDeviceAccessPeer(dev, peer torch.Device) bool {
	const op = "CanDeviceAccessPeer"
	a, b := require(op, dev), require(op, peer)
	can, err := native.CanAccessPeer(a, b)
	must(op, err)
	return can
}

// IsBF16Supported reports whether the current device computes in bfloat16. Devices with
// compute capability 8 or higher do so natively. With includingEmulation it also returns
// true for devices that compute through float32, which all devices can. Without CUDA it
// returns false. Follows torch.cuda.is_bf16_supported(including_emulation).
func IsBF16Supported(includingEmulation bool) bool {
	if !IsAvailable() {
		return false
	}
	if major, _ := DeviceCapability(torch.CUDA); major >= 8 {
		return true
	}
	if !includingEmulation {
		return false
	}
	return torch.Try(func() { torch.Empty(torch.Shape{1}, torch.BFloat16, torch.CUDA).Close() }) == nil
}

// IsTF32Supported reports whether the current device supports TensorFloat32, which
// requires compute capability 8 or higher. Without CUDA it returns false. Follows
// torch.cuda.is_tf32_supported.
func IsTF32Supported() bool { return IsBF16Supported(false) }

var architecture = regexp.MustCompile(`code=(\w+)`)

// ArchList returns the architectures for which libtorch's CUDA library was compiled,
// such as sm_90. Without CUDA the list is empty. Follows torch.cuda.get_arch_list.
func ArchList() []string {
	if !IsAvailable() {
		return nil
	}
	config, err := native.Config()
	must("GetArchList", err)
	var list []string
	for _, m := range architecture.FindAllStringSubmatch(config, -1) {
		list = append(list, m[1])
	}
	return list
}
