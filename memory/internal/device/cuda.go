package device

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// cudaAllocator is libtorch's caching allocator for the CUDA device with this index.
type cudaAllocator struct{ index int }

// cudaOf returns the allocator of a CUDA device. The device must exist.
func cudaOf(dev torch.Device) Allocator {
	index := dev.Index()
	if index < 0 {
		index = modes.CurrentDevice()
	}
	return cudaAllocator{index}
}

// CUDAError converts an error of the CUDA library to a *torch.Error that names op, a
// function of package memory.
func CUDAError(op string, err *cgotorch.Error) *torch.Error {
	kind := torch.ErrRuntime
	if err.Kind == cgotorch.KindMissing {
		kind = torch.ErrNotImplemented
	}
	message, _, _ := strings.Cut(err.Message, "\n")
	return Error(op, kind, message)
}

// MustCUDA panics with the CUDAError of err if err is not nil.
func MustCUDA(op string, err *cgotorch.Error) {
	if err != nil {
		panic(CUDAError(op, err))
	}
}

func (c cudaAllocator) Read(s *mem.Stats) { MustCUDA("Stats", cuda.Stats(c.index, s)) }
func (c cudaAllocator) ResetPeak()        { MustCUDA("ResetPeak", cuda.ResetPeak(c.index)) }
func (c cudaAllocator) ResetAccumulated() {
	MustCUDA("ResetAccumulated", cuda.ResetAccumulated(c.index))
}

func (c cudaAllocator) EmptyCache() {
	MustCUDA("EmptyCache", cuda.EmptyCache(c.index, modes.Current().Pool))
}

func (c cudaAllocator) Info() (free, total int64, err error) {
	free, total, e := cuda.MemInfo(c.index)
	if e != nil {
		return 0, 0, CUDAError("MemGetInfo", e)
	}
	return free, total, nil
}

func (c cudaAllocator) Name() string {
	name, err := cuda.Backend()
	MustCUDA("Backend", err)
	return name
}

func (c cudaAllocator) Device() torch.Device { return torch.CUDA.At(c.index) }

func (c cudaAllocator) WindowOpen(op string) int64 {
	id, err := cuda.WindowOpen(c.index)
	MustCUDA(op, err)
	return id
}

func (c cudaAllocator) WindowRead(id int64, w *mem.Window, end bool) {
	MustCUDA("Tracking", cuda.WindowRead(c.index, id, w, end))
}

// SetLimit limits reserved memory to a fraction of the device's memory, the only kind of
// limit that libtorch's CUDA allocator has.
func (c cudaAllocator) SetLimit(bytes int64) error {
	_, total, err := c.Info()
	if err != nil {
		return err
	}
	if bytes == 0 || bytes >= total {
		bytes = total
	}
	var s mem.Stats
	c.Read(&s)
	if held := s.AllocatedBytes[0].Current; held > bytes {
		return Error("SetLimit", torch.ErrValue,
			fmt.Sprintf("limit of %d bytes (%s) on cuda:%d is below the %d bytes (%s) that live tensors hold",
				bytes, units.Size(bytes), c.index, held, units.Size(held)))
	}
	return CUDAErrorOrNil("SetLimit", cuda.SetFraction(c.index, float64(bytes)/float64(total)))
}

func (c cudaAllocator) Limit() int64 {
	f, err := cuda.Fraction(c.index)
	MustCUDA("Limit", err)
	if f >= 1 {
		return 0
	}
	_, total, e := c.Info()
	if e != nil {
		panic(e)
	}
	return int64(math.Round(f * float64(total)))
}

// CUDAErrorOrNil is like CUDAError, but returns nil if err is nil.
func CUDAErrorOrNil(op string, err *cgotorch.Error) error {
	if err == nil {
		return nil
	}
	return CUDAError(op, err)
}

// NativeBackend is the name of libtorch's own caching allocator.
const NativeBackend = "native"

// NativeCUDA reports whether the CUDA allocator is libtorch's own, which has histories,
// reports and pools. cudaMallocAsync does not have these.
func NativeCUDA() bool {
	name, err := cuda.Backend()
	return err == nil && name == NativeBackend
}

// Used returns the devices that hold memory of this process: the CUDA devices if CUDA is
// in use, then the CPU.
func Used() []torch.Device {
	var list []torch.Device
	for i := range cuda.DeviceCount() {
		list = append(list, torch.CUDA.At(i))
	}
	return append(list, torch.CPU)
}

// CUDAIndex returns the number of an allocator's CUDA device.
func CUDAIndex(a Allocator) (index int, ok bool) {
	c, ok := a.(cudaAllocator)
	return c.index, ok
}
