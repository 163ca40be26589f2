package memory_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// feed adds n samples, one second apart. In sample i, native(i) native bytes are in use.
func feed(m *memory.Monitor, n int, native func(i int) float64) {
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if before := m.Samples(); len(before) > 0 {
		start = before[len(before)-1].Time.Add(time.Second)
	}
	for i := range n {
		m.Add(memory.Sample{Time: start.Add(time.Duration(i) * time.Second), Native: int64(native(i)), Tensors: 5})
	}
}

func TestMonitorFindsTheSlopeInNoise(t *testing.T) {
	m, err := memory.NewMonitor(memory.MonitorOptions{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	feed(m, 200, func(i int) float64 { return 1e9 + 1e5*float64(i) + 1e6*r.NormFloat64() })
	trend := m.Trend(memory.NativeBytes)
	assert.Equal(t, memory.Leaking, trend.Verdict)
	assert.InDelta(t, 1e5, trend.Slope, trend.Margin)
	// At 99 %, a least-squares fit has this margin of error: 2.3 sigma / sqrt(sum of
	// squared distances in time). The fit with medians of blocks is less exact.
	assert.Greater(t, trend.Margin, 2.3*1e6/288.7)
	assert.Less(t, trend.Margin, 3*2.3*1e6/288.7)
	assert.Equal(t, 100, trend.Samples)
	assert.Equal(t, memory.Flat, m.Trend(memory.OpenTensors).Verdict)
	assert.Contains(t, trend.String(), "leaking at 99 % confidence")
}

func TestMonitorSaysFlatAndUnsure(t *testing.T) {
	m, err := memory.NewMonitor(memory.MonitorOptions{Tolerance: 1e4, MinSamples: 10})
	require.NoError(t, err)
	assert.Equal(t, memory.Unsure, m.Trend(memory.NativeBytes).Verdict, "no samples")
	r := rand.New(rand.NewPCG(3, 4))
	noise := func(int) float64 { return 1e9 + 1e6*r.NormFloat64() }
	feed(m, 15, noise)
	assert.Equal(t, memory.Unsure, m.Trend(memory.NativeBytes).Verdict,
		"the noise hides a slope of the tolerance's size")
	feed(m, 285, noise)
	assert.Equal(t, memory.Flat, m.Trend(memory.NativeBytes).Verdict)
	feed(m, 1000, noise)
	assert.Len(t, m.Samples(), 300, "the window bounds the monitor's own memory")
	assert.Len(t, m.Trends(), 7)
	for _, q := range []memory.Quantity{memory.ResidentBytes, memory.CHeapBytes} {
		assert.Equal(t, memory.Unsure, m.Trend(q).Verdict, "%s that nobody read are not flat", q)
	}
}

func TestMonitorAlertsOnceUntilFlat(t *testing.T) {
	var alerts []memory.Alert
	var log bytes.Buffer
	m, err := memory.NewMonitor(memory.MonitorOptions{
		Window: 20, MinSamples: 10, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		OnLeak: func(tr memory.Alert) { alerts = append(alerts, tr) },
	})
	require.NoError(t, err)
	feed(m, 40, func(i int) float64 { return 1e6 * float64(i) })
	require.Len(t, alerts, 1)
	assert.Equal(t, memory.NativeBytes, alerts[0].Quantity)
	assert.InEpsilon(t, 1e6, alerts[0].Slope, 1e-9)
	assert.Contains(t, log.String(), "memory grows")
	feed(m, 40, func(int) float64 { return 4e7 })
	assert.Equal(t, memory.Flat, m.Trend(memory.NativeBytes).Verdict)
	feed(m, 40, func(i int) float64 { return 4e7 + 1e6*float64(i) })
	assert.Len(t, alerts, 2)
}

// sampleInto lets reader take a sample and adds it to judge. It sets the sample's time to i
// hundredths of a second, because the real time depends on how busy the machine is.
func sampleInto(judge, reader *memory.Monitor, i int) memory.Sample {
	s := reader.Sample()
	s.Time = time.UnixMilli(10 * int64(i))
	judge.Add(s)
	return s
}

func TestMonitorSamplesTheProcess(t *testing.T) {
	reader, err := memory.NewMonitor(memory.MonitorOptions{Collect: true})
	require.NoError(t, err)
	m, err := memory.NewMonitor(memory.MonitorOptions{MinSamples: 10})
	require.NoError(t, err)
	var kept []*torch.Tensor
	for i := range 20 {
		kept = append(kept, torch.Zeros(torch.Shape{1 << 18}))
		s := sampleInto(m, reader, i)
		assert.Positive(t, s.Resident)
		assert.Positive(t, s.GoHeap)
	}
	assert.Equal(t, memory.Leaking, m.Trend(memory.NativeBytes).Verdict)
	assert.Equal(t, memory.Leaking, m.Trend(memory.OpenTensors).Verdict)
	for _, k := range kept {
		require.NoError(t, k.Close())
	}
}

// sawTooth returns a step that creates tensors and drops them, while Go's own collections
// are off. The bytes rise with each step, and fall when native memory starts a collection.
func sawTooth(t *testing.T) (step func()) {
	old := debug.SetGCPercent(-1)
	heap := memory.SetMinHeap(64 * mib)
	t.Cleanup(func() {
		debug.SetGCPercent(old)
		memory.SetMinHeap(heap)
		memory.Collect()
	})
	memory.Collect()
	return func() { torch.Zeros(torch.Shape{mib / 4}) }
}

// In a program that leaves tensors to the collector, memory rises from sample to sample
// most of the time. It does not leak.
func TestMonitorIsNotAlarmedByASawTooth(t *testing.T) {
	step := sawTooth(t)
	m, err := memory.NewMonitor(memory.MonitorOptions{OnLeak: func(tr memory.Alert) { t.Error(tr) }})
	require.NoError(t, err)
	m.TickBy(time.Second)
	collected, last := 0, int64(0)
	for range 250 {
		step()
		s := m.Sample()
		if s.Native < last {
			collected++
		}
		last = s.Native
	}
	assert.NotEqual(t, memory.Leaking, m.Trend(memory.NativeBytes).Verdict)
	assert.Greater(t, collected, 5, "it looked closer")
	assert.Less(t, collected, 200, "but not all the time")
}

// Memory that survives collections is a leak. It is reported soon after growth is
// suspected.
func TestMonitorFindsALeakInASawTooth(t *testing.T) {
	step := sawTooth(t)
	var alerts []memory.Quantity
	m, err := memory.NewMonitor(memory.MonitorOptions{OnLeak: func(tr memory.Alert) {
		alerts = append(alerts, tr.Quantity)
	}})
	require.NoError(t, err)
	m.TickBy(time.Second)
	var kept []*torch.Tensor
	defer func() { closeAll(kept...)() }()
	for range 125 {
		step()
		kept = append(kept, torch.Zeros(torch.Shape{1 << 10}), torch.Zeros(torch.Shape{1 << 10}))
		m.Sample()
	}
	assert.ElementsMatch(t, []memory.Quantity{memory.NativeBytes, memory.OpenTensors}, alerts, "each once")
	assert.Equal(t, memory.Leaking, m.Trend(memory.NativeBytes).Verdict)
}

// A hidden state that is never detached: one tensor is open and few native bytes are in
// use, but its graph grows with each step.
func TestMonitorSeesAGraphGrow(t *testing.T) {
	needsCHeap(t)
	var alerts []memory.Quantity
	watched := []memory.Quantity{memory.OpenTensors, memory.CHeapBytes}
	reader, err := memory.NewMonitor(memory.MonitorOptions{Collect: true, Quantities: watched})
	require.NoError(t, err)
	m, err := memory.NewMonitor(memory.MonitorOptions{
		Quantities: watched, MinSamples: 10, OnLeak: func(t memory.Alert) { alerts = append(alerts, t.Quantity) },
	})
	require.NoError(t, err)
	state := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	for i := range 30 {
		for range 1000 {
			next := state.AddScalar(1)
			require.NoError(t, state.Close())
			state = next //torchvet:ignore carried the growing graph is what the monitor has to see
		}
		sampleInto(m, reader, i)
	}
	assert.Equal(t, memory.Flat, m.Trend(memory.OpenTensors).Verdict)
	assert.Equal(t, []memory.Quantity{memory.CHeapBytes}, alerts)
	require.NoError(t, state.Close())
}

func TestMonitorRunEndsWithItsContext(t *testing.T) {
	m, err := memory.NewMonitor(memory.MonitorOptions{Interval: time.Millisecond})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan error, 1)
	go func() { end <- m.Run(ctx) }()
	for len(m.Samples()) < 2 {
		runtime.Gosched()
	}
	cancel()
	assert.ErrorIs(t, <-end, context.Canceled)
}

func TestMonitorRejectsBadSettings(t *testing.T) {
	for says, o := range map[string]memory.MonitorOptions{
		"negative": {Interval: -1}, "Confidence 1 ": {Confidence: 1},
		`"smell"`:         {Quantities: []memory.Quantity{"smell"}},
		"Confidence NaN ": {Confidence: math.NaN()}, "Tolerance": {Tolerance: math.NaN()},
	} {
		_, err := memory.NewMonitor(o)
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Contains(t, err.Error(), says)
	}
}

// Add panics if a sample is not newer than the previous samples. The monitor can still be
// used after that.
func TestMonitorRefusesTimesThatRunBackwards(t *testing.T) {
	m, err := memory.NewMonitor(memory.MonitorOptions{Window: 20, MinSamples: 10})
	require.NoError(t, err)
	at := time.Unix(1000, 0)
	for i := range 30 {
		m.Add(memory.Sample{Time: at.Add(time.Duration(i) * time.Second)})
	}
	for _, back := range []time.Duration{0, time.Second, time.Hour} {
		err := torch.Try(func() { m.Add(memory.Sample{Time: at.Add(29*time.Second - back)}) })
		assert.ErrorIs(t, err, torch.ErrValue)
	}
	assert.Len(t, m.Trends(), 7)
	assert.Len(t, m.Samples(), 20)
	m.Add(memory.Sample{Time: at.Add(time.Hour)})
}

// A monitor keeps working after the clock was set back.
func TestMonitorSurvivesAClockThatIsSetBack(t *testing.T) {
	m, err := memory.NewMonitor(memory.MonitorOptions{Window: 20, MinSamples: 10})
	require.NoError(t, err)
	m.TickBy(time.Second)
	for range 15 {
		m.Sample()
	}
	m.TickBy(time.Second / 2)
	for range 12 {
		m.Sample()
	}
	assert.Len(t, m.Samples(), 12, "those of the new time")
	m.TickBy(0)
	m.Sample()
	m.Sample()
	assert.Len(t, m.Samples(), 1, "the clock stands")
	assert.Len(t, m.Trends(), 7)
}

func TestMonitorRefusesWhatItCannotDo(t *testing.T) {
	for says, o := range map[string]memory.MonitorOptions{
		"Window: expected at least 10, got 5":                                {Window: 5},
		"MinSamples: expected 10 to Window, which is 300, got 5":             {MinSamples: 5},
		"MinSamples: expected 10 to Window, which is 50, got 80":             {Window: 50, MinSamples: 80},
		"Confidence: 0.9999998 cannot be reached with MinSamples 80":         {Confidence: 0.9999998},
		"Confidence: 0.995 cannot be reached with MinSamples 10: lower it, ": {Confidence: 0.995, MinSamples: 10},
	} {
		_, err := memory.NewMonitor(o)
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Contains(t, err.Error(), says)
	}
	m, err := memory.NewMonitor(memory.MonitorOptions{Window: 50})
	require.NoError(t, err)
	assert.ErrorIs(t, torch.Try(func() { m.Trend("smell") }), torch.ErrValue)
	var none context.Context
	assert.ErrorIs(t, m.Run(none), torch.ErrNil)
}

// Growth that is too slow or too rare for the window is found in the coarser series.
func TestMonitorFindsSlowGrowth(t *testing.T) {
	for name, native := range map[string]func(i int) float64{
		"900 bytes a second":    func(i int) float64 { return 1e8 + 900*float64(i) },
		"1 MiB each 50 samples": func(i int) float64 { return 1e8 + mib*float64(i/50) },
	} {
		var alerts []memory.Alert
		m, err := memory.NewMonitor(memory.MonitorOptions{OnLeak: func(tr memory.Alert) {
			alerts = append(alerts, tr)
		}})
		require.NoError(t, err)
		feed(m, 2000, native)
		require.Len(t, alerts, 1, name)
		assert.Equal(t, memory.NativeBytes, alerts[0].Quantity)
		assert.InEpsilon(t, (native(1999)-native(0))/1999, alerts[0].Slope, 0.1, name)
		assert.Equal(t, memory.Leaking, m.Trend(memory.NativeBytes).Verdict)
		assert.Greater(t, alerts[0].Span, 10*time.Minute, name)
		assert.Len(t, m.Samples(), 300)
	}
}
