package memory

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A SummaryOption is an argument of [Summary]: [Abbreviated].
//
//gotorch:options Abbreviated
type SummaryOption interface{ summaryOption() }

// A TrackOption is an argument of [Track] and [StartTrack]: [Device].
//
//gotorch:options Device
type TrackOption interface{ trackOption() }

// Abbreviated says whether a summary omits the rows about the small pool and the large
// pool. The default is false. In PyTorch: abbreviated.
type Abbreviated bool

// Device is the device whose memory is tracked. The default is
// torch.DefaultDevice.
type Device torch.Device

func readAbbreviated(opts []SummaryOption) (short bool) {
	return bool(opt.Read("memory.Summary", opts, Abbreviated(false)))
}

func readTracked(op string, opts []TrackOption) torch.Device {
	var dev torch.Device // the default device
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			dev = torch.Device(o)
		default:
			panic(torch.BadOption("memory."+op, o))
		}
	}
	return dev
}
