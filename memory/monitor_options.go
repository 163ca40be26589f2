package memory

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/trend"
	"github.com/gotorch/gotorch/torch"
)

// MonitorOptions are the settings of a [Monitor].
type MonitorOptions struct {
	// Interval is the time between two samples of Run. 0 means half a second.
	Interval time.Duration
	// Window is the number of newest samples that the trend is computed from, at least 10;
	// 0 means 300. A Monitor keeps only these samples and two coarser series of the same
	// length; see [Trend].
	Window int
	// Confidence is the confidence level of a verdict, between 0.5 and 1; 0 means 0.99. If
	// MinSamples is 20 or more, it may be up to 0.9999997; if MinSamples is 10, up to
	// 0.991.
	Confidence float64
	// MinSamples is the number of samples that a verdict needs, from 10 to Window; 0 means
	// 80, or Window if that is less. A cache that fills up within half of these samples raises no alert.
	MinSamples int
	// Tolerance is the growth that does not count as a leak, in bytes per second; 0 means
	// 1024. For counts, such as the number of tensors, it is Tolerance / 1024 per second.
	// For the two coarser series it is divided by 16 and by 256.
	Tolerance float64
	// Collect says whether to run the garbage collector before each sample, so that
	// garbage does not count as growth. Each collection takes milliseconds. If Collect is
	// false, the Monitor runs the collector only once a quantity seems to be growing, and
	// stops when the samples show whether there is a leak.
	Collect bool
	// Quantities are the quantities that may raise an alert; if empty, these are
	// NativeBytes, OpenTensors, OpenNodes and OpenObjects. The defaults leave out resident
	// memory and the two heaps, because these also vary without a leak. The C heap is read
	// only if CHeapBytes is in the list: reading it takes 0.2 µs per free block of malloc,
	// and no thread can allocate meanwhile.
	Quantities []Quantity
	// WalkGraphs lets an alert about OpenNodes name the lines that hold the nodes, if
	// TrackTensors is on. Set it only if no backward pass runs and no operator changes
	// tensors in place during a sample. This is the case if the loop itself calls Sample
	// between its steps.
	WalkGraphs bool
	// OnLeak is called when the verdict on a quantity has been Leaking for MinSamples / 5
	// consecutive samples. It is called again for a quantity only after the verdict has
	// been Flat. It runs on the goroutine that takes the samples.
	OnLeak func(Alert)
	// Logger logs a warning for each call of OnLeak, even if OnLeak is nil. A nil Logger
	// logs nothing.
	Logger *slog.Logger
}

func (o *MonitorOptions) setDefaults() error {
	if o.Interval < 0 || o.Window < 0 || o.MinSamples < 0 || !(o.Tolerance >= 0) {
		return device.Error("NewMonitor", torch.ErrValue,
			"Interval, Window, MinSamples and Tolerance must not be negative or NaN")
	}
	if o.Confidence != 0 && !(o.Confidence > 0.5 && o.Confidence < 1) {
		return device.Error("NewMonitor", torch.ErrValue, fmt.Sprintf("Confidence %v is not between 0.5 and 1",
			o.Confidence))
	}
	for _, q := range o.Quantities {
		switch q {
		case NativeBytes, OpenTensors, OpenNodes, OpenObjects, ResidentBytes, GoHeapBytes, CHeapBytes:
		default:
			return device.Error("NewMonitor", torch.ErrValue, fmt.Sprintf("Quantities: %q is not a quantity", q))
		}
	}
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&o.Window, 300)
	set(&o.MinSamples, min(80, o.Window))
	if o.Interval == 0 {
		o.Interval = time.Second / 2
	}
	if o.Confidence == 0 {
		o.Confidence = 0.99
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1024
	}
	if len(o.Quantities) == 0 {
		o.Quantities = []Quantity{NativeBytes, OpenTensors, OpenNodes, OpenObjects}
	}
	return o.checkVerdicts()
}

// checkVerdicts checks that there are enough samples for a verdict.
func (o *MonitorOptions) checkVerdicts() error {
	var says string
	switch {
	case o.Window < 10:
		says = fmt.Sprintf("Window: expected at least 10, got %d", o.Window)
	case o.MinSamples < 10 || o.MinSamples > o.Window:
		says = fmt.Sprintf("MinSamples: expected 10 to Window, which is %d, got %d", o.Window, o.MinSamples)
	case !trend.Decides(o.MinSamples, o.Confidence):
		says = fmt.Sprintf(
			"Confidence: %v cannot be reached with MinSamples %d: lower it, or raise MinSamples to up to 20",
			o.Confidence, o.MinSamples)
	default:
		return nil
	}
	return device.Error("NewMonitor", torch.ErrValue, says)
}
