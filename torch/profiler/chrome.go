package profiler

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/cgotorch/profiler"
)

// tracer writes a trace in Kineto's format. Flush of w returns the first write error.
type tracer struct {
	*builder
	w     *bufio.Writer
	pid   int
	buf   []byte
	first bool
}

func (p *Profile) writeTrace(w io.Writer, name string) error {
	p.mu.Lock()
	b, extra := p.built, slices.Clone(p.metadata)
	p.mu.Unlock()
	t := &tracer{builder: b, w: bufio.NewWriter(w), pid: os.Getpid(), first: true}
	_, _ = t.w.WriteString("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [],\n")
	for _, f := range []struct {
		on   bool
		name string
	}{
		{b.config.memory, "profile_memory"},
		{b.config.stack, "with_stack"},
		{b.config.shapes, "record_shapes"},
		{b.config.modules, "with_modules"},
		{b.config.flops, "with_flops"},
	} {
		if f.on {
			extra = append(extra, metadata{f.name, "1"})
		}
	}
	for _, m := range extra {
		fmt.Fprintf(t.w, "  %s: %s,\n", quoted(m.key), m.value)
	}
	fmt.Fprintf(t.w, "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": %d,\n  \"traceName\": %s,\n  "+
		"\"traceEvents\": [", b.unix+b.begin, quoted(name))
	t.rows()
	for i, e := range b.events {
		t.event(e, i)
	}
	for i, e := range b.modules {
		t.event(e, len(b.events)+i)
	}
	t.flows()
	t.memory()
	t.frame()
	_, _ = t.w.WriteString("\n  ]\n}\n")
	return t.w.Flush()
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // never fails for a string
	return string(text)
}

// object writes an event that is already JSON text.
func (t *tracer) object(text []byte) {
	if !t.first {
		_ = t.w.WriteByte(',')
	}
	t.first = false
	_, _ = t.w.WriteString("\n    ")
	_, _ = t.w.Write(text)
}

func (t *tracer) printf(format string, args ...any) {
	t.buf = fmt.Appendf(t.buf[:0], format, args...)
	t.object(t.buf)
}

// ts formats a time in microseconds, with nanoseconds as decimal places.
func ts(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/1000, 'f', 3, 64)
}

// row returns the JSON fields for an event's row: the goroutine, the thread or the stream.
func (t *tracer) row(e *Event) string {
	if !e.Device.IsCPU() {
		return fmt.Sprintf(`"pid": %d, "tid": %d`, e.Device.Index(), e.device.stream)
	}
	if g := t.lanes[e.lane].goroutine; g > 0 {
		return fmt.Sprintf(`"pid": %d, "tid": %d`, t.pid, g)
	}
	return fmt.Sprintf(`"pid": %d, "tid": %d`, t.pid, e.tid)
}

// firstDevice is the sort index of the first device. As in Kineto, devices are below all processes.
const firstDevice = 5_000_000

func (t *tracer) rows() {
	t.printf(`{"name": "process_name", "ph": "M", "ts": 0, "pid": %d, "tid": 0, "args": {"name": %s}}`, t.pid,
		quoted(filepath.Base(os.Args[0])))
	t.printf(`{"name": "process_labels", "ph": "M", "ts": 0, "pid": %d, "tid": 0, "args": {"labels": "CPU"}}`, t.pid)
	named, devices := map[string]bool{}, map[int]bool{}
	for _, es := range [][]*Event{t.events, t.modules} {
		for _, e := range es {
			row := t.row(e)
			if named[row] {
				continue
			}
			named[row] = true
			name := fmt.Sprintf("thread %d", e.tid)
			switch {
			case !e.Device.IsCPU():
				name = fmt.Sprintf("stream %d", e.device.stream)
				if d := e.Device.Index(); !devices[d] {
					devices[d] = true
					t.printf(`{"name": "process_name", "ph": "M", "ts": 0, "pid": %d, "tid": 0, "args": {"name": %s}}`,
						d, quoted(filepath.Base(os.Args[0])))
					t.printf(
						`{"name": "process_labels", "ph": "M", "ts": 0, "pid": %d, "tid": 0, `+
							`"args": {"labels": "GPU %d"}}`,
						d, d)
					t.printf(
						`{"name": "process_sort_index", "ph": "M", "ts": 0, "pid": %d, "tid": 0, `+
							`"args": {"sort_index": %d}}`,
						d, firstDevice+d)
				}
			case e.Goroutine > 0:
				name = fmt.Sprintf("goroutine %d", e.Goroutine)
			}
			t.printf(`{"name": "thread_name", "ph": "M", "ts": 0, %s, "args": {"name": "%s"}}`, row, name)
		}
	}
}

func (t *tracer) event(e *Event, index int) {
	if e.TraceName == "" {
		return
	}
	cat := "cpu_op"
	switch {
	case e.module:
		cat = "python_function"
	case e.device != nil:
		cat = e.device.category
	case e.IsUserAnnotation:
		cat = "user_annotation"
	}
	b := fmt.Appendf(t.buf[:0],
		`{"ph": "X", "cat": "%s", "name": %s, %s, "ts": %s, "dur": %s, "args": {"External id": %d`,
		cat, quoted(e.TraceName), t.row(e), ts(e.Start), ts(e.End-e.Start), t.externalID(e))
	if e.device != nil {
		b = t.facts(b, e)
	}
	if e.SequenceNr >= 0 {
		b = fmt.Appendf(b, `, "Sequence number": %d, "Fwd thread id": %d`, e.SequenceNr, e.FwdThread)
	}
	if e.device == nil {
		b = append(b, `, "Record function id": 0`...)
	}
	if e.inputs >= 0 {
		b = inputs(b, argumentsOf(t.Inputs, e.inputs))
	}
	if e.Flops > 0 {
		b = fmt.Appendf(b, `, "Total FLOPs": %d`, e.Flops)
	}
	if stack := e.Stack(); len(stack) > 0 {
		b = fmt.Appendf(b, `, "Call stack": %s`, quoted(strings.Join(stack, ";")))
	}
	if e.Unfinished {
		b = append(b, `, "finished": false`...)
	}
	b = fmt.Appendf(b, `, "Ev Idx": %d}}`, index)
	t.buf = b
	t.object(b)
}

// externalID returns the ID of the operator that an event belongs to. An operator belongs
// to itself.
func (t *tracer) externalID(e *Event) int {
	if e.device != nil {
		if o := t.launchers[e]; o != nil {
			// Without an ID, o is not in the trace, because dropTwins removed it. Use its
			// parent.
			for o.ID == 0 && o.CPUParent != nil {
				o = o.CPUParent
			}
			return o.ID
		}
		if e.CPUParent != nil {
			return e.CPUParent.ID
		}
	}
	return e.ID
}

// facts appends the properties of a device event, as Kineto recorded them or, without
// Kineto, as the event itself has them.
func (t *tracer) facts(b []byte, e *Event) []byte {
	d := e.device
	if json.Valid([]byte("{"+d.facts+"}")) && strings.TrimSpace(d.facts) != "" {
		return append(append(b, ", "...), d.facts...)
	}
	if !e.Device.IsCPU() {
		b = fmt.Appendf(b, `, "device": %d, "stream": %d`, e.Device.Index(), d.stream)
	}
	return fmt.Appendf(b, `, "correlation": %d`, d.correlation)
}

func inputs(b []byte, args []argument) []byte {
	list := func(name string, one func(a argument) string) {
		b = fmt.Appendf(b, `, "%s": [`, name)
		for i, a := range args {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, one(a)...)
		}
		b = append(b, ']')
	}
	ints := func(of func(a argument) []int64) func(a argument) string {
		return func(a argument) string {
			if a.kind != profiler.ArgTensors {
				return formatInts(of(a))
			}
			texts := make([]string, len(a.list))
			for i, t := range a.list {
				texts[i] = formatInts(of(t))
			}
			return "[" + strings.Join(texts, ", ") + "]"
		}
	}
	list("Concrete Inputs", func(a argument) string { return quoted(a.value()) })
	list("Input type", func(a argument) string { return quoted(a.typeName()) })
	list("Input Strides", ints(func(a argument) []int64 { return a.strides }))
	list("Input Dims", ints(func(a argument) []int64 { return a.sizes }))
	return b
}

// flows writes the arrows from forward operators to their backward nodes, and from
// launches to device work.
func (t *tracer) flows() {
	type node struct {
		seq    int64
		thread uint64
	}
	forward := map[node]*Event{}
	nodes := []*Event{}
	done := map[node]bool{}
	for _, e := range t.events {
		if e.SequenceNr < 0 || e.device != nil {
			continue
		}
		if e.Scope == ScopeBackwardFunction {
			if n := (node{e.SequenceNr, e.FwdThread}); !done[n] {
				done[n] = true
				nodes = append(nodes, e)
			}
		} else {
			// Several nested operators may have the same number. The innermost comes last
			// and replaces the others.
			forward[node{e.SequenceNr, e.Thread}] = e
		}
	}
	id := 0
	arrow := func(from, to *Event, cat string) {
		id++
		t.printf(`{"ph": "s", "id": %d, %s, "ts": %s, "cat": "%s", "name": "%s"}`, id, t.row(from), ts(from.Start), cat,
			cat)
		t.printf(`{"ph": "f", "id": %d, %s, "ts": %s, "cat": "%s", "name": "%s", "bp": "e"}`, id, t.row(to),
			ts(to.Start), cat, cat)
	}
	for _, n := range nodes {
		if f := forward[node{n.SequenceNr, n.FwdThread}]; f != nil && f.Start <= n.Start {
			arrow(f, n, "fwdbwd")
		}
	}
	launches := map[int64]*Event{}
	for _, e := range t.events {
		if e.device != nil && e.Device.IsCPU() && e.device.correlation != 0 {
			launches[e.device.correlation] = e
		}
	}
	for _, e := range t.events {
		if e.device == nil || e.Device.IsCPU() {
			continue
		}
		if from := launches[e.device.correlation]; from != nil {
			arrow(from, e, "ac2g")
		}
	}
}

func (t *tracer) memory() {
	totals := map[int16]int64{-1: t.live}
	for i, m := range t.Memory {
		totals[m.Device] += m.Bytes
		th := t.Threads[m.Thread]
		kind := 0
		if m.Device >= 0 {
			kind = 1 // c10::DeviceType::CUDA
		}
		t.printf(
			`{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": %d, "tid": %d, "ts": %s, `+
				`"args": {"Total Reserved": 0, "Total Allocated": %d, "Bytes": %d, `+
				`"Device Id": %d, "Device Type": %d, "Addr": %d, "Ev Idx": %d}}`,
			t.pid, th.TID, ts(time.Duration(m.Time-t.begin)), totals[m.Device], m.Bytes, m.Device, kind, m.Addr,
			len(t.events)+len(t.modules)+i)
	}
}

// frame writes the events for the beginning and end of the recording.
func (t *tracer) frame() {
	length := time.Duration(t.end - t.begin)
	t.printf(
		`{"ph": "X", "cat": "Trace", "ts": 0.000, "dur": %s, "pid": "Spans", "tid": "PyTorch Profiler", `+
			`"name": "PyTorch Profiler (0)", "args": {"Op count": 0}}`, ts(length))
	t.printf(
		`{"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", ` +
			`"tid": "Trace PyTorch Profiler", "ts": 0.000}`)
	t.printf(`{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": %s}`, ts(length))
}
