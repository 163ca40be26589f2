package lr_scheduler

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// StateDict is a scheduler's state under PyTorch's names. Its values are of the
// types bool, int64, float64, string, []int64 and []float64, nil for None, and
// []StateDict for the schedulers of a SequentialLR or ChainedScheduler.
type StateDict map[string]any

// String prints the state dict, sorted by name.
func (s StateDict) String() string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("'%s': %s", name, show(s[name]))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// maybe is a number that may be missing, None in Python.
type maybe struct {
	v  float64
	ok bool
}

// field is a part of a scheduler's state: a pointer to a value of one of the
// types of a StateDict, or to a maybe.
type field struct {
	name string
	at   any
}

// record is what a scheduler saves and prints.
type record struct {
	name     string
	fields   []field
	positive []string // the fields whose ints are 1 or more
	ignored  []string // what PyTorch saves besides
}

// StateDict returns a copy of the scheduler's state. Follows LRScheduler.state_dict.
func (r *record) StateDict() StateDict {
	sd := StateDict{}
	for _, f := range r.fields {
		sd[f.name] = f.value()
	}
	return sd
}

// LoadStateDict restores the scheduler completely, or returns an error of kind
// ErrValue and has changed nothing. The learning rates are restored by the
// optimizer's own state dict. Follows LRScheduler.load_state_dict.
func (r *record) LoadStateDict(sd StateDict) error {
	set, err := r.check(sd)
	if err != nil {
		return err
	}
	set()
	return nil
}

// check returns a function that restores the state, or what is wrong with it.
func (r *record) check(sd StateDict) (func(), error) {
	values := make([]any, len(r.fields))
	for i, f := range r.fields {
		v, ok := sd[f.name]
		if !ok {
			return nil, r.error("%q is missing", f.name)
		}
		if _, none := f.at.(*maybe); none && v == nil {
			values[i] = maybe{}
			continue
		}
		if values[i] = convert(v, f.at); values[i] == nil {
			return nil, r.error("%q: expected a %T, got a %T", f.name, f.value(), v)
		}
		if n, ok := values[i].(int64); ok && n < 1 && slices.Contains(r.positive, f.name) {
			return nil, r.error("%q: expected a positive number, got %d", f.name, n)
		}
		// One that waits in a sequence within another one is before -1.
		if n, ok := values[i].(int64); ok && f.name == "last_epoch" && (n < min(-1, *f.at.(*int64)) || n == math.MaxInt64) {
			return nil, r.error("%q: expected an epoch from -1 that others come after, got %d", f.name, n)
		}
		if bad, is := badNumber(f.name, values[i]); is {
			return nil, r.error("%q: expected numbers, and rates that are not negative, got %v", f.name, bad)
		}
	}
	for name := range sd {
		known := slices.ContainsFunc(r.fields, func(f field) bool { return f.name == name })
		if !known && !strings.HasPrefix(name, "_") && !slices.Contains(r.ignored, name) { // what starts so is PyTorch's bookkeeping
			return nil, r.error("%s has no %q", r.name, name)
		}
	}
	return func() {
		for i, f := range r.fields {
			f.set(values[i])
		}
	}, nil
}

// badNumber returns a number that no step can go on from: NaN, and a negative rate.
func badNumber(name string, v any) (bad float64, is bool) {
	all, _ := v.([]float64)
	if f, ok := v.(float64); ok {
		all = []float64{f}
	}
	rates := name == "base_lrs" || name == "_last_lr"
	for _, f := range all {
		if math.IsNaN(f) || rates && f < 0 {
			return f, true
		}
	}
	return 0, false
}

func (r *record) error(format string, args ...any) error {
	return torch.NewError(r.name+".LoadStateDict", torch.ErrValue, "sd", fmt.Sprintf(format, args...))
}

// String prints the scheduler with its settings.
func (r *record) String() string {
	var words []string
	for _, f := range r.fields {
		if !strings.HasPrefix(f.name, "_") {
			words = append(words, f.name+"="+show(f.value()))
		}
	}
	return r.name + "(" + strings.Join(words, ", ") + ")"
}

// value is a copy of the field.
func (f field) value() any {
	switch p := f.at.(type) {
	case *bool:
		return *p
	case *int64:
		return *p
	case *float64:
		return *p
	case *string:
		return *p
	case *maybe:
		if !p.ok {
			return nil
		}
		return p.v
	case *[]int64:
		return slices.Clone(*p)
	case *[]float64:
		return slices.Clone(*p)
	}
	panic("lr_scheduler: a field of an unknown type")
}

// convert is a copy of v as what p points to, nil if it is none.
func convert(v, p any) any {
	switch p.(type) {
	case *int64:
		if n, ok := v.(int); ok {
			v = int64(n)
		}
	case *float64, *maybe:
		switch n := v.(type) {
		case int:
			v = float64(n)
		case int64:
			v = float64(n)
		}
	}
	ok := false
	switch p.(type) {
	case *bool:
		_, ok = v.(bool)
	case *int64:
		_, ok = v.(int64)
	case *float64, *maybe:
		_, ok = v.(float64)
	case *string:
		_, ok = v.(string)
	case *[]int64:
		if w, is := v.([]int64); is {
			return slices.Clone(w)
		}
	case *[]float64:
		if w, is := v.([]float64); is {
			return slices.Clone(w)
		}
	}
	if !ok {
		return nil
	}
	return v
}

// set stores what convert returned.
func (f field) set(v any) {
	switch p := f.at.(type) {
	case *bool:
		*p = v.(bool)
	case *int64:
		*p = v.(int64)
	case *float64:
		*p = v.(float64)
	case *string:
		*p = v.(string)
	case *maybe:
		f, ok := v.(float64)
		*p = maybe{f, ok}
	case *[]int64:
		*p = v.([]int64)
	case *[]float64:
		*p = v.([]float64)
	}
}

// show prints a value as Python does.
func show(v any) string {
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
		return showAll(v)
	case []float64:
		return showAll(v)
	case []StateDict:
		return showAll(v)
	}
	return fmt.Sprint(v)
}

func showAll[E any](list []E) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = show(v)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
