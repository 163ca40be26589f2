package cuda

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// IsAvailable reports whether a CUDA device can be used. It loads the CUDA library.
// Follows torch.cuda.is_available.
func IsAvailable() bool { return Init() == nil && native.DeviceCount() > 0 }

// Init loads and initializes the CUDA library. If that is not possible, it returns a
// *torch.Error of kind torch.ErrDevice that says why. Programs need not call Init: the
// first use of a CUDA device does the same. Follows torch.cuda.init.
func Init() error { return torch.CUDA.Check() }

// DeviceCount returns the number of CUDA devices. Without CUDA it returns 0. Follows
// torch.cuda.device_count.
func DeviceCount() int {
	if Init() != nil {
		return 0
	}
	return native.DeviceCount()
}

// CurrentDevice returns the device that torch.CUDA stands for: the device of the
// enclosing WithDevice or Stream.Do, otherwise the first one. It panics with ErrDevice
// without CUDA. Follows torch.cuda.current_device.
func CurrentDevice() torch.Device {
	return torch.CUDA.At(require("CurrentDevice", torch.CUDA))
}

// WithDevice runs fn with dev as the current device of this goroutine. Goroutines that fn
// starts do not inherit it. It panics with ErrDevice if dev is unavailable, and with
// ErrNil for a nil fn. Follows the context manager torch.cuda.device.
func WithDevice(dev torch.Device, fn func()) {
	if fn == nil {
		panic(torch.NilFunc("cuda.WithDevice", "fn"))
	}
	modes.Device("cuda.WithDevice", require("WithDevice", dev), fn)
}

// Synchronize waits until the given devices, or by default the current device, have
// finished all their work. It panics with ErrDevice for an unavailable device, and with
// ErrRuntime if a device has failed since the last wait. Follows torch.cuda.synchronize.
func Synchronize(devices ...torch.Device) {
	if len(devices) == 0 {
		devices = []torch.Device{torch.CUDA}
	}
	for _, d := range devices {
		must("Synchronize", native.Synchronize(require("Synchronize", d)))
	}
}

// require loads CUDA and returns the index of the device. The zero device stands for the
// current one. It panics if the device is unavailable.
func require(op string, dev torch.Device) int {
	if dev == 0 {
		dev = torch.CUDA
	}
	if !dev.IsCUDA() {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrDevice,
			Message: fmt.Sprintf("expected a CUDA device, got %s", dev),
		})
	}
	if err := dev.Check(); err != nil {
		e := *err.(*torch.Error) //nolint:errorlint // Check returns no other
		e.Op = "cuda." + op
		panic(&e)
	}
	if i := dev.Index(); i >= 0 {
		return i
	}
	return modes.CurrentDevice()
}

func must(op string, err *cgotorch.Error) {
	if err == nil {
		return
	}
	message, _, _ := strings.Cut(err.Message, "\n")
	panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrRuntime, Message: message})
}
