package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/trend"
	"github.com/gotorch/gotorch/torch"
)

// Monitor samples memory over time and detects growth. It is safe for concurrent
// use.
type Monitor struct {
	options MonitorOptions

	mu    sync.Mutex
	watch *trend.Watch[Sample] // a quantity's number there is its index in quantities
	lines pastLines
	now   func() time.Time
}

// NewMonitor returns a Monitor without samples. [Monitor.Run] takes samples at an
// interval; [Monitor.Sample] and [Monitor.Add] add one sample. NewMonitor returns
// a *torch.Error of kind ErrValue for invalid settings.
func NewMonitor(opts MonitorOptions) (*Monitor, error) {
	if err := opts.setDefaults(); err != nil {
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

// Run takes samples at the interval until ctx is done, and returns ctx's error. If ctx is
// nil, Run returns an error of kind torch.ErrNil.
func (m *Monitor) Run(ctx context.Context) error {
	mustBeMade("Monitor.Run", "NewMonitor", m != nil && m.watch != nil)
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

// Sample takes a sample, adds it and returns it. Before that it collects garbage if
// MonitorOptions.Collect is set or if a quantity seems to be growing, and at least once
// in 256 samples. If the system's clock was set back, the monitor discards its samples
// and starts again.
func (m *Monitor) Sample() Sample {
	mustBeMade("Monitor.Sample", "NewMonitor", m != nil && m.watch != nil)
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
	fits, keep := m.addTaken(s, !collect)
	if keep || len(fits) > 0 {
		for _, a := range m.alertsOf(fits, readLineTotals(s, m.options.WalkGraphs), keep) {
			m.alert(a)
		}
	}
	return s
}

// Add adds a sample that the program has read itself, and raises alerts. These alerts do
// not name lines of code. The sample should not contain garbage. Add panics with
// torch.ErrValue if s is not newer than the previous samples.
func (m *Monitor) Add(s Sample) {
	mustBeMade("Monitor.Add", "NewMonitor", m != nil && m.watch != nil)
	for _, f := range m.addGiven(s) {
		m.alert(Alert{Trend: m.trend(quantities[f.Quantity], f)})
	}
}

func (m *Monitor) addGiven(s Sample) []trend.Fit {
	m.mu.Lock()
	defer m.mu.Unlock()
	if newest := m.watch.Newest(); !newest.IsZero() && !s.Time.After(newest) {
		panic(device.Error("Monitor.Add", torch.ErrValue, fmt.Sprintf(
			"argument s: expected a Time after %v, the Time of the previous sample, got %v", newest, s.Time)))
	}
	return m.watch.Add(s, s.Time, false)
}

// addTaken adds a sample that Sample has taken. It returns the trends of the quantities
// that have begun to leak, and whether alertsOf should keep the totals of each line. It
// ignores a sample with the same time as the previous one.
func (m *Monitor) addTaken(s Sample, garbage bool) (fits []trend.Fit, keep bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := m.watch.Newest()
	if s.Time.Before(newest) {
		m.watch.Restart()
		m.lines = pastLines{}
	}
	if s.Time.Equal(newest) {
		return nil, false
	}
	keep = m.lines.isDue(garbage)
	return m.watch.Add(s, s.Time, garbage), keep
}

// alertsOf returns an alert for each fit, with the lines that grew. now contains the
// current totals. If keep is true, alertsOf also keeps these totals for later
// comparisons.
func (m *Monitor) alertsOf(fits []trend.Fit, now lineTotals, keep bool) (alerts []Alert) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if keep {
		m.lines.add(now)
	}
	for _, f := range fits {
		a := Alert{Trend: m.trend(quantities[f.Quantity], f)}
		a.name(m.lines.from(now.at.Add(-f.Span/2)), now, m.options.WalkGraphs)
		alerts = append(alerts, a)
	}
	return alerts
}

func (m *Monitor) alert(a Alert) {
	if l := m.options.Logger; l != nil {
		l.Warn("memory grows", "quantity", string(a.Quantity), "per_second", a.Slope,
			"margin", a.Margin, "confidence", a.Confidence, "samples", a.Samples, "lines", a.locations(),
			"hint", a.Hint)
	}
	if m.options.OnLeak != nil {
		m.options.OnLeak(a)
	}
}

// Samples returns the samples in the window, oldest first.
func (m *Monitor) Samples() []Sample {
	mustBeMade("Monitor.Samples", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.watch.Samples()
}

// Trends returns the trend of every quantity.
func (m *Monitor) Trends() []Trend {
	mustBeMade("Monitor.Trends", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Trend, 0, len(quantities))
	for i, q := range quantities {
		out = append(out, m.trend(q, m.watch.Trend(i)))
	}
	return out
}

// Trend returns the trend of one quantity. It panics with torch.ErrValue if q is not a
// known quantity.
func (m *Monitor) Trend(q Quantity) Trend {
	mustBeMade("Monitor.Trend", "NewMonitor", m != nil && m.watch != nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(quantities, q)
	if i < 0 {
		panic(device.Error("Monitor.Trend", torch.ErrValue, fmt.Sprintf("argument q: %q is not a quantity", q)))
	}
	return m.trend(q, m.watch.Trend(i))
}

func (m *Monitor) trend(q Quantity, f trend.Fit) Trend {
	return Trend{q, f.Slope, f.Margin, f.Samples, f.Span, Verdict(f.Verdict), m.options.Confidence}
}
