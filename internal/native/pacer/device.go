package pacer

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/cuda"
)

// device is the state of a CUDA device. Each device has its own threshold, because
// freeing memory on one device does not help the others.
type device struct {
	*cuda.Counters
	index int
	alive atomic.Int64 // live bytes after the last collection
}

// devices are the CUDA devices, or nil until CUDA is in use.
var devices atomic.Pointer[[]device]

// AddDevices is called when CUDA has been opened. From then on, the pacer also counts the
// memory of CUDA devices.
func AddDevices(count int) {
	list := make([]device, count)
	for i := range list {
		list[i].Counters = cuda.CountersOf(i)
		list[i].index = i
		list[i].Threshold.Store(next(0))
	}
	devices.Store(&list)
	if cuda.Watch() != nil {
		startPolling()
	}
}

func each(fn func(*device)) {
	if list := devices.Load(); list != nil {
		for i := range *list {
			fn(&(*list)[i])
		}
	}
}

func armDevices() {
	each(func(d *device) { d.Threshold.Store(next(d.alive.Load())) })
}

func countDevices() {
	if polled.on.Load() {
		settle()
	}
	each(func(d *device) { d.alive.Store(d.LiveBytes.Load()) })
}

// devicesAbove reports whether any device uses more memory than factor times its
// threshold.
func devicesAbove(factor float64) (over bool) {
	each(func(d *device) {
		over = over || float64(d.LiveBytes.Load()) > factor*float64(d.Threshold.Load())
	})
	return over
}
