package profiler

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/pprof"
)

// WritePprof writes the last cycle as a profile for "go tool pprof". It contains the self
// time of operators on the CPU and on devices, and their number of calls. With WithStack,
// they are attributed to Go lines. Operators appear as functions below the innermost
// line, and their children below them. Operators of a backward pass appear below the line
// of the forward operator, with a label named "pass". With ProfileMemory, the profile
// also has the bytes that operators allocated, and with WithFlops, their estimated number
// of floating-point operations. Regions are left out, because their self time is spent in
// Go code, which Go's own profiler measures.
//
// WritePprof returns the error of w, or a *torch.Error of kind ErrNil for a nil w. It
// panics as Events does.
func (p *Profile) WritePprof(w io.Writer) error {
	p.results("WritePprof")
	if w == nil {
		return nilWriter("WritePprof")
	}
	if err := p.built.pprof(p.config).Write(w); err != nil {
		return fmt.Errorf("profiler: write the profile: %w", err)
	}
	return nil
}

func (b *builder) pprof(c config) *pprof.Profile {
	values := []pprof.Value{{Name: "calls", Unit: "count"}}
	if c.flops {
		values = append(values, pprof.Value{Name: "operations", Unit: "count"})
	}
	if c.memory {
		values = append(values, pprof.Value{Name: "space", Unit: "bytes"})
	}
	if c.kernels {
		values = append(values, pprof.Value{Name: "device", Unit: "nanoseconds"})
	}
	out := pprof.New(append(values, pprof.Value{Name: "cpu", Unit: "nanoseconds"})...)
	out.Lasted(time.Duration(b.end - b.begin))
	if notice := b.notice(); notice != "" {
		out.Comment(notice)
	}

	// place identifies a sample. All calls of the same operator with the same parents and
	// from the same Go lines are one sample.
	type place struct {
		parent   int
		name     string
		stack    trace.ID
		backward bool
	}
	type sample struct {
		place
		values []int64
	}
	samples := []sample{}
	known := map[place]int{}
	of := make(map[*Event]int, len(b.events))
	for _, e := range b.events {
		if e.IsUserAnnotation || e.Name == memoryEvent || !e.Device.IsCPU() {
			continue
		}
		at := place{-1, e.Name, e.stack, e.Scope == ScopeBackwardFunction}
		if parent := e.CPUParent; parent != nil && !parent.IsUserAnnotation {
			at.backward = at.backward || samples[of[parent]].backward
			if parent.stack == e.stack {
				at.parent = of[parent]
			}
		}
		i, ok := known[at]
		if !ok {
			i = len(samples)
			known[at] = i
			samples = append(samples, sample{at, make([]int64, len(values)+1)})
		}
		of[e] = i
		v := samples[i].values
		v[0]++
		k := 1
		if c.flops {
			v[k] += e.Flops
			k++
		}
		if c.memory {
			v[k] += max(0, e.SelfCPUMemoryUsage())
			k++
		}
		if c.kernels {
			v[k] += int64(e.SelfDeviceTimeTotal())
			k++
		}
		v[k] += int64(e.SelfCPUTimeTotal())
	}
	lines := map[trace.ID][]runtime.Frame{}
	for _, s := range samples {
		var frames []runtime.Frame
		for at := s.place; ; at = samples[at.parent].place {
			frames = append(frames, runtime.Frame{Function: at.name})
			if at.parent < 0 {
				break
			}
		}
		if _, ok := lines[s.stack]; !ok {
			lines[s.stack] = trace.Frames(s.stack)
		}
		pass := "forward"
		if s.backward {
			pass = "backward"
		}
		out.Sample(append(frames, lines[s.stack]...), s.values, pprof.Label{Key: "pass", Value: pass})
	}
	return out
}
