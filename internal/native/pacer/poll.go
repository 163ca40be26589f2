package pacer

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// polled is set when nobody reports the blocks of CUDA devices, because the
// allocator is cudaMallocAsync or there were no CUDA headers to build with. Their
// live bytes are then read from the driver before every pollEvery-th operator.
// Otherwise nobody pays for that: here the flag that Pressed looks at stays
// raised.
var polled struct {
	on    atomic.Bool
	calls atomic.Uint64
}

const pollEvery = 8

// startPolling is for devices that Watch refused.
func startPolling() {
	polled.on.Store(true)
	lower()
}

// lower takes the flag down, unless somebody has to look at each operator.
func lower() {
	var raised uint32
	if polled.on.Load() {
		raised = 1
	}
	mem.CPU.Pressure.Store(raised)
}

// poll reads what the devices hold.
func poll() {
	each(func(d *device) {
		var s mem.Stats
		if cuda.Stats(d.index, &s) == nil {
			d.LiveBytes.Store(s.AllocatedBytes[0].Current)
		}
	})
}

// settle reads what the devices in use hold when they have done their work: what
// is freed in the order of a stream counts until the stream gets there.
func settle() {
	poll()
	each(func(d *device) {
		if d.LiveBytes.Load() > 0 {
			_ = cuda.Synchronize(d.index) // a lost device shows elsewhere
		}
	})
	poll()
}

// above reports whether native memory is above a threshold.
func above() bool {
	return charged() > mem.CPU.Threshold.Load() || devicesAbove(1)
}

// raised reports whether the flag means that somebody has to look.
func raised() bool {
	if !polled.on.Load() {
		return true
	}
	if polled.calls.Add(1)%pollEvery == 0 {
		poll()
	}
	return above() || mem.CPU.Offered.Load() > mem.CPU.LookAt.Load()
}
