// Package optiontest contains shared tests of options. They check how every function
// behaves with each of its options, and which functions and options a package has.
// docs/conventions.md has the rules.
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

// An Outcome describes the results of a call by aspect, such as "printed" or "returned".
// Calls with the same behavior have equal outcomes.
type Outcome map[string]string

// A Pair is two values with different effects. They are values of one option, or of two
// options that override each other.
type Pair struct {
	a, b   any
	hidden map[string]string
	never  bool // the function must reject a
}

// Values returns a Pair of a and b. A value of type func() any creates a new value for
// each call.
func Values(a, b any) Pair { return Pair{a: a, b: b} }

// Refused returns a Pair for an option that belongs to the family but is not accepted by
// the function.
func Refused(option any) Pair { return Pair{a: option, b: option, never: true} }

// Hides declares that both values give the same outcome in one aspect. why is the reason.
func (p Pair) Hides(aspect, why string) Pair {
	p.hidden = maps.Clone(p.hidden)
	if p.hidden == nil {
		p.hidden = map[string]string{}
	}
	p.hidden[aspect] = why
	return p
}

// A Row is a function with options, and a Pair for each of its options.
type Row struct {
	call   func(opts []any) Outcome
	family reflect.Type
	pairs  []Pair
	open   bool // every type with the right methods is an option
}

// For returns the Row of a function with options of the family O. call returns the
// function's outcome, and panics if the options are invalid.
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

// Open declares that every type with the right methods is an option of the family,
// including a pointer to such a type.
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

// Check tests each option alone, and after a different value, which it must override. It
// also checks that a nil option and a pointer to an option give typed errors, and that
// nothing leaks.
func (r Row) Check(t testing.TB) {
	t.Helper()
	torch.Scope(func() { // frees the values of this test
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

// misread checks that a call with these options fails with an error of the given kind,
// which names the opts argument.
func (r Row) misread(t testing.TB, kind error, opts ...any) {
	t.Helper()
	if e := r.refuses(t, kind, opts...); e != nil {
		assert.Contains(t, e.Message, "argument opts", "%s", say(opts...))
	}
}

// refuses checks that a call with these options fails with a *torch.Error of the given
// kind and leaves no tensors open. It returns the error.
func (r Row) refuses(t testing.TB, kind error, opts ...any) (e *torch.Error) {
	t.Helper()
	live := torch.NumLiveTensors()
	err := torch.Try(func() { r.call(opts) })
	assert.ErrorIs(t, err, kind, "%s", say(opts...))
	if assert.ErrorAs(t, err, &e) {
		assert.NotEmpty(t, e.Op, "%s: %v", say(opts...), err)
	}
	// The number may be smaller: the garbage collector may free tensors of an earlier
	// row.
	assert.LessOrEqual(t, torch.NumLiveTensors(), live, "%s: tensors left open", say(opts...))
	return e
}

// say formats options as they are written in a program. It formats a pointer like the
// option that it points to.
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

// Pointer returns a pointer to an option. The compiler accepts it as an option too.
func Pointer(option any) any {
	p := reflect.New(reflect.TypeOf(option))
	p.Elem().Set(reflect.ValueOf(option))
	return p.Interface()
}

// Name returns the name of an option's type, without its package.
func Name(option any) string { return reflect.TypeOf(option).Name() }
