package harness

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Pair is a Twin with the results of both programs.
type Pair struct {
	Twin
	Ours, Python Side
	// Unscoped is the result of the Go program without scopes. Its numbers must equal the
	// numbers of Ours.
	Unscoped Side
	// Busy is true if other programs were using the machine, so that the rates are not
	// meaningful.
	Busy bool
}

// Difference returns the largest difference between the numbers of the two programs.
func (p Pair) Difference() float64 { return Difference(p.Ours, p.Python, p.Relative) }

// Check returns an error if the numbers of the two programs differ by more than allowed.
func (p Pair) Check() error {
	if d := p.Difference(); !(d <= p.Tolerance) {
		return fmt.Errorf("%s: numbers differ by %.3g, more than %g", p.Name, d, p.Tolerance)
	}
	if d := Difference(p.Unscoped, p.Ours, p.Relative); p.Scoped == "" && !(d <= p.Tolerance) {
		return fmt.Errorf("%s: without scopes numbers differ by %.3g, more than %g", p.Name, d, p.Tolerance)
	}
	if p.Early == 0 {
		return nil
	}
	for i, v := range p.Ours.Numbers[:min(earlyNumbers, len(p.Ours.Numbers))] {
		if want := p.Python.Numbers[i]; !(math.Abs(v-want) <= p.Early*math.Abs(want)) {
			return fmt.Errorf("%s: number %d is %.9g, and Python's %.9g: the first %d may differ by %g of themselves",
				p.Name, i+1, v, want, earlyNumbers, p.Early)
		}
	}
	return nil
}

// earlyNumbers is how many of the first numbers [Twin.Early] applies to.
const earlyNumbers = 10

// Head returns the column titles of the table of pairs.
func (Pair) Head() []string {
	return []string{
		"example", "numbers", "difference", "per second", "Python", "peak MB", "no scope", "Python",
		"lines", "Python", "original",
	}
}

// Cells returns the row of p in the table of pairs.
func (p Pair) Cells() []string {
	difference := "infinite: the counts differ"
	if d := p.Difference(); !math.IsInf(d, 1) {
		difference = fmt.Sprintf("%.2g", d)
	}
	known := func(known bool, format string, v any) string {
		if !known {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	peak := func(s Side) float64 { return 1e-6 * float64(s.Peak) }
	return []string{
		p.Name, fmt.Sprint(len(p.Ours.Numbers)), difference,
		known(p.timed(), "%.1f", p.Ours.Rate), known(p.timed(), "%.1f", p.Python.Rate),
		fmt.Sprintf("%.2f", peak(p.Ours)), known(p.Scoped == "", "%.2f", peak(p.Unscoped)), fmt.Sprintf("%.2f",
			peak(p.Python)),
		fmt.Sprint(p.Ours.Lines), fmt.Sprint(p.Python.Lines), known(p.Original > 0, "%d", p.Original),
	}
}

func (p Pair) timed() bool { return p.Untimed == "" && !p.Busy }

// TwinsPage returns the measured part of docs/twins.md.
func TwinsPage(machine string, pairs []Pair) string {
	var b strings.Builder
	line := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	fmt.Fprintf(&b, "Measured on %s.\n\n", machine)
	line(Pair{}.Head()...)
	line(slices.Concat([]string{"---"}, slices.Repeat([]string{"--:"}, len(Pair{}.Head())-1))...)
	for _, p := range pairs {
		line(p.Cells()...)
	}
	b.WriteString("\n" + TwinsCompared())
	return b.String()
}

// TwinsCompared returns a table that shows which numbers of each pair are compared, and
// by how much they may differ.
func TwinsCompared() string {
	var b strings.Builder
	b.WriteString("| example | arguments | numbers | may differ by | because |\n|---|---|---|--:|---|\n")
	for _, w := range Twins() {
		args := "none"
		if len(w.Args) > 0 {
			args = "`" + strings.Join(w.Args, " ") + "`"
		}
		reason := w.Reason
		if w.Early > 0 {
			reason += fmt.Sprintf("; the first %d may differ by %g of themselves", earlyNumbers, w.Early)
		}
		if w.Untimed != "" {
			reason += ". No times: " + w.Untimed
		}
		if w.Scoped != "" {
			reason += ". Not without scopes: " + w.Scoped
		}
		fmt.Fprintf(&b, "| [%s](../examples/%s) | %s | %s | %g | %s |\n", w.Name, w.Name, args, w.Numbers, w.Tolerance,
			reason)
	}
	return b.String()
}

// Machine returns a description of the machine and the versions of libtorch and Go.
func Machine() string {
	processor := "unknown processors"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				processor = strings.TrimLeft(strings.TrimSpace(name), ": ")
				break
			}
		}
	}
	note := ""
	if Busy() {
		note = ", beside other work, so the rates are left out"
	}
	return fmt.Sprintf("%d cores of %s with libtorch %s and %s%s", runtime.NumCPU(), processor, torch.Version(),
		runtime.Version(), note)
}

// Busy reports whether other programs are using the machine, judged by the load average
// of the last minute.
func Busy() bool {
	var load float64
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	return err != nil || load > 1
}
