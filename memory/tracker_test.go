package memory_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

const kib = 256 // float32 elements

func TestTrackerGivesEachStepItsOwnPeak(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	tr := memory.StartTracker(memory.TrackerOptions{})
	defer tr.Stop()
	start := memory.Requested(torch.CPU)

	torch.Scope(func() { torch.Zeros(torch.Shape{64 * kib}) })
	big := tr.Step("big")
	kept := torch.Zeros(torch.Shape{kib})
	defer kept.Close()
	small := tr.Step("small")

	assert.EqualValues(t, 64<<10, big.PeakGrowth())
	assert.Zero(t, big.Net())
	assert.EqualValues(t, 1<<10, small.PeakGrowth())
	assert.EqualValues(t, 1<<10, small.Net())
	assert.Equal(t, start, small.Start)
	assert.Equal(t, "small", small.Name)
	assert.Equal(t, 1, small.Step)
	assert.Equal(t, 1, small.Steps)
	assert.GreaterOrEqual(t, small.Reserved, small.End)
	assert.Equal(t, []memory.StepUsage{big, small}, tr.Steps())

	tr.Stop()
	tr.Stop()
	assert.Zero(t, tr.Step("late"))
	assert.Len(t, tr.Steps(), 2)
}

// However long a loop is, there are at most Keep records. They cover every step once, and
// contain the peak and the sums of their steps.
func TestTrackerMergesRecords(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, names := range []int{1, 2, 7} {
		t.Run(strconv.Itoa(names), func(t *testing.T) {
			tr := memory.StartTracker(memory.TrackerOptions{Keep: 8})
			defer tr.Stop()
			const steps, highest = 1000, 437
			var peak int64
			for i := range steps {
				n := int64(kib)
				if i == highest {
					n = 100 * kib
				}
				torch.Scope(func() { torch.Zeros(torch.Shape{n}) })
				peak = max(peak, tr.Step(fmt.Sprint("s", i%names)).Peak)
			}
			all := tr.Steps()
			assert.LessOrEqual(t, len(all), 8)
			assert.GreaterOrEqual(t, len(all), 4, "merged no further than need be")
			next, found := 0, false
			var allocations int64
			for _, s := range all {
				assert.Equal(t, next, s.Step, "records follow each other")
				next += s.Steps
				allocations += s.Allocations
				if s.Step <= highest && highest < next {
					assert.Equal(t, peak, s.Peak)
					found = true
				}
			}
			assert.True(t, found)
			assert.Equal(t, steps, next)
			assert.EqualValues(t, steps, allocations)
			assert.Contains(t, tr.Report(), "437")
		})
	}
}

// No record covers too large a share of the steps, whatever the names are.
func TestTrackerRecordsStayAlike(t *testing.T) {
	const steps, keep = 20_000, 16
	for name, of := range map[string]func(step int) string{
		"alternating":      func(step int) string { return strconv.Itoa(step % 2) },
		"never again":      strconv.Itoa,
		"two and one":      func(step int) string { return strconv.Itoa(step % 3 / 2) },
		"alternating late": func(step int) string { return strconv.Itoa(step / (steps / 2) * (step % 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := memory.StartTracker(memory.TrackerOptions{Keep: keep})
			defer tr.Stop()
			for i := range steps {
				tr.Step(of(i))
				if n := i + 1; n%997 != 0 && n != steps {
					continue
				}
				all := tr.Steps()
				longest := 0
				for _, s := range all {
					longest = max(longest, s.Steps)
				}
				require.LessOrEqual(t, longest, 4*(i+1)/keep, "after %d steps", i+1)
				require.Greater(t, len(all), keep/3, "after %d steps", i+1)
			}
		})
	}
}

// Steps with different names share a record only if Keep is too small for separate records.
func TestTrackerKeepsNames(t *testing.T) {
	const steps, keep = 3000, 128
	tr := memory.StartTracker(memory.TrackerOptions{Keep: keep})
	defer tr.Stop()
	for i := range steps {
		name := "train"
		if i%110 >= 100 {
			name = "evaluate"
		}
		tr.Step(name)
	}
	for _, s := range tr.Steps() {
		assert.NotEmpty(t, s.Name, "of step %d", s.Step)
		assert.Equal(t, s.Step%110 >= 100, s.Name == "evaluate")
	}
}

func TestTrackerReport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	tr := memory.StartTracker(memory.TrackerOptions{})
	defer tr.Stop()
	assert.Equal(t, "memory on cpu in 0 steps\n", tr.Report())
	var kept []*torch.Tensor
	defer func() {
		for _, x := range kept {
			_ = x.Close()
		}
	}()
	for range 11 {
		kept = append(kept, torch.Zeros(torch.Shape{kib}))
		tr.Step("leaky")
		tr.Step("")
	}
	report := tr.Report()
	assert.Regexp(t, `leaky +11 .* \+10\.0 KiB +\+512 B +1\.0`, report)
	assert.Regexp(t, `(?m)^ +- +11 .* \+10\.0 KiB`, report)

	for i := range 1000 {
		tr.Step(fmt.Sprint("number ", i))
	}
	assert.Less(t, strings.Count(tr.Report(), "\n"), 300, "names without end are summed up")
	assert.Contains(t, tr.Report(), "(other names)")
}

func TestTrackerFiles(t *testing.T) {
	tr := memory.StartTracker(memory.TrackerOptions{})
	defer tr.Stop()
	var empty strings.Builder
	require.NoError(t, tr.WriteJSON(&empty))
	assert.Equal(t, "[]\n", empty.String())

	for _, name := range []string{`with "quotes", and a comma`, "plain"} {
		torch.Scope(func() { torch.Zeros(torch.Shape{kib}) })
		tr.Step(name)
	}
	want := tr.Steps()

	var j, c strings.Builder
	require.NoError(t, tr.WriteJSON(&j))
	var objects []map[string]any
	require.NoError(t, json.Unmarshal([]byte(j.String()), &objects))
	require.NoError(t, tr.WriteCSV(&c))
	rows, err := csv.NewReader(strings.NewReader(c.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, objects, len(want))
	require.Len(t, rows, len(want)+1)
	for i, s := range want {
		assert.Equal(t, s.Name, objects[i]["name"])
		assert.EqualValues(t, s.Peak, objects[i]["peak"])
		assert.InDelta(t, s.Duration.Seconds(), objects[i]["seconds"], 0)
		for k, column := range rows[0] {
			assert.Equal(t, fmt.Sprint(objects[i][column]), fmt.Sprint(number(rows[i+1][k])), column)
		}
	}

	full := errors.New("disk full")
	assert.ErrorIs(t, tr.WriteJSON(failing{full}), full)
	assert.ErrorIs(t, tr.WriteCSV(failing{full}), full)
}

// number returns the value of a CSV cell as encoding/json would decode it.
func number(cell string) any {
	if v, err := strconv.ParseFloat(cell, 64); err == nil {
		return v
	}
	return cell
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestTrackerRejectsBadOptions(t *testing.T) {
	for _, opts := range []memory.TrackerOptions{{Keep: 1}, {Keep: -3}} {
		err := torch.Try(func() { memory.StartTracker(opts) })
		assert.ErrorIs(t, err, torch.ErrValue)
	}
	err := torch.Try(func() { memory.StartTracker(memory.TrackerOptions{Device: torch.Meta}) })
	assert.ErrorIs(t, err, torch.ErrDevice)
}

func TestManagedGivesEverythingBack(t *testing.T) {
	before := torch.NumLiveTensors()
	var kept *torch.Tensor
	run := func(fail bool) error {
		return torch.Try(func() {
			memory.Managed(func() {
				x := torch.Zeros(torch.Shape{32 << 20}) // 128 MiB
				kept = torch.Keep(x.Narrow(0, 0, 1).Clone())
				if fail {
					x.Add(torch.Zeros(torch.Shape{3}))
				}
			})
		})
	}
	for _, fail := range []bool{false, true} {
		err := run(fail)
		assert.Equal(t, fail, errors.Is(err, torch.ErrShape), "%v", err)
		assert.False(t, kept.IsClosed())
		assert.Equal(t, before+1, torch.NumLiveTensors())
		assert.Less(t, memory.Reserved(torch.CPU), memory.Requested(torch.CPU)+64<<20, "the cache is empty")
		require.NoError(t, kept.Close())
	}
}
