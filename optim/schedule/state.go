package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// StateDict is a scheduler's state under PyTorch's names. serialization.Save writes it in a form
// that Python's load_state_dict accepts. Its values are bool, int64, float64, string, []int64 and
// []float64, and nil for None. A [Counter] holds the milestones of a MultiStepLR, and []any stands
// for functions, which are not saved. []StateDict holds the schedulers of a SequentialLR or
// ChainedScheduler and the phases of a OneCycleLR.
type StateDict map[string]any

// Each calls fn with the name and the value of each entry, sorted by name, until fn returns false.
// It makes StateDict an [optim.StateSource]. It panics with ErrNil for a nil fn.
func (s StateDict) Each(fn func(key, value any) bool) {
	if fn == nil {
		panic(torch.NilFunc("StateDict.Each", "fn"))
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !fn(name, s[name]) {
			return
		}
	}
}

// Counter counts how often each number occurs in a list, like Python's collections.Counter.
type Counter map[int64]int64

// Each calls fn with each number and its count, in ascending order of the numbers, until fn returns
// false. It panics with ErrNil for a nil fn.
func (c Counter) Each(fn func(key, value any) bool) {
	if fn == nil {
		panic(torch.NilFunc("Counter.Each", "fn"))
	}
	for _, n := range slices.Sorted(maps.Keys(c)) {
		if !fn(n, c[n]) {
			return
		}
	}
}

// PythonClass returns "collections.Counter", the class under which serialization.Save writes a
// Counter.
func (Counter) PythonClass() string { return "collections.Counter" }

// String prints the counter, sorted, as Python does.
func (c Counter) String() string {
	words := make([]string, 0, len(c))
	for _, n := range slices.Sorted(maps.Keys(c)) {
		words = append(words, fmt.Sprintf("%d: %d", n, c[n]))
	}
	return "Counter({" + strings.Join(words, ", ") + "})"
}

// String prints the state dict, sorted by name.
func (s StateDict) String() string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("'%s': %s", name, pyRepr(s[name]))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// pyRepr prints a value as Python does.
func pyRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return tensorfmt.PyBool(v)
	case float64:
		return tensorfmt.PyFloat(v)
	case string:
		return "'" + v + "'"
	case []int64:
		return pyReprList(v)
	case []float64:
		return pyReprList(v)
	case []StateDict:
		return pyReprList(v)
	case []any:
		return pyReprList(v)
	}
	return fmt.Sprint(v)
}

func pyReprList[E any](list []E) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = pyRepr(v)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
