package memory

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// maxGroups bounds the names in a report: a program that numbers its names gets
// the later ones in one line.
const (
	maxGroups  = 256
	otherGroup = "(other names)"
)

// trackerGroup sums up all steps of one name. Unlike the records it is never
// merged with another.
type trackerGroup struct {
	name        string
	steps       int
	peak        int64 // the highest
	peakStep    int   // where that was
	first, last int64 // alive at the end of the first and the last step
	firstStep   int
	lastStep    int
	allocations int64
	duration    time.Duration
}

func (t *Tracker) count(s StepUsage) {
	g := t.group(s.Name)
	if g.steps == 0 {
		g.peak, g.peakStep, g.first, g.firstStep = s.Peak, s.Step, s.End, s.Step
	}
	if s.Peak > g.peak {
		g.peak, g.peakStep = s.Peak, s.Step
	}
	g.steps++
	g.last, g.lastStep = s.End, s.Step
	g.allocations += s.Allocations
	g.duration += s.Duration
}

func (t *Tracker) group(name string) *trackerGroup {
	g := t.find(name)
	if g == nil && len(t.groups) >= maxGroups-1 {
		name = otherGroup
		g = t.find(name)
	}
	if g == nil {
		t.groups = append(t.groups, trackerGroup{name: name})
		g = &t.groups[len(t.groups)-1]
	}
	return g
}

func (t *Tracker) find(name string) *trackerGroup {
	for i := range t.groups {
		if t.groups[i].name == name {
			return &t.groups[i]
		}
	}
	return nil
}

// String is [Tracker.Report].
func (t *Tracker) String() string { return t.Report() }

// Report is a table with a line for each name. It shows the number of steps,
// the highest peak and the step it occurred in, and how much the live bytes at
// the end of a step grew from the first to the last step, in total and per
// step. It also has the allocations and the time per step.
func (t *Tracker) Report() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "memory on %s in %d steps\n", t.options.Device, t.steps)
	if t.steps == 0 {
		return b.String()
	}
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	// A strings.Builder takes every write.
	fmt.Fprintln(w, "name\tsteps\tpeak\tat step\talive\tgrown\tper step\tallocations\ttime\t")
	for _, g := range t.groups {
		grown, per := g.last-g.first, int64(0)
		if between := g.lastStep - g.firstStep; between > 0 {
			per = grown / int64(between)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%.1f\t%v\t\n", orDash(g.name), g.steps, size(g.peak), g.peakStep,
			size(g.last), signed(grown), signed(per), float64(g.allocations)/float64(g.steps),
			(g.duration / time.Duration(g.steps)).Round(time.Microsecond))
	}
	_ = w.Flush()
	return b.String()
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

func signed(n int64) string {
	if n > 0 {
		return "+" + size(n)
	}
	return size(n)
}

// stepRecord is a StepUsage as files have it: bytes, and seconds.
type stepRecord struct {
	Step           int     `json:"step"`
	Steps          int     `json:"steps"`
	Name           string  `json:"name"`
	Start          int64   `json:"start"`
	End            int64   `json:"end"`
	Peak           int64   `json:"peak"`
	PeakAllocated  int64   `json:"peak_allocated"`
	Reserved       int64   `json:"reserved"`
	Resident       int64   `json:"resident"`
	Allocations    int64   `json:"allocations"`
	AllocatedBytes int64   `json:"allocated_bytes"`
	Seconds        float64 `json:"seconds"`
}

var stepColumns = []string{
	"step", "steps", "name", "start", "end", "peak", "peak_allocated", "reserved", "resident",
	"allocations", "allocated_bytes", "seconds",
}

func (s StepUsage) record() stepRecord {
	return stepRecord{
		Step: s.Step, Steps: s.Steps, Name: s.Name, Start: s.Start, End: s.End, Peak: s.Peak,
		PeakAllocated: s.PeakAllocated, Reserved: s.Reserved, Resident: s.Resident,
		Allocations: s.Allocations, AllocatedBytes: s.AllocatedBytes, Seconds: s.Duration.Seconds(),
	}
}

// WriteJSON writes the records as an array of objects, one per line. The
// numbers are bytes, counts and seconds. A record of several steps has "steps"
// above 1.
func (t *Tracker) WriteJSON(w io.Writer) error {
	steps := t.Steps()
	for i, s := range steps {
		line, err := json.Marshal(s.record())
		if err != nil {
			return err
		}
		lead := ",\n"
		if i == 0 {
			lead = "[\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", lead, line); err != nil {
			return err
		}
	}
	end := "\n]\n"
	if len(steps) == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// WriteCSV writes the records as comma-separated values under a header line
// with the names that WriteJSON uses.
func (t *Tracker) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(stepColumns); err != nil {
		return err
	}
	for _, s := range t.Steps() {
		r := s.record()
		row := []string{strconv.Itoa(r.Step), strconv.Itoa(r.Steps), r.Name}
		for _, n := range []int64{r.Start, r.End, r.Peak, r.PeakAllocated, r.Reserved, r.Resident, r.Allocations, r.AllocatedBytes} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		if err := c.Write(append(row, strconv.FormatFloat(r.Seconds, 'g', -1, 64))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
