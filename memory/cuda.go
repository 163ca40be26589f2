package memory

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/torch"
)

// cudaAllocator is libtorch's caching allocator on one device.
type cudaAllocator struct{ index int }

// cudaAllocatorOf returns that of a device that is there.
func cudaAllocatorOf(op string, dev torch.Device) (allocator, error) {
	index := dev.Index()
	if index < 0 {
		i, err := cuda.Device()
		if err != nil {
			return nil, cudaError(op, err)
		}
		index = i
	}
	return cudaAllocator{index}, nil
}

// cudaError is an error of the CUDA library in this package's words.
func cudaError(op string, err *cgotorch.Error) *torch.Error {
	kind := torch.ErrRuntime
	if err.Kind == cgotorch.KindMissing {
		kind = torch.ErrNotImplemented
	}
	message, _, _ := strings.Cut(err.Message, "\n")
	return deviceError(op, kind, message)
}

func mustCUDA(op string, err *cgotorch.Error) {
	if err != nil {
		panic(cudaError(op, err))
	}
}

func (c cudaAllocator) read(s *mem.Stats) { mustCUDA("Stats", cuda.Stats(c.index, s)) }
func (c cudaAllocator) resetPeak()        { mustCUDA("ResetPeak", cuda.ResetPeak(c.index)) }
func (c cudaAllocator) resetAccumulated() {
	mustCUDA("ResetAccumulated", cuda.ResetAccumulated(c.index))
}

func (c cudaAllocator) emptyCache() { mustCUDA("EmptyCache", cuda.EmptyCache(c.index)) }

func (c cudaAllocator) info() (free, total int64, err error) {
	free, total, e := cuda.MemInfo(c.index)
	if e != nil {
		return 0, 0, cudaError("MemGetInfo", e)
	}
	return free, total, nil
}

func (c cudaAllocator) name() string {
	name, err := cuda.Backend()
	mustCUDA("Backend", err)
	return name
}

func (c cudaAllocator) device() torch.Device { return torch.CUDA(c.index) }

func (c cudaAllocator) windowOpen(op string) int64 {
	id, err := cuda.WindowOpen(c.index)
	mustCUDA(op, err)
	return id
}

func (c cudaAllocator) windowRead(id int64, w *mem.Window, end bool) {
	mustCUDA("Tracking", cuda.WindowRead(c.index, id, w, end))
}

// setLimit goes by PyTorch's fraction of the device's memory, the one bound
// that its allocator knows.
func (c cudaAllocator) setLimit(bytes int64) error {
	_, total, err := c.info()
	if err != nil {
		return err
	}
	if bytes == 0 || bytes >= total {
		bytes = total
	}
	var s mem.Stats
	c.read(&s)
	if held := s.AllocatedBytes[0].Current; held > bytes {
		return deviceError("SetLimit", torch.ErrValue, fmt.Sprintf("limit of %d bytes (%s) on cuda:%d is below the %d bytes (%s) that live tensors hold",
			bytes, size(bytes), c.index, held, size(held)))
	}
	return errOrNil("SetLimit", cuda.SetFraction(c.index, float64(bytes)/float64(total)))
}

func (c cudaAllocator) limit() int64 {
	f, err := cuda.Fraction(c.index)
	mustCUDA("Limit", err)
	if f >= 1 {
		return 0
	}
	_, total, e := c.info()
	if e != nil {
		panic(e)
	}
	return int64(math.Round(f * float64(total)))
}

func errOrNil(op string, err *cgotorch.Error) error {
	if err == nil {
		return nil
	}
	return cudaError(op, err)
}

// nativeBackend is the name of libtorch's own caching allocator.
const nativeBackend = "native"

// nativeCUDA reports whether CUDA's allocator is the one with histories, reports
// and pools, and not cudaMallocAsync.
func nativeCUDA() bool {
	name, err := cuda.Backend()
	return err == nil && name == nativeBackend
}

// usedDevices are the devices that have memory of this process: the CUDA ones
// once CUDA is in use, and the CPU, last.
func usedDevices() []torch.Device {
	var list []torch.Device
	for i := range cuda.DeviceCount() {
		list = append(list, torch.CUDA(i))
	}
	return append(list, torch.CPU)
}

// Synchronize waits until a device has finished all work given to it. For the
// CPU it returns at once. It returns a *torch.Error of kind torch.ErrDevice for
// a device that is not there. In PyTorch: torch.cuda.synchronize.
func Synchronize(dev torch.Device) error {
	if dev.IsCPU() {
		return nil
	}
	a, err := allocatorOf("Synchronize", dev)
	if err != nil {
		return err
	}
	c, ok := a.(cudaAllocator)
	if !ok {
		return nil
	}
	return errOrNil("Synchronize", cuda.Synchronize(c.index))
}
