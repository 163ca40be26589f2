// Package optiontest is what the tests of options share: what every function with
// options has to do with each of them, and which functions and options a package
// has. docs/conventions.md has the rules.
package optiontest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// An Outcome is what a call has done, in words, by aspect: "printed" may be one,
// what is returned another. Two calls that do the same have the same outcome.
type Outcome map[string]string

// A Pair is two values of an option, or values of two options of which the last
// one counts, that do different things.
type Pair struct {
	a, b   any
	hidden map[string]string
	never  bool // the function refuses a
}

// Values makes a Pair. A value that is a func() any makes a new one for each
// call.
func Values(a, b any) Pair { return Pair{a: a, b: b} }

// Refused makes a Pair of an option of the family that this function cannot
// take.
func Refused(option any) Pair { return Pair{a: option, b: option, never: true} }

// Hides says that an aspect is the same with both values, and why.
func (p Pair) Hides(aspect, why string) Pair {
	p.hidden = maps.Clone(p.hidden)
	if p.hidden == nil {
		p.hidden = map[string]string{}
	}
	p.hidden[aspect] = why
	return p
}

// A Row is a function with options, and two values of each of them.
type Row struct {
	call   func(opts []any) Outcome
	family reflect.Type
	pairs  []Pair
	open   bool // every type with the right methods is an option
}

// For makes the Row of a function with options of the family O. call says what
// the function has done; what cannot be done for these options panics.
func For[O any](call func(opts ...O) Outcome, pairs ...Pair) Row {
	return Row{
		call: func(opts []any) Outcome {
			list := make([]O, len(opts))
			for i, o := range opts {
				if o != nil {
					list[i] = o.(O)
				}
			}
			return call(list...)
		},
		family: reflect.TypeFor[O](),
		pairs:  pairs,
	}
}

// Open says that every type with the right methods is an option of the family,
// and so a pointer to one is.
func (r Row) Open() Row {
	r.open = true
	return r
}

// Options returns the names of the types of a row's options, in order.
func (r Row) Options() []string {
	seen := map[string]bool{}
	for _, p := range r.pairs {
		for _, v := range []any{p.a, p.b} {
			seen[Name(value(v))] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Check tests each option alone and after another value, since the last one
// counts, and that a nil one and a pointer to one are typed errors that leave
// nothing behind.
func (r Row) Check(t testing.TB) {
	t.Helper()
	torch.Scope(func() { // what a value made anew holds
		for _, p := range r.pairs {
			a := value(p.a)
			if p.never {
				_ = r.refuses(t, torch.ErrValue, a)
				continue
			}
			r.checkPair(t, p)
			r.misread(t, torch.ErrNil, a, nil)
			r.misread(t, torch.ErrNil, nil, a)
			if !r.open {
				r.misread(t, torch.ErrValue, Pointer(a))
			}
		}
		r.misread(t, torch.ErrNil, nil)
	})
}

func (r Row) checkPair(t testing.TB, p Pair) {
	t.Helper()
	onlyA, onlyB := r.outcome(t, p.a), r.outcome(t, p.b)
	for aspect := range onlyA {
		if why, hidden := p.hidden[aspect]; hidden {
			assert.NotEmpty(t, why)
			assert.Equal(t, onlyA[aspect], onlyB[aspect], "%s: %s and %s differ after all", aspect, say(p.a), say(p.b))
			continue
		}
		assert.NotEqual(t, onlyA[aspect], onlyB[aspect], "%s: %s and %s do the same", aspect, say(p.a), say(p.b))
	}
	assert.Equal(t, onlyA, r.outcome(t, p.b, p.a), "%s after %s", say(p.a), say(p.b))
	assert.Equal(t, onlyB, r.outcome(t, p.a, p.b), "%s after %s", say(p.b), say(p.a))
}

func (r Row) outcome(t testing.TB, opts ...any) (o Outcome) {
	t.Helper()
	for i := range opts {
		opts[i] = value(opts[i])
		require.True(t, reflect.TypeOf(opts[i]).Implements(r.family), "%s is no %v", say(opts[i]), r.family)
	}
	require.NoError(t, torch.Try(func() { o = r.call(opts) }), "%s", say(opts...))
	require.NotEmpty(t, o, "nothing is looked at")
	return o
}

// misread calls with something among the options that is none.
func (r Row) misread(t testing.TB, kind error, opts ...any) {
	t.Helper()
	if e := r.refuses(t, kind, opts...); e != nil {
		assert.Contains(t, e.Message, "argument opts", "%s", say(opts...))
	}
}

// refuses calls with options of which one is wrong.
func (r Row) refuses(t testing.TB, kind error, opts ...any) (e *torch.Error) {
	t.Helper()
	live := torch.NumLiveTensors()
	err := torch.Try(func() { r.call(opts) })
	assert.ErrorIs(t, err, kind, "%s", say(opts...))
	if assert.ErrorAs(t, err, &e) {
		assert.NotEmpty(t, e.Op, "%s: %v", say(opts...), err)
	}
	// Not more: the collector may free what a row before has left to it.
	assert.LessOrEqual(t, torch.NumLiveTensors(), live, "%s: tensors left open", say(opts...))
	return e
}

// say writes options as a program would, but for pointers.
func say(opts ...any) string {
	texts := make([]string, len(opts))
	for i, o := range opts {
		texts[i] = fmt.Sprintf("%T(%v)", value(o), value(o))
	}
	return strings.Join(texts, ", ")
}

func value(v any) any {
	if fresh, ok := v.(func() any); ok {
		return fresh()
	}
	return v
}

// Pointer returns a pointer to an option, which looks like one to the compiler.
func Pointer(option any) any {
	p := reflect.New(reflect.TypeOf(option))
	p.Elem().Set(reflect.ValueOf(option))
	return p.Interface()
}

// Name returns the name of an option's type, without its package.
func Name(option any) string { return reflect.TypeOf(option).Name() }
