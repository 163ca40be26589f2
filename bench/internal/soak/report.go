package soak

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/gotorch/gotorch/bench/internal/jsonfile"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// Report is the result of a soak.
type Report struct {
	Seconds     float64          `json:"seconds"`
	Interrupted bool             `json:"interrupted"`
	Goroutines  int              `json:"goroutines"`
	Seed        uint64           `json:"seed"`
	Jobs        map[string]int64 `json:"jobs"`   // how often each job ran, by its name
	Failed      int64            `json:"failed"` // number of jobs that failed
	Failures    []string         `json:"failures,omitempty"`
	Start       State            `json:"start"`
	End         State            `json:"end"` // state after everything was closed
	Verdicts    []Verdict        `json:"verdicts"`
	Samples     []Sample         `json:"samples"`
}

// State contains the quantities that must be the same before and after the run.
type State struct {
	Native    int64 `json:"native_bytes"`
	Tensors   int64 `json:"open_tensors"`
	Callbacks int   `json:"callbacks"`
}

func stateNow() State {
	return State{memory.Requested(torch.CPU), torch.NumLiveTensors(), torch.LiveCallbacks()}
}

// Verdict is the trend that a memory.Monitor found in one quantity after the warm-up,
// with the first and last value of the quantity.
type Verdict struct {
	Quantity   memory.Quantity `json:"quantity"`
	First      int64           `json:"first"`
	Last       int64           `json:"last"`
	Slope      float64         `json:"slope_per_second"`
	Error      float64         `json:"slope_error"`
	Tolerance  float64         `json:"tolerance_per_second"`
	Samples    int             `json:"samples"` // number of samples that the trend is fitted to
	Verdict    memory.Verdict  `json:"verdict"`
	Confidence float64         `json:"confidence"`
}

// Of returns the verdict on the quantity q.
func (r *Report) Of(q memory.Quantity) Verdict {
	i := slices.IndexFunc(r.Verdicts, func(v Verdict) bool { return v.Quantity == q })
	if i < 0 {
		return Verdict{Quantity: q, Verdict: memory.Unsure}
	}
	return r.Verdicts[i]
}

// Err returns an error that describes what is wrong: quantities that keep growing, a
// state at the end that differs from the start, or jobs that failed. It returns nil if
// nothing is wrong, or if the samples were too few or too uneven for a verdict.
func (r *Report) Err() error {
	var all []error
	for _, v := range r.Verdicts {
		if v.Verdict == memory.Leaking {
			all = append(all, fmt.Errorf("%s grow by %.4g per second", v.Quantity, v.Slope))
		}
	}
	if r.Start != r.End {
		all = append(all, fmt.Errorf("the end differs from the start by %d native bytes, %d tensors and %d callbacks",
			r.End.Native-r.Start.Native, r.End.Tensors-r.Start.Tensors, r.End.Callbacks-r.Start.Callbacks))
	}
	if r.Failed > 0 {
		all = append(all, fmt.Errorf("%d jobs failed, the first: %s", r.Failed, r.Failures[0]))
	}
	return errors.Join(all...)
}

// report returns the Report of a run that has ended.
func (r *run) report(start, end State, interrupted bool) *Report {
	out := &Report{
		Seconds: r.samples[len(r.samples)-1].Seconds, Interrupted: interrupted,
		Goroutines: r.options.Goroutines, Seed: r.options.Seed,
		Jobs: r.shared.jobs, Failed: r.shared.failed, Failures: r.shared.failures,
		Start: start, End: end, Samples: r.samples,
	}
	judged := r.judge.Samples()
	if len(judged) == 0 {
		return out
	}
	first, last := judged[0], judged[len(judged)-1]
	add := func(m *memory.Monitor, tolerance float64, q memory.Quantity, first, last int64) {
		t := m.Trend(q)
		out.Verdicts = append(out.Verdicts, Verdict{
			q, first, last, t.Slope, t.Margin, tolerance, t.Samples, t.Verdict, t.Confidence,
		})
	}
	tolerance := r.options.Tolerance
	add(r.judge, tolerance, memory.NativeBytes, first.Native, last.Native)
	add(r.judge, tolerance/1024, memory.OpenTensors, first.Tensors, last.Tensors)
	add(r.judge, tolerance/1024, memory.OpenNodes, first.Nodes, last.Nodes)
	add(r.judge, tolerance/1024, memory.OpenObjects, first.Objects, last.Objects)
	add(r.judge, tolerance, memory.GoHeapBytes, first.GoHeap, last.GoHeap)
	add(r.judgeResident, r.options.ResidentTolerance, memory.CHeapBytes, first.CHeap, last.CHeap)
	add(r.judgeResident, r.options.ResidentTolerance, memory.ResidentBytes, first.Resident, last.Resident)
	return out
}

// line formats a sample for progress output.
func (r *run) line(s Sample) string {
	note := ""
	if s.Warmup {
		note = ", warm-up"
	}
	if f := r.shared.failed; f > 0 {
		note += fmt.Sprintf(", %d FAILED: %s", f, r.shared.failures[0])
	}
	return fmt.Sprintf("%5.0f s: %d jobs, %d native bytes in %d tensors, %.1f MiB resident, %.2f MiB C heap, %.2f "+
		"MiB Go heap, %d goroutines, %d threads%s",
		s.Seconds, s.Jobs, s.Native, s.Tensors, mib(s.Resident), mib(s.CHeap), mib(s.GoHeap), s.Goroutines, s.Threads,
		note)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// WriteTable writes the jobs, the verdicts, and how the state at the end differs from the
// start.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "job\tdone\n")
	for _, name := range slices.Sorted(maps.Keys(r.Jobs)) {
		fmt.Fprintf(t, "%s\t%d\n", name, r.Jobs[name])
	}
	fmt.Fprintf(t, "\nquantity\tfirst\tlast\tper second\terror\ttolerance\tsamples\tverdict\n")
	for _, v := range r.Verdicts {
		fmt.Fprintf(t, "%s\t%d\t%d\t%+.4g\t%.2g\t%g\t%d\t%s at %g %%\n",
			v.Quantity, v.First, v.Last, v.Slope, v.Error, v.Tolerance, v.Samples, v.Verdict, 100*v.Confidence)
	}
	fmt.Fprintf(t, "\n\tnative bytes\topen tensors\tcallbacks\n")
	fmt.Fprintf(t, "start\t%d\t%d\t%d\n", r.Start.Native, r.Start.Tensors, r.Start.Callbacks)
	fmt.Fprintf(t, "end\t%d\t%d\t%d\n", r.End.Native, r.End.Tensors, r.End.Callbacks)
	for _, f := range r.Failures {
		fmt.Fprintf(t, "failed: %s\n", f)
	}
	return t.Flush()
}

// WriteJSON writes the report to a file; see jsonfile.Write.
func (r *Report) WriteJSON(path string) error {
	return jsonfile.Write(path, r)
}
