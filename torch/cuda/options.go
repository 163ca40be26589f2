package cuda

import (
	"github.com/gotorch/gotorch/torch"
)

// A StreamOption is an argument of [NewStream]: [Device] or [Priority].
type StreamOption interface{ streamOption() }

// A DeviceOption names the device that a function works on: [Device].
type DeviceOption interface{ deviceOption() }

// An EventOption is an argument of [NewEvent]: [EnableTiming].
type EventOption interface{ eventOption() }

// Device is the device; device in Python. The default is the current one.
type Device torch.Device

// Priority is the priority of a stream; priority in Python. Lower numbers go
// first; -1 is high. The default is 0; anything above is ErrValue.
type Priority int

// EnableTiming makes an event record the time, for Elapsed, at a small cost;
// enable_timing in Python. The default is false.
type EnableTiming bool

func (Device) streamOption()   {}
func (Priority) streamOption() {}

func (Device) deviceOption() {}

func (EnableTiming) eventOption() {}

// readDevice returns the device of the last option, else the current one.
func readDevice(op string, opts []DeviceOption) torch.Device {
	dev := torch.CUDA(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			dev = torch.Device(o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	return dev
}
