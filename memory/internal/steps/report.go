package steps

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gotorch/gotorch/memory/internal/units"
)

// maxGroups is the maximum number of names in a report. If a program uses more, for example
// because it numbers its steps, all later names share one line.
const (
	maxGroups  = 256
	otherGroup = "(other names)"
)

// group is the sum of all steps with one name. Unlike records, groups are never merged.
type group struct {
	name        string
	steps       int
	peak        int64 // the highest peak
	peakStep    int   // number of the step with the highest peak
	first, last int64 // live bytes at the end of the first and the last step
	firstStep   int
	lastStep    int
	allocations int64
	duration    time.Duration
}

func (l *Log) count(s Step) {
	g := l.group(s.Name)
	if g.steps == 0 {
		g.peak, g.peakStep, g.first, g.firstStep = s.Peak, s.Number, s.End, s.Number
	}
	if s.Peak > g.peak {
		g.peak, g.peakStep = s.Peak, s.Number
	}
	g.steps++
	g.last, g.lastStep = s.End, s.Number
	g.allocations += s.Allocations
	g.duration += s.Duration
}

func (l *Log) group(name string) *group {
	g := l.find(name)
	if g == nil && len(l.groups) >= maxGroups-1 {
		name = otherGroup
		g = l.find(name)
	}
	if g == nil {
		l.groups = append(l.groups, group{name: name})
		g = &l.groups[len(l.groups)-1]
	}
	return g
}

func (l *Log) find(name string) *group {
	for i := range l.groups {
		if l.groups[i].name == name {
			return &l.groups[i]
		}
	}
	return nil
}

// Report returns the table described at memory.Tracker.Report.
func (l *Log) Report(device string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "memory on %s in %d steps\n", device, l.steps)
	if l.steps == 0 {
		return b.String()
	}
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	// A strings.Builder accepts every write.
	fmt.Fprintln(w, "name\tsteps\tpeak\tat step\talive\tgrown\tper step\tallocations\ttime\t")
	for _, g := range l.groups {
		grown, per := g.last-g.first, int64(0)
		if between := g.lastStep - g.firstStep; between > 0 {
			per = grown / int64(between)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%.1f\t%v\t\n", orDash(g.name), g.steps, units.Size(g.peak),
			g.peakStep,
			units.Size(g.last), units.Signed(grown), units.Signed(per), float64(g.allocations)/float64(g.steps),
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
