package profiler

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// A TableOption configures a table: [SortBy], [RowLimit], [Header], [TopLevelEventsOnly],
// [TimeUnit], [MaxNameColumnWidth], [MaxSrcColumnWidth] or [MaxShapesColumnWidth].
//
//gotorch:options SortBy RowLimit Header TopLevelEventsOnly TimeUnit MaxNameColumnWidth
//gotorch:options MaxSrcColumnWidth MaxShapesColumnWidth
type TableOption interface{ tableOption() }

// SortBy is the column to sort rows by, in descending order; sort_by in Python. The
// default, "", keeps the order of the list. Any other string that is not one of the
// constants causes ErrValue.
type SortBy string

// These are the columns to sort by. Python's older names, with "cuda" instead of
// "device", are also accepted.
const (
	SortByNothing               SortBy = ""
	SortByCPUTime               SortBy = "cpu_time" // the mean per call
	SortByCPUTimeTotal          SortBy = "cpu_time_total"
	SortBySelfCPUTimeTotal      SortBy = "self_cpu_time_total"
	SortByDeviceTime            SortBy = "device_time" // the mean per call
	SortByDeviceTimeTotal       SortBy = "device_time_total"
	SortBySelfDeviceTimeTotal   SortBy = "self_device_time_total"
	SortByCPUMemoryUsage        SortBy = "cpu_memory_usage"
	SortBySelfCPUMemoryUsage    SortBy = "self_cpu_memory_usage"
	SortByDeviceMemoryUsage     SortBy = "device_memory_usage"
	SortBySelfDeviceMemoryUsage SortBy = "self_device_memory_usage"
	SortByCount                 SortBy = "count"
	SortByFlops                 SortBy = "flops"
)

// RowLimit is the largest number of rows; row_limit in Python. The default is 100. A
// negative number means no limit.
type RowLimit int

// Header is a line above the table; header in Python. The default is "", no line.
type Header string

// TopLevelEventsOnly leaves out events that have a parent; top_level_events_only in
// Python. The default is false.
type TopLevelEventsOnly bool

// TimeUnit is the unit of all times; time_unit in Python. The default, "", chooses a unit
// for each time. Any other string that is not one of the constants causes ErrValue.
type TimeUnit string

// These are the units of times.
const (
	TimeUnitOwn TimeUnit = "" // chosen for each time
	TimeUnitS   TimeUnit = "s"
	TimeUnitMS  TimeUnit = "ms"
	TimeUnitUS  TimeUnit = "us"
)

// MaxNameColumnWidth is the largest width of the name column, in characters;
// max_name_column_width in Python. The default is 55. A negative number means no limit,
// None in Python. Other numbers below 4 cause ErrValue.
type MaxNameColumnWidth int

// MaxSrcColumnWidth is the largest width of the column with Go lines, in characters;
// max_src_column_width in Python. A longer line is truncated at its start. The default is
// 75. A negative number means no limit, None in Python. Other numbers below 4 cause
// ErrValue.
type MaxSrcColumnWidth int

// MaxShapesColumnWidth is the largest width of the column with input shapes, in
// characters; max_shapes_column_width in Python. The default is 80. A negative number
// means no limit, None in Python. Other numbers below 4 cause ErrValue.
type MaxShapesColumnWidth int

type tableConfig struct {
	sort              SortBy
	limit             int
	header            string
	top               bool
	unit              TimeUnit
	name, src, shapes int
}

func readTable(op string, opts []TableOption) tableConfig {
	c := tableConfig{limit: 100, name: 55, src: 75, shapes: 80}
	width := func(arg string, n int) int {
		if n < 0 {
			return math.MaxInt
		}
		if n < 4 {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected 4 or more, or a negative number for no limit, got %d", n)))
		}
		return n
	}
	for _, o := range opts {
		switch o := o.(type) {
		case SortBy:
			key := SortBy(strings.ReplaceAll(string(o), "cuda", "device"))
			if _, ok := sortKeys[key]; !ok && key != SortByNothing {
				panic(torch.NewError(op, torch.ErrValue, "SortBy",
					fmt.Sprintf("expected one of %s, got %q", strings.Join(sortWords(), ", "), string(o))))
			}
			c.sort = key
		case RowLimit:
			c.limit = int(o)
		case Header:
			c.header = string(o)
		case TopLevelEventsOnly:
			c.top = bool(o)
		case TimeUnit:
			if !slices.Contains([]TimeUnit{TimeUnitOwn, TimeUnitS, TimeUnitMS, TimeUnitUS}, o) {
				panic(torch.NewError(op, torch.ErrValue, "TimeUnit",
					fmt.Sprintf("expected s, ms or us, got %q", string(o))))
			}
			c.unit = o
		case MaxNameColumnWidth:
			c.name = width("MaxNameColumnWidth", int(o))
		case MaxSrcColumnWidth:
			c.src = width("MaxSrcColumnWidth", int(o))
		case MaxShapesColumnWidth:
			c.shapes = width("MaxShapesColumnWidth", int(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return c
}

// row is the content of one line of a table.
type row struct {
	EventAvg
	shapes string
	stack  []string
	nested bool
}

var sortKeys = map[SortBy]func(r *row) int64{
	SortByCPUTime:               func(r *row) int64 { return int64(r.CPUTime()) },
	SortByCPUTimeTotal:          func(r *row) int64 { return int64(r.CPUTimeTotal) },
	SortBySelfCPUTimeTotal:      func(r *row) int64 { return int64(r.SelfCPUTimeTotal) },
	SortByDeviceTime:            func(r *row) int64 { return int64(r.DeviceTime()) },
	SortByDeviceTimeTotal:       func(r *row) int64 { return int64(r.DeviceTimeTotal) },
	SortBySelfDeviceTimeTotal:   func(r *row) int64 { return int64(r.SelfDeviceTimeTotal) },
	SortByCPUMemoryUsage:        func(r *row) int64 { return r.CPUMemoryUsage },
	SortBySelfCPUMemoryUsage:    func(r *row) int64 { return r.SelfCPUMemoryUsage },
	SortByDeviceMemoryUsage:     func(r *row) int64 { return r.DeviceMemoryUsage },
	SortBySelfDeviceMemoryUsage: func(r *row) int64 { return r.SelfDeviceMemoryUsage },
	SortByCount:                 func(r *row) int64 { return int64(r.Count) },
	SortByFlops:                 func(r *row) int64 { return r.Flops },
}

func sortWords() []string {
	words := make([]string, 0, len(sortKeys))
	for k := range sortKeys {
		words = append(words, string(k))
	}
	slices.Sort(words)
	return words
}

// Table formats the list of calls in Python's layout, or returns "" if it is empty. It
// panics with ErrValue for an unknown SortBy or TimeUnit. Follows EventList.table.
func (l *EventList) Table(opts ...TableOption) string {
	must(l != nil, "EventList", "Table")
	c := readTable("profiler.EventList.Table", opts)
	rows := make([]row, len(l.Events))
	for i, e := range l.Events {
		r := &rows[i]
		r.add(e)
		r.Key = plain.Text(r.Key)
		r.shapes, r.stack, r.nested = formatShapes(e.InputShapes), e.Stack(), e.CPUParent != nil
		r.InputShapes = e.InputShapes
	}
	return l.show.table(rows, c)
}

// Table formats the sums in Python's layout, or returns "" if there are none. It panics
// with ErrValue for an unknown SortBy or TimeUnit. Follows EventList.table.
//
//	fmt.Print(p.KeyAverages().Table(profiler.SortByCPUTimeTotal, profiler.RowLimit(10)))
func (l *AverageList) Table(opts ...TableOption) string {
	must(l != nil, "AverageList", "Table")
	c := readTable("profiler.AverageList.Table", opts)
	rows := make([]row, len(l.Averages))
	for i, a := range l.Averages {
		rows[i] = row{EventAvg: *a, stack: a.Stack, nested: a.first != nil && a.first.CPUParent != nil}
		rows[i].Key = plain.Text(a.Key)
		if a.byShape {
			rows[i].shapes = formatShapes(a.InputShapes)
		}
	}
	return l.show.table(rows, c)
}

// String returns Table without options, or "<nil>" for nil.
func (l *EventList) String() string {
	if l == nil {
		return "<nil>"
	}
	return l.Table()
}

// String returns Table without options, or "<nil>" for nil.
func (l *AverageList) String() string {
	if l == nil {
		return "<nil>"
	}
	return l.Table()
}

// formatTime formats a time in a suitable unit.
func formatTime(t time.Duration) string { return formatIn(t, TimeUnitOwn) }

func formatIn(t time.Duration, unit TimeUnit) string {
	return formatMicros(micros(t), unit)
}

// formatMicros formats a number of microseconds. A mean may have fractions of
// nanoseconds; as in Python, they are rounded in the printed unit.
func formatMicros(us float64, unit TimeUnit) string {
	switch {
	case unit == TimeUnitS || unit == TimeUnitOwn && us >= 1e6:
		return fmt.Sprintf("%.3fs", us/1e6)
	case unit == TimeUnitMS || unit == TimeUnitOwn && us >= 1e3:
		return fmt.Sprintf("%.3fms", us/1e3)
	}
	return fmt.Sprintf("%.3fus", us)
}

func formatShare(t, total time.Duration) string {
	if total == 0 {
		return "NaN"
	}
	return fmt.Sprintf("%.2f%%", float64(t)*100/float64(total))
}

func formatMemory(n int64) string {
	const kb = 1 << 10
	switch f, size := float64(n), max(n, -n); {
	case size >= kb<<20:
		return fmt.Sprintf("%.2f GB", f/(kb<<20))
	case size >= kb<<10:
		return fmt.Sprintf("%.2f MB", f/(kb<<10))
	case size >= kb:
		return fmt.Sprintf("%.2f KB", f/kb)
	}
	return strconv.FormatInt(n, 10) + " B"
}
