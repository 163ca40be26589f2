package profiler

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// EventList is the list of calls that a profile recorded; EventList in Python.
type EventList struct {
	Events []*Event // sorted by start time
	show   shown
}

// shown selects which columns a table has.
type shown struct {
	device string // "CUDA", or "" without a device
	memory bool
	flops  bool
}

// EventAvg is the sum of the events with the same key; FunctionEventAvg in Python.
type EventAvg struct {
	Key                   string
	Count                 int
	CPUTimeTotal          time.Duration // including child events
	SelfCPUTimeTotal      time.Duration // without child events
	DeviceTimeTotal       time.Duration
	SelfDeviceTimeTotal   time.Duration
	CPUMemoryUsage        int64 // bytes allocated minus bytes freed
	SelfCPUMemoryUsage    int64
	DeviceMemoryUsage     int64
	SelfDeviceMemoryUsage int64
	Flops                 int64
	InputShapes           [][]int64 // only with GroupByInputShape
	Stack                 []string  // only with GroupByStackN: the innermost n frames, innermost first
	Scope                 Scope
	Device                torch.Device // the device of the first event
	IsUserAnnotation      bool

	first   *Event
	byShape bool
}

// CPUTime is CPUTimeTotal divided by Count; cpu_time in Python.
func (a *EventAvg) CPUTime() time.Duration {
	must(a != nil, "EventAvg", "CPUTime")
	return mean(a.CPUTimeTotal, a.Count)
}

// DeviceTime is DeviceTimeTotal divided by Count; device_time in Python.
func (a *EventAvg) DeviceTime() time.Duration {
	must(a != nil, "EventAvg", "DeviceTime")
	return mean(a.DeviceTimeTotal, a.Count)
}

func mean(t time.Duration, n int) time.Duration {
	if n == 0 {
		return 0
	}
	return time.Duration(math.Round(float64(t) / float64(n)))
}

// String describes the sums as Python's repr does.
func (a *EventAvg) String() string {
	if a == nil {
		return "<nil>"
	}
	return fmt.Sprintf("<FunctionEventAvg key=%s self_cpu_time=%s cpu_time=%s  self_cuda_time=%s cuda_time=%s "+
		"input_shapes=%s cpu_memory_usage=%d cuda_memory_usage=%d>",
		plain.Text(a.Key), formatTime(a.SelfCPUTimeTotal), formatTime(a.CPUTime()), formatTime(a.SelfDeviceTimeTotal),
		formatTime(a.DeviceTime()), formatShapes(a.InputShapes), a.CPUMemoryUsage, a.DeviceMemoryUsage)
}

func (a *EventAvg) add(e *Event) {
	if a.first == nil {
		a.first = e
		a.Key, a.Scope, a.Device, a.IsUserAnnotation = e.Name, e.Scope, e.Device, e.IsUserAnnotation
	}
	a.Count++
	a.CPUTimeTotal += e.CPUTimeTotal()
	a.SelfCPUTimeTotal += e.SelfCPUTimeTotal()
	a.DeviceTimeTotal += e.DeviceTimeTotal()
	a.SelfDeviceTimeTotal += e.SelfDeviceTimeTotal()
	a.CPUMemoryUsage += e.CPUMemoryUsage
	a.SelfCPUMemoryUsage += e.SelfCPUMemoryUsage()
	a.DeviceMemoryUsage += e.DeviceMemoryUsage
	a.SelfDeviceMemoryUsage += e.SelfDeviceMemoryUsage()
	a.Flops += e.Flops
}

// AverageList is the list of a profile's sums by key, sorted by the first call of each
// key. In Python it is an EventList of averages.
type AverageList struct {
	Averages []*EventAvg
	show     shown
}

// A GroupOption adds to the key by which [Profile.KeyAverages] groups events:
// [GroupByInputShape] or [GroupByStackN].
//
//gotorch:options GroupByInputShape GroupByStackN
type GroupOption interface{ groupOption() }

// GroupByInputShape also groups by input shapes, which requires RecordShapes;
// group_by_input_shape in Python. The default is false.
type GroupByInputShape bool

// GroupByStackN also groups by the innermost n frames of the stack, which requires
// WithStack; group_by_stack_n in Python. The default is 0. A negative number makes
// KeyAverages panic with ErrValue.
type GroupByStackN int

// KeyAverages sums events with the same name and the same values of the grouping
// options. It panics with ErrValue for a negative GroupByStackN. Follows
// EventList.key_averages.
func (l *EventList) KeyAverages(opts ...GroupOption) *AverageList {
	must(l != nil, "EventList", "KeyAverages")
	return l.keyAverages("profiler.EventList.KeyAverages", opts)
}

func (l *EventList) keyAverages(op string, opts []GroupOption) *AverageList {
	shapes, depth := false, 0
	for _, o := range opts {
		switch o := o.(type) {
		case GroupByInputShape:
			shapes = bool(o)
		case GroupByStackN:
			if o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "GroupByStackN",
					fmt.Sprintf("expected 0 or more, got %d", int(o))))
			}
			depth = int(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	type key struct {
		name, shapes, stack string
		device              string
		user                bool
	}
	cut := map[trace.ID]string{}
	sums := map[key]*EventAvg{}
	out := &AverageList{show: l.show}
	for _, e := range l.Events {
		k := key{name: e.Name, device: e.Device.Type(), user: e.IsUserAnnotation}
		if shapes {
			k.shapes = formatShapes(e.InputShapes)
		}
		if depth > 0 {
			s, ok := cut[e.stack]
			if !ok || e.stack == 0 {
				s = strings.Join(upTo(e.Stack(), depth), "\n")
				cut[e.stack] = s
			}
			k.stack = s
		}
		a := sums[k]
		if a == nil {
			a = &EventAvg{}
			if a.byShape = shapes; shapes {
				a.InputShapes = e.InputShapes
			}
			if depth > 0 {
				a.Stack = upTo(e.Stack(), depth)
			}
			sums[k] = a
			out.Averages = append(out.Averages, a)
		}
		a.add(e)
	}
	return out
}

func upTo(s []string, n int) []string { return s[:min(n, len(s))] }

// TotalAverage sums all events under the key "Total"; total_average in Python. The total
// times count a child both by itself and as part of its parent.
func (l *EventList) TotalAverage() *EventAvg {
	must(l != nil, "EventList", "TotalAverage")
	t := &EventAvg{}
	for _, e := range l.Events {
		t.add(e)
	}
	t.Key = "Total"
	return t
}

// SelfCPUTimeTotal returns the sum of the events' CPU times, each without its children;
// self_cpu_time_total in Python.
func (l *EventList) SelfCPUTimeTotal() time.Duration {
	must(l != nil, "EventList", "SelfCPUTimeTotal")
	var t time.Duration
	for _, e := range l.Events {
		t += e.SelfCPUTimeTotal()
	}
	return t
}
