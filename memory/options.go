package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A SummaryOption is an argument of [Summary]: [Abbreviated].
type SummaryOption interface{ summaryOption() }

// A TrackOption is an argument of [Track] and [StartTrack]: [Device].
type TrackOption interface{ trackOption() }

// Abbreviated leaves out the rows of the two pools, abbreviated in Python. The
// default is false.
type Abbreviated bool

// Device is the device whose memory is tracked. The default is
// torch.DefaultDevice.
type Device torch.Device

func (Abbreviated) summaryOption() {}

func (Device) trackOption() {}

func readAbbreviated(opts []SummaryOption) (short bool) {
	for i, o := range opts {
		switch o := o.(type) {
		case Abbreviated:
			short = bool(o)
		default:
			panic(nilOption("Summary", i))
		}
	}
	return short
}

func readTracked(op string, opts []TrackOption) torch.Device {
	var dev torch.Device // the zero Device is the default one
	for i, o := range opts {
		switch o := o.(type) {
		case Device:
			dev = torch.Device(o)
		default:
			panic(nilOption(op, i))
		}
	}
	return dev
}

func nilOption(op string, i int) *torch.Error {
	return deviceError(op, torch.ErrNil, fmt.Sprintf("option %d is nil", i))
}
