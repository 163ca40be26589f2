package pprof

import (
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/gotorch/gotorch/internal/wire"
)

// Profile builds a message of profile.proto. Functions, locations and strings are
// numbered when they are first used. The field numbers of the format have never changed.
type Profile struct {
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
	fieldDuration   = 10
	fieldPeriodType = 11
	fieldPeriod     = 12
	fieldComment    = 13
	fieldDefault    = 14
)

// A Value describes a number that every sample has, such as {"space", "bytes"}.
type Value struct{ Name, Unit string }

// A Label is a property of a sample, as shown by "pprof -tags".
type Label struct{ Key, Value string }

// New returns a profile without samples. values describe the numbers of each sample.
// pprof shows the last number by default.
func New(values ...Value) *Profile {
	p := &Profile{strings: map[string]int64{}, functions: map[string]uint64{}, locations: map[string]uint64{}}
	p.str("")
	for _, v := range values {
		p.valueType(fieldSampleType, v)
	}
	last := values[len(values)-1]
	p.valueType(fieldPeriodType, last)
	p.out = wire.AppendInt(p.out, fieldTime, time.Now().UnixNano())
	p.out = wire.AppendInt(p.out, fieldPeriod, 1)
	p.out = wire.AppendInt(p.out, fieldDefault, p.str(last.Name))
	return p
}

// Lasted sets the duration that the profile covers.
func (p *Profile) Lasted(d time.Duration) { p.out = wire.AppendInt(p.out, fieldDuration, int64(d)) }

// Comment adds a line for "pprof -comments".
func (p *Profile) Comment(text string) { p.out = wire.AppendInt(p.out, fieldComment, p.str(text)) }

func (p *Profile) str(s string) int64 {
	if n, ok := p.strings[s]; ok {
		return n
	}
	n := int64(len(p.table))
	p.strings[s] = n
	p.table = append(p.table, s)
	return n
}

func (p *Profile) valueType(field int, v Value) {
	var m []byte
	m = wire.AppendInt(m, 1, p.str(v.Name))
	m = wire.AppendInt(m, 2, p.str(v.Unit))
	p.out = wire.AppendBytes(p.out, field, m)
}

// Sample adds a sample for one stack, innermost call first. values has one number for
// each Value passed to New, in that order.
func (p *Profile) Sample(frames []runtime.Frame, values []int64, labels ...Label) {
	var where, numbers, m []byte
	for _, f := range frames {
		where = wire.AppendVarint(where, p.location(f))
	}
	for _, v := range values {
		numbers = wire.AppendVarint(numbers, uint64(v))
	}
	m = wire.AppendBytes(m, 1, where)
	m = wire.AppendBytes(m, 2, numbers)
	for _, l := range labels {
		var label []byte
		label = wire.AppendInt(label, 1, p.str(l.Key))
		label = wire.AppendInt(label, 2, p.str(l.Value))
		m = wire.AppendBytes(m, 3, label)
	}
	p.out = wire.AppendBytes(p.out, fieldSample, m)
}

func (p *Profile) location(f runtime.Frame) uint64 {
	key := fmt.Sprintf("%s:%d:%s", f.File, f.Line, f.Function)
	if id, ok := p.locations[key]; ok {
		return id
	}
	id := uint64(len(p.locations) + 1)
	p.locations[key] = id
	var line, m []byte
	line = wire.AppendInt(line, 1, int64(p.function(f)))
	line = wire.AppendInt(line, 2, int64(f.Line))
	m = wire.AppendInt(m, 1, int64(id))
	m = wire.AppendBytes(m, 4, line)
	p.out = wire.AppendBytes(p.out, fieldLocation, m)
	return id
}

func (p *Profile) function(f runtime.Frame) uint64 {
	key := f.File + ":" + f.Function
	if id, ok := p.functions[key]; ok {
		return id
	}
	id := uint64(len(p.functions) + 1)
	p.functions[key] = id
	var m []byte
	m = wire.AppendInt(m, 1, int64(id))
	m = wire.AppendInt(m, 2, p.str(f.Function))
	m = wire.AppendInt(m, 3, p.str(f.Function))
	m = wire.AppendInt(m, 4, p.str(f.File))
	p.out = wire.AppendBytes(p.out, fieldFunction, m)
	return id
}

// Write writes the profile, compressed. No samples may be added afterwards.
func (p *Profile) Write(w io.Writer) error {
	for _, s := range p.table {
		p.out = wire.AppendString(p.out, fieldString, s)
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(p.out); err != nil {
		return err
	}
	return z.Close()
}
