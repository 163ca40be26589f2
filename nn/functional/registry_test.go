package functional_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch"
)

// A variant is an option, the same option with a different value, and the expected result
// with the first value.
type variant[O any] struct {
	given, other O
	want         func() *torch.Tensor
}

// A member holds the tests of a function with options.
type member struct {
	options map[string]bool // the types of the options in its variants
	check   func(t *testing.T)
}

// rowOf returns a member for call, whose options all have type O.
func rowOf[O any](call func(...O) *torch.Tensor, variants ...variant[O]) member {
	options := map[string]bool{}
	for _, v := range variants {
		options[reflect.TypeOf(v.given).Name()] = true
	}
	return member{options: options, check: func(t *testing.T) {
		for _, v := range variants {
			scoped(t, func() {
				name := reflect.TypeOf(v.given).Name()
				want := v.want()
				same(t, want, call(v.given), "%s alone: %v", name, v.given)
				same(t, want, call(v.other, v.given), "%s: the last of %v, %v counts", name, v.other, v.given)
				var none O
				require.ErrorIs(t, torch.Try(func() { call(v.given, none) }), torch.ErrNil, "a nil option after %s",
					name)
				require.ErrorIs(t, torch.Try(func() { call(none, v.given) }), torch.ErrNil, "a nil option before %s",
					name)
				pointer := optiontest.Pointer(v.given).(O)
				require.ErrorIs(t, torch.Try(func() { call(pointer) }), torch.ErrValue, "a pointer to %s", name)
			})
		}
	}}
}

func same(t *testing.T, want, got *torch.Tensor, message string, args ...any) {
	t.Helper()
	args = append([]any{message}, args...)
	require.Equal(t, want.Shape(), got.Shape(), args...)
	require.Equal(t, want.DType(), got.DType(), args...)
	require.True(t, want.Equal(got), args...)
}

// Each option works alone, and if an option is given twice, the last one counts. A nil
// option or a pointer to an option panics.
func TestOptions(t *testing.T) {
	torch.Scope(func() {
		members := members()
		for name, m := range members {
			t.Run(name, m.check)
		}
	})
}

// Every function with options is in members and in allocations, and every member tests
// all options of its function.
func TestRegistryIsComplete(t *testing.T) {
	source := optiontest.Read(t, ".", "../../internal/opt")
	torch.Scope(func() {
		costs, table := allocations(), map[string][]string{}
		maps.Copy(costs, attentionCosts())
		for name, m := range members() {
			assert.Contains(t, costs, name, "%s is not in the table of allocations", name)
			table[name] = slices.Collect(maps.Keys(m.options))
		}
		source.Complete(t, table)
	})
}

// Options cost no allocation: they stay on the caller's stack.
func TestOptionsDoNotAllocate(t *testing.T) {
	if sanitized.On {
		t.Skip("under a sanitizer more values escape and pools drop what they hold, so counts say nothing")
	}
	scoped(t, func() {
		costs := allocations()
		maps.Copy(costs, attentionCosts())
		for name, c := range costs {
			assert.LessOrEqual(t, optiontest.LeastAllocations(c.with), optiontest.LeastAllocations(c.without), name)
		}
	})
}

// join combines several calls into one member.
func join(parts ...member) member {
	all := member{options: map[string]bool{}}
	for _, p := range parts {
		for o := range p.options {
			all.options[o] = true
		}
	}
	all.check = func(t *testing.T) {
		for _, p := range parts {
			p.check(t)
		}
	}
	return all
}
