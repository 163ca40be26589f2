package pacer

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// polled is used if libtorch does not report the blocks of CUDA devices, because the
// allocator is cudaMallocAsync or the build had no CUDA headers. Then the live bytes of
// the devices are read from the driver before every pollEvery-th operator. To make this
// happen, the flag that Pressed checks stays raised. Other programs do not pay for this.
var polled struct {
	on    atomic.Bool
	calls atomic.Uint64
}

const pollEvery = 8

// startPolling is called if the allocator cannot report blocks.
func startPolling() {
	polled.on.Store(true)
	lower()
}

// lower lowers the flag, unless every operator has to check.
func lower() {
	var raised uint32
	if polled.on.Load() {
		raised = 1
	}
	mem.CPU.Pressure.Store(raised)
}

// poll reads the live bytes of the devices.
func poll() {
	each(func(d *device) {
		var s mem.Stats
		if cuda.Stats(d.index, &s) == nil {
			d.LiveBytes.Store(s.AllocatedBytes[0].Current)
		}
	})
}

// settle waits for the devices in use and reads their live bytes. Memory that is freed in
// stream order counts as live until the stream reaches the free.
func settle() {
	poll()
	each(func(d *device) {
		if d.LiveBytes.Load() > 0 {
			_ = cuda.Synchronize(d.index) // a lost device is reported by the next operator
		}
	})
	poll()
}

// above reports whether the memory of the CPU or of a device is above its threshold.
func above() bool {
	return charged() > mem.CPU.Threshold.Load() || devicesAbove(1)
}

// raised reports whether the next operator must call Relieve, given that the flag is
// raised.
func raised() bool {
	if !polled.on.Load() {
		return true
	}
	if polled.calls.Add(1)%pollEvery == 0 {
		poll()
	}
	return above() || mem.CPU.Offered.Load() > mem.CPU.LookAt.Load()
}
