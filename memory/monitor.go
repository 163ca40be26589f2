package memory

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/trend"
	"github.com/gotorch/gotorch/torch"
)

// MonitorOptions are the settings of a [Monitor].
type MonitorOptions struct {
	// Interval is how often Run samples; 0 means every half second.
	Interval time.Duration
	// Window is the number of newest samples that the trend is computed from, at least 10; 0
	// means 300. A Monitor keeps only these samples and two coarser series of that size,
	// see [Trend].
	Window int
	// Confidence is the confidence level of a verdict, between 0.5 and 1; 0 means 0.99. With
	// 20 samples or more it may be up to 0.9999997, with 10 up to 0.991.
	Confidence float64
	// MinSamples is the number of samples that a verdict needs, from 10 to Window; 0 means
	// 80, or Window if that is less. A cache that fills up within half of these samples raises no alert.
	MinSamples int
	// Tolerance is the growth that does not count as a leak, in bytes per second; 0
	// means 1024. For counts, such as the number of tensors, it is Tolerance / 1024
	// per second. For the coarser series it is a 16th and a 256th of that.
	Tolerance float64
	// Collect runs the garbage collector before each sample, so that garbage does not
	// count as growth. It takes milliseconds. Without it a Monitor collects only when a
	// quantity seems to leak, until the samples show whether it does.
	Collect bool
	// Quantities are the quantities that may raise an alert; empty means NativeBytes,
	// OpenTensors, OpenNodes and OpenObjects. Resident memory and the two heaps also
	// vary without a leak. The C heap is read only if CHeapBytes is in the list:
	// reading it takes 0.2 µs per free block of malloc, and blocks malloc meanwhile.
	Quantities []Quantity
	// OnLeak is called when the verdict on a quantity has been Leaking for
	// MinSamples / 5 samples. It is called again for that quantity only after the
	// quantity has been flat. It runs on the goroutine that takes the samples.
	OnLeak func(Trend)
	// Logger logs a warning whenever OnLeak would be called; nil turns that off.
	Logger *slog.Logger
}

func (o *MonitorOptions) defaults() error {
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
	return o.verdicts()
}

// verdicts checks that there are enough samples for a verdict.
func (o *MonitorOptions) verdicts() error {
	var says string
	switch {
	case o.Window < 10:
		says = fmt.Sprintf("Window: expected at least 10, got %d", o.Window)
	case o.MinSamples < 10 || o.MinSamples > o.Window:
		says = fmt.Sprintf("MinSamples: expected 10 to Window, which is %d, got %d", o.Window, o.MinSamples)
	case !trend.Decides(o.MinSamples, o.Confidence):
		says = fmt.Sprintf("Confidence: %v cannot be reached with MinSamples %d: lower it, or raise MinSamples to up to 20",
			o.Confidence, o.MinSamples)
	default:
		return nil
	}
	return device.Error("NewMonitor", torch.ErrValue, says)
}

// Monitor samples memory over time and detects growth. It is safe for concurrent
// use.
type Monitor struct {
	options MonitorOptions

	mu    sync.Mutex
	watch *trend.Watch[Sample] // of quantities, in the order of that list
	now   func() time.Time
}

// NewMonitor returns a Monitor without samples. [Monitor.Run] takes samples at an
// interval; [Monitor.Sample] and [Monitor.Add] add one sample. NewMonitor returns
// a *torch.Error of kind ErrValue for invalid settings.
func NewMonitor(opts MonitorOptions) (*Monitor, error) {
	if err := opts.defaults(); err != nil {
		return nil, err
	}
	var watched []trend.Quantity[Sample]
	nodes, _ := objects.Counts()
	known := nodes >= 0
	for _, q := range quantities {
		tolerance := opts.Tolerance
		if q == OpenTensors || q == OpenNodes || q == OpenObjects {
			tolerance /= 1024
		}
		watched = append(watched, trend.Quantity[Sample]{
			Value:     func(s Sample) float64 { return s.value(q) },
			Tolerance: tolerance, Optional: q == CHeapBytes || q == ResidentBytes || q == OpenNodes && !known,
		})
	}
	o := trend.Options{Window: opts.Window, MinSamples: opts.MinSamples, Confidence: opts.Confidence}
	for _, q := range opts.Quantities {
		o.Alerts = append(o.Alerts, slices.Index(quantities, q))
	}
	return &Monitor{options: opts, watch: trend.New(o, watched), now: time.Now}, nil
}

// Run takes samples at the interval until ctx is done, and returns ctx's error. A nil ctx is
// an error of kind torch.ErrNil.
func (m *Monitor) Run(ctx context.Context) error {
	made("Monitor.Run", "NewMonitor", m != nil && m.watch != nil)
	if ctx == nil {
		return torch.NewError("memory.Monitor.Run", torch.ErrNil, "ctx", "a nil context")
	}
	tick := time.NewTicker(m.options.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			m.Sample()
		}
	}
}

// Sample takes a sample, adds it and returns it. It first collects garbage if
// MonitorOptions.Collect is set, if a quantity seems to leak, or for the first of 256 samples.
// If the clock was set back, the monitor forgets its samples and begins anew.
func (m *Monitor) Sample() Sample {
	made("Monitor.Sample", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	collect := m.options.Collect || m.watch.Probing()
	m.mu.Unlock()
	if collect {
		Collect()
	}
	s := Sample{Time: m.now(), Native: Requested(torch.CPU), Tensors: torch.NumLiveTensors()}
	nodes, others := objects.Counts()
	s.Nodes, s.Objects = max(nodes, 0), others
	s.Resident, _ = resident()
	s.GoHeap = goHeap()
	if slices.Contains(m.options.Quantities, CHeapBytes) {
		s.CHeap = mem.ReadCHeap().InUse
	}
	m.alert(m.taken(s, !collect))
	return s
}

// Add adds a sample that was taken elsewhere, and raises alerts. The sample should not
// contain garbage. Add panics with torch.ErrValue if it is not newer than the previous ones.
func (m *Monitor) Add(s Sample) {
	made("Monitor.Add", "NewMonitor", m != nil && m.watch != nil)
	m.alert(m.given(s))
}

func (m *Monitor) given(s Sample) []trend.Fit {
	m.mu.Lock()
	defer m.mu.Unlock()
	if newest := m.watch.Newest(); !newest.IsZero() && !s.Time.After(newest) {
		panic(device.Error("Monitor.Add", torch.ErrValue, fmt.Sprintf(
			"argument s: expected a Time after that of the sample before, %v, got %v", newest, s.Time)))
	}
	return m.watch.Add(s, s.Time, false)
}

// taken adds a sample of this process. A clock that does not go on adds none.
func (m *Monitor) taken(s Sample, garbage bool) []trend.Fit {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := m.watch.Newest()
	if s.Time.Before(newest) {
		m.watch.Restart()
	}
	if s.Time.Equal(newest) {
		return nil
	}
	return m.watch.Add(s, s.Time, garbage)
}

func (m *Monitor) alert(fits []trend.Fit) {
	for _, f := range fits {
		t := m.trend(quantities[f.Quantity], f)
		if l := m.options.Logger; l != nil {
			l.Warn("memory grows", "quantity", string(t.Quantity), "per_second", t.Slope,
				"error", t.Error, "confidence", t.Confidence, "samples", t.Samples)
		}
		if m.options.OnLeak != nil {
			m.options.OnLeak(t)
		}
	}
}

// Samples returns the samples in the window, oldest first.
func (m *Monitor) Samples() []Sample {
	made("Monitor.Samples", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.watch.Samples()
}

// Trends returns the trend of every quantity.
func (m *Monitor) Trends() []Trend {
	made("Monitor.Trends", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Trend, 0, len(quantities))
	for i, q := range quantities {
		out = append(out, m.trend(q, m.watch.Trend(i)))
	}
	return out
}

// Trend returns the trend of one quantity. It panics with torch.ErrValue if there is no such
// quantity.
func (m *Monitor) Trend(q Quantity) Trend {
	made("Monitor.Trend", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(quantities, q)
	if i < 0 {
		panic(device.Error("Monitor.Trend", torch.ErrValue, fmt.Sprintf("argument q: %q is not a quantity", q)))
	}
	return m.trend(q, m.watch.Trend(i))
}

func (m *Monitor) trend(q Quantity, f trend.Fit) Trend {
	return Trend{q, f.Slope, f.Error, f.Samples, f.Span, Verdict(f.Verdict), m.options.Confidence}
}
