package memory

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/gotorch/gotorch/internal/trace"
)

// ProfileName is the name of the profile of live tensors in runtime/pprof.
const ProfileName = "torch_tensors"

// The profile is there as soon as the package is.
var _ = publishProfile()

// publishProfile registers the profile. runtime/pprof lets a profile of one's
// own only count the stacks that were added to it, one by one; Go's own
// profiles, which carry bytes as well, have functions that count and write.
// The fields that hold them exist since Go 1.0 and are set here if they are
// still there and of that type. Without them the profile stays empty and
// WriteTensorProfile is the way to get it.
func publishProfile() bool {
	p := pprof.NewProfile(ProfileName)
	count := func() int { return len(LiveTensors()) }
	write := func(w io.Writer, debug int) error {
		if debug > 0 {
			return writeTensorText(w)
		}
		return WriteTensorProfile(w)
	}
	return setField(p, "count", count) && setField(p, "write", write)
}

func setField(p *pprof.Profile, name string, fn any) bool {
	f := reflect.ValueOf(p).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeOf(fn) || !f.CanAddr() {
		return false
	}
	reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(fn))
	return true
}

// WriteTensorProfile writes the live tensors that TrackTensors has listed as a
// profile for "go tool pprof". It has the number of tensors and their bytes for
// each stack that made them, with kind and dtype as labels (pprof -tags). A
// program that imports net/http/pprof serves the same profile at
// /debug/pprof/torch_tensors.
func WriteTensorProfile(w io.Writer) error {
	type key struct {
		site        trace.ID
		kind, dtype string
	}
	type sum struct{ count, bytes float64 }
	sums := map[key]*sum{}
	var order []key
	for _, t := range LiveTensors() {
		k := key{t.site, string(t.Kind), fmt.Sprint(t.DType)}
		s := sums[k]
		if s == nil {
			s = &sum{}
			sums[k] = s
			order = append(order, k)
		}
		s.count += t.Weight
		s.bytes += t.Weight * float64(t.Bytes)
	}
	p := newProfile()
	for _, k := range order {
		s := sums[k]
		p.sample(trace.Frames(k.site), int64(math.Round(s.count)), int64(math.Round(s.bytes)), k.kind, k.dtype)
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(p.finish()); err != nil {
		return fmt.Errorf("memory: write the profile of tensors: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("memory: write the profile of tensors: %w", err)
	}
	return nil
}

// writeTensorText lists the tensors by line, for reading in a browser.
func writeTensorText(w io.Writer) error {
	ts := LiveTensors()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %d listed\n", ProfileName, len(ts))
	for _, g := range GroupTensors(ts, ByLine) {
		fmt.Fprintln(&b, g)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// profile is a message of profile.proto in the making: functions, locations
// and strings get numbers as they come up. Field numbers are those of that
// format, which has not changed since it was published.
type profile struct {
	out       []byte
	strings   map[string]int64
	table     []string
	functions map[string]uint64
	locations map[string]uint64
}

const (
	fieldSampleType = 1
	fieldSample     = 2
	fieldLocation   = 4
	fieldFunction   = 5
	fieldString     = 6
	fieldTime       = 9
	fieldPeriodType = 11
	fieldPeriod     = 12
	fieldDefault    = 14
)

func newProfile() *profile {
	p := &profile{strings: map[string]int64{}, functions: map[string]uint64{}, locations: map[string]uint64{}}
	p.str("")
	for _, t := range [][2]string{{"tensors", "count"}, {"space", "bytes"}} {
		p.valueType(fieldSampleType, t[0], t[1])
	}
	p.valueType(fieldPeriodType, "space", "bytes")
	p.out = appendInt(p.out, fieldTime, time.Now().UnixNano())
	p.out = appendInt(p.out, fieldPeriod, 1)
	p.out = appendInt(p.out, fieldDefault, p.str("space"))
	return p
}

func (p *profile) str(s string) int64 {
	if n, ok := p.strings[s]; ok {
		return n
	}
	n := int64(len(p.table))
	p.strings[s] = n
	p.table = append(p.table, s)
	return n
}

func (p *profile) valueType(field int, name, unit string) {
	var m []byte
	m = appendInt(m, 1, p.str(name))
	m = appendInt(m, 2, p.str(unit))
	p.out = appendBytes(p.out, field, m)
}

func (p *profile) sample(frames []runtime.Frame, count, bytes int64, kind, dtype string) {
	var where, values, m []byte
	for _, f := range frames {
		where = appendVarint(where, p.location(f))
	}
	values = appendVarint(values, uint64(count))
	values = appendVarint(values, uint64(bytes))
	m = appendBytes(m, 1, where)
	m = appendBytes(m, 2, values)
	for _, l := range [][2]string{{"kind", kind}, {"dtype", dtype}} {
		var label []byte
		label = appendInt(label, 1, p.str(l[0]))
		label = appendInt(label, 2, p.str(l[1]))
		m = appendBytes(m, 3, label)
	}
	p.out = appendBytes(p.out, fieldSample, m)
}

func (p *profile) location(f runtime.Frame) uint64 {
	key := fmt.Sprintf("%s:%d:%s", f.File, f.Line, f.Function)
	if id, ok := p.locations[key]; ok {
		return id
	}
	id := uint64(len(p.locations) + 1)
	p.locations[key] = id
	var line, m []byte
	line = appendInt(line, 1, int64(p.function(f)))
	line = appendInt(line, 2, int64(f.Line))
	m = appendInt(m, 1, int64(id))
	m = appendBytes(m, 4, line)
	p.out = appendBytes(p.out, fieldLocation, m)
	return id
}

func (p *profile) function(f runtime.Frame) uint64 {
	key := f.File + ":" + f.Function
	if id, ok := p.functions[key]; ok {
		return id
	}
	id := uint64(len(p.functions) + 1)
	p.functions[key] = id
	var m []byte
	m = appendInt(m, 1, int64(id))
	m = appendInt(m, 2, p.str(f.Function))
	m = appendInt(m, 3, p.str(f.Function))
	m = appendInt(m, 4, p.str(f.File))
	p.out = appendBytes(p.out, fieldFunction, m)
	return id
}

func (p *profile) finish() []byte {
	for _, s := range p.table {
		p.out = appendBytes(p.out, fieldString, []byte(s))
	}
	return p.out
}

func appendVarint(b []byte, n uint64) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func appendInt(b []byte, field int, n int64) []byte {
	return appendVarint(appendVarint(b, uint64(field)<<3), uint64(n))
}

func appendBytes(b []byte, field int, v []byte) []byte {
	b = appendVarint(b, uint64(field)<<3|2)
	return append(appendVarint(b, uint64(len(v))), v...)
}
