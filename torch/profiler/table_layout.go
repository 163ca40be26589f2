package profiler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	plainWidth = 12 // the width of numeric columns
	spacing    = 2
)

// layout is a table being built: columns and lines.
type layout struct {
	b       strings.Builder
	headers []string
	widths  []int
	left    []bool // whether a column is aligned to the left
}

func (l *layout) column(header string, width int, left bool) {
	l.headers, l.widths, l.left = append(l.headers, header), append(l.widths, width), append(l.left, left)
}

func (l *layout) line(cells []string) {
	for i, w := range l.widths {
		pad := strings.Repeat(" ", max(0, w-utf8.RuneCountInString(cells[i])))
		if l.left[i] {
			l.b.WriteString(cells[i] + pad)
		} else {
			l.b.WriteString(pad + cells[i])
		}
		l.b.WriteString("  ")
	}
	l.b.WriteByte('\n')
}

func (l *layout) rule() {
	for _, w := range l.widths {
		l.b.WriteString(strings.Repeat("-", w) + "  ")
	}
	l.b.WriteByte('\n')
}

func (l *layout) bar() {
	n := -spacing
	for _, w := range l.widths {
		n += w + spacing
	}
	l.b.WriteString(strings.Repeat("=", n) + "\n")
}

// facts determine which columns a table has, and how wide they are.
type facts struct {
	deviceTime, deviceMem, shapes, stack bool
	name, shapesWidth, src               int
	leastFlops                           int64
	cpu, device                          time.Duration // sums of the self times of the rows
}

func (s shown) facts(rows []row, c tableConfig) facts {
	var f facts
	for i := range rows {
		r := &rows[i]
		f.deviceTime = f.deviceTime || r.SelfDeviceTimeTotal > 0
		f.deviceMem = f.deviceMem || r.SelfDeviceMemoryUsage > 0
		f.shapes = f.shapes || len(r.InputShapes) > 0
		f.name = max(f.name, utf8.RuneCountInString(r.Key)+4)
		f.shapesWidth = max(f.shapesWidth, len(r.shapes)+4)
		for _, line := range r.stack {
			f.stack = true
			f.src = max(f.src, utf8.RuneCountInString(line)+4)
		}
		if r.Flops > 0 && (f.leastFlops == 0 || r.Flops < f.leastFlops) {
			f.leastFlops = r.Flops
		}
		f.cpu += r.SelfCPUTimeTotal
		if !r.Device.IsCPU() && !r.IsUserAnnotation {
			f.device += r.SelfDeviceTimeTotal
		}
	}
	f.name, f.shapesWidth, f.src = min(f.name, c.name), min(f.shapesWidth, c.shapes), min(f.src, c.src)
	return f
}

// flopUnits are the units for floating-point operations, each 1000 times the one before.
var flopUnits = []string{"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"}

func flopScale(least int64) (scale float64, unit string) {
	log := max(0, min(math.Log10(float64(least))/3, float64(len(flopUnits)-1)))
	return math.Pow(10, -3*math.Floor(log)), flopUnits[int(log)]
}

func (s shown) table(rows []row, c tableConfig) string {
	if len(rows) == 0 {
		return ""
	}
	f := s.facts(rows, c)
	device := "None"
	if s.device != "" {
		device = s.device
	}
	if key := sortKeys[c.sort]; key != nil {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(key(&b), key(&a)) })
	}
	var l layout
	l.column("Name", f.name, false)
	numbers := func(headers ...string) {
		for _, h := range headers {
			l.column(h, plainWidth, false)
		}
	}
	numbers("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg")
	if f.deviceTime {
		numbers("Self "+device, "Self "+device+" %", device+" total", device+" time avg")
	}
	if s.memory {
		numbers("CPU Mem", "Self CPU Mem")
		if s.device != "" && f.deviceMem {
			numbers(device+" Mem", "Self "+device+" Mem")
		}
	}
	numbers("# of Calls")
	if f.shapes {
		l.column("Input Shapes", f.shapesWidth, false)
	}
	flops := s.flops && f.leastFlops > 0
	scale, unit := 0.0, ""
	if flops {
		scale, unit = flopScale(f.leastFlops)
	}
	// If both columns are present, Python adds their headers in the wrong order. Here
	// the headers are in the order of the cells.
	if f.stack {
		l.column("Source Location", f.src, true)
	}
	if flops {
		l.column("Total "+unit, plainWidth, false)
	}

	if c.header != "" {
		l.bar()
		l.b.WriteString(c.header + "\n")
	}
	if c.top {
		l.bar()
		l.b.WriteString("This report only display top-level ops statistics\n")
	}
	l.rule()
	l.line(l.headers)
	l.rule()
	shown := 0
	for i := range rows {
		r := &rows[i]
		if shown == c.limit {
			break
		}
		if c.top && r.nested {
			continue
		}
		shown++
		cells := []string{
			clip(r.Key, c.name), formatShare(r.SelfCPUTimeTotal, f.cpu), formatIn(r.SelfCPUTimeTotal, c.unit),
			formatShare(r.CPUTimeTotal, f.cpu), formatIn(r.CPUTimeTotal, c.unit),
			formatMicros(micros(r.CPUTimeTotal)/float64(r.Count), c.unit),
		}
		if f.deviceTime {
			cells = append(cells, formatIn(r.SelfDeviceTimeTotal, c.unit), formatShare(r.SelfDeviceTimeTotal, f.device),
				formatIn(r.DeviceTimeTotal, c.unit), formatMicros(micros(r.DeviceTimeTotal)/float64(r.Count), c.unit))
		}
		if s.memory {
			cells = append(cells, formatMemory(r.CPUMemoryUsage), formatMemory(r.SelfCPUMemoryUsage))
			if s.device != "" && f.deviceMem {
				cells = append(cells, formatMemory(r.DeviceMemoryUsage), formatMemory(r.SelfDeviceMemoryUsage))
			}
		}
		cells = append(cells, strconv.Itoa(r.Count))
		if f.shapes {
			cells = append(cells, r.shapes[:min(len(r.shapes), f.shapesWidth)])
		}
		src := len(cells)
		if f.stack {
			cells = append(cells, "")
			if len(r.stack) > 0 {
				cells[src] = tail(r.stack[0], f.src)
			}
		}
		if flops {
			n := "--"
			if r.Flops > 0 {
				n = fmt.Sprintf("%8.3f", float64(r.Flops)*scale)
			}
			cells = append(cells, n)
		}
		l.line(cells)
		if f.stack {
			blank := make([]string, len(l.headers))
			for i := 1; i < len(r.stack); i++ {
				blank[src] = tail(r.stack[i], f.src)
				l.line(blank)
			}
			blank[src] = ""
			l.line(blank)
		}
	}
	l.rule()
	fmt.Fprintf(&l.b, "Self CPU time total: %s\n", formatIn(f.cpu, c.unit))
	if f.deviceTime {
		fmt.Fprintf(&l.b, "Self %s time total: %s\n", device, formatIn(f.device, c.unit))
	}
	return l.b.String()
}

// clip truncates a name to the width of its column.
func clip(name string, width int) string {
	r := []rune(name)
	if width == math.MaxInt || len(r) < width-3 {
		return name
	}
	return string(r[:width-3]) + "..."
}

// tail returns the end of a stack line if the line is too long.
func tail(line string, width int) string {
	r := []rune(line)
	if len(r) <= width {
		return line
	}
	r = r[len(r)-width:]
	if len(r) > 3 {
		return "..." + string(r[3:])
	}
	return string(r)
}
