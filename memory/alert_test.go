package memory_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// alertsOf calls step many times, lets a Monitor take a sample after each call, and returns
// the alerts by quantity.
func alertsOf(t *testing.T, o memory.MonitorOptions, step func()) map[memory.Quantity]memory.Alert {
	t.Helper()
	alerts := map[memory.Quantity]memory.Alert{}
	o.OnLeak = func(a memory.Alert) { alerts[a.Quantity] = a }
	m, err := memory.NewMonitor(o)
	require.NoError(t, err)
	m.TickBy(time.Second / 2)
	for range 130 {
		step()
		m.Sample()
	}
	return alerts
}

// lineAt returns the line of this file that ends with mark, in the format of the reports.
func lineAt(t *testing.T, mark string) string {
	t.Helper()
	source, err := os.ReadFile("alert_test.go")
	require.NoError(t, err)
	above, _, found := strings.Cut(string(source), " "+mark+"\n")
	require.True(t, found, mark)
	return fmt.Sprintf("alert_test.go:%d ", 1+strings.Count(above, "\n"))
}

// listTensors turns TrackTensors(1) on until the test ends.
func listTensors(t *testing.T) {
	old := memory.TrackTensors(1)
	t.Cleanup(func() { memory.TrackTensors(old) })
}

// leakingStep returns a step that keeps one more tensor of 4 KiB. Before that it fills a
// larger list, which no longer grows.
func leakingStep(t *testing.T) func() {
	var kept, full []*torch.Tensor
	t.Cleanup(func() { closeAll(append(kept, full...)...)() })
	return func() {
		full = append(full, torch.Zeros(torch.Shape{1 << 16}))
		if len(full) > 4 {
			closeAll(full[0])()
			full = full[1:]
		}
		kept = append(kept, torch.Zeros(torch.Shape{1 << 10})) // the leak
	}
}

func TestAlertNamesTheLine(t *testing.T) {
	listTensors(t)
	alerts := alertsOf(t, memory.MonitorOptions{}, leakingStep(t))
	require.Len(t, alerts, 2)
	line := lineAt(t, "// the leak")
	for _, q := range []memory.Quantity{memory.NativeBytes, memory.OpenTensors} {
		a := alerts[q]
		require.Len(t, a.Lines, 1, "%v", a)
		assert.Contains(t, a.Lines[0].Key, line)
		assert.Equal(t, a.Lines[0].CountDelta<<12, a.Lines[0].BytesDelta)
		assert.Greater(t, a.Lines[0].CountDelta, int64(20), "since the growth was noticed")
		assert.Empty(t, a.Hint)
		assert.Contains(t, a.String(), line)
		assert.Contains(t, a.String(), string(q)+": ")
	}
}

// If lines are not recorded, an alert says how to record them.
func TestAlertSaysHowToRecordLines(t *testing.T) {
	for q, a := range alertsOf(t, memory.MonitorOptions{}, leakingStep(t)) {
		assert.Empty(t, a.Lines, "%v", q)
		assert.Contains(t, a.Hint, "memory.TrackTensors(1)", "%v", q)
		assert.Contains(t, a.String(), a.Hint)
	}
}

// growingState returns a step that updates a hidden state and never detaches it. The
// state's graph holds one more node and 4 KiB more after each step.
func growingState(t *testing.T) func() {
	w := torch.Ones(torch.Shape{1 << 10}, torch.RequiresGrad(true))
	state := torch.Zeros(torch.Shape{1 << 10})
	t.Cleanup(func() { closeAll(w, state)() })
	return func() {
		next := state.Mul(w) // the state
		require.NoError(t, state.Close())
		state = next //torchvet:ignore carried the growing graph is what the monitor has to see
	}
}

// An alert about memory that only graphs hold names a line if the allocator records lines.
// An alert about graph nodes names a line if WalkGraphs is set.
func TestAlertNamesTheLineOfAGraph(t *testing.T) {
	listTensors(t)
	line := lineAt(t, "// the state")
	alerts := alertsOf(t, memory.MonitorOptions{WalkGraphs: true}, growingState(t))
	assert.Contains(t, alerts[memory.NativeBytes].Hint, "memory.RecordHistory")
	if a, counted := alerts[memory.OpenNodes]; counted {
		require.Len(t, a.Objects, 1, "%v", a)
		assert.Equal(t, memory.GraphNodes, a.Objects[0].Kind)
		assert.Contains(t, a.Objects[0].Line, line)
		assert.Contains(t, a.String(), "+"+a.Objects[0].String())
		assert.Empty(t, a.Hint)
		a = alertsOf(t, memory.MonitorOptions{}, growingState(t))[memory.OpenNodes]
		assert.Empty(t, a.Objects)
		assert.Contains(t, a.Hint, "MonitorOptions.WalkGraphs")
	}

	memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryState, Devices: []torch.Device{torch.CPU}})
	defer memory.StopHistory()
	a := alertsOf(t, memory.MonitorOptions{}, growingState(t))[memory.NativeBytes]
	require.NotEmpty(t, a.Lines)
	assert.Contains(t, a.Lines[0].Key, line)
	assert.Empty(t, a.Hint)
}

func TestAlertNamesTheLineOfObjects(t *testing.T) {
	listTensors(t)
	w := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
	defer w.Close()
	alerts := alertsOf(t, memory.MonitorOptions{}, func() {
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return nil }) //torchvet:ignore growing the hook
	})
	require.Len(t, alerts, 1)
	a := alerts[memory.OpenObjects]
	require.Len(t, a.Objects, 1, "%v", a)
	assert.Equal(t, memory.Hooks, a.Objects[0].Kind)
	assert.Contains(t, a.Objects[0].Line, lineAt(t, "the hook"))
}

// An alert names the line of a leak even if the leak takes hours.
func TestAlertNamesTheLineOfASlowLeak(t *testing.T) {
	listTensors(t)
	var kept []*torch.Tensor
	defer func() { closeAll(kept...)() }()
	var alerts []memory.Alert
	m, err := memory.NewMonitor(memory.MonitorOptions{OnLeak: func(a memory.Alert) { alerts = append(alerts, a) }})
	require.NoError(t, err)
	m.TickBy(time.Second / 2)
	for i := 0; i < 6000 && len(alerts) == 0; i++ {
		if i%100 == 0 {
			kept = append(kept, torch.Zeros(torch.Shape{1 << 13})) // the slow leak
		}
		m.Sample()
	}
	require.NotEmpty(t, alerts)
	require.Len(t, alerts[0].Lines, 1)
	assert.Contains(t, alerts[0].Lines[0].Key, lineAt(t, "// the slow leak"))
	assert.Greater(t, alerts[0].Lines[0].CountDelta, int64(2))
}

// The log contains the lines of the program or, if they are unknown, the hint.
func TestMonitorLogsTheLines(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	step := leakingStep(t)
	alertsOf(t, memory.MonitorOptions{Logger: logger}, step)
	assert.Contains(t, log.String(), "memory.TrackTensors(1)")
	log.Reset()
	listTensors(t)
	alertsOf(t, memory.MonitorOptions{Logger: logger}, step)
	assert.Contains(t, log.String(), lineAt(t, "// the leak"))
	assert.Equal(t, 2, strings.Count(log.String(), "memory grows"))
}
