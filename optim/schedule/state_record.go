package schedule

import (
	"fmt"
	"math"
	"slices"
	"strings"

	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// record describes the state that a scheduler saves and prints.
type record struct {
	name           string
	fields         []field
	positive       []string            // integer fields that must be at least 1
	validWords     map[string][]string // the valid values of string fields
	ignoredEntries []string            // names of entries that PyTorch saves and that have no meaning here
	// Names of fields that older PyTorch versions do not save. Loading a dict from such a
	// version does not change these fields.
	newerEntries []string
	addEntries   func(sd StateDict) // adds entries that PyTorch's load_state_dict requires
}

// StateDict returns a copy of the scheduler's state. Follows LRScheduler.state_dict.
func (r *record) StateDict() StateDict {
	mustBeMade("StateDict", r.name != "")
	sd := StateDict{}
	for _, f := range r.fields {
		sd[f.name] = f.value()
	}
	if r.addEntries != nil {
		r.addEntries(sd)
	}
	return sd
}

// LoadStateDict restores the scheduler from a [StateDict] or a dict that Python's
// scheduler saved. On an error it changes nothing; the error names the entry and is
// of kind ErrValue, or ErrNil for a nil dict. The learning rates are restored by the
// optimizer's own state dict. Follows LRScheduler.load_state_dict.
func (r *record) LoadStateDict(src optim.StateSource) error { return r.load(src, r.check) }

// load restores a state that passes check.
func (r *record) load(src optim.StateSource, check func(sd StateDict) (func(), error)) error {
	mustBeMade("LoadStateDict", r.name != "")
	sd, err := r.read(src)
	if err != nil {
		return err
	}
	set, err := check(sd)
	if err != nil {
		return err
	}
	set()
	return nil
}

func (r *record) read(src optim.StateSource) (StateDict, error) {
	if options.IsNil(src) {
		return nil, torch.NewError(r.name+".LoadStateDict", torch.ErrNil, "sd",
			"the dict is nil; is its entry missing from the file?")
	}
	entries, foreign, ok := pyvalue.Named(src)
	if !ok {
		return nil, r.error("expected strings as keys, got %s", plain.Short(fmt.Sprint(foreign)))
	}
	return entries, nil
}

// check checks a state and returns a function that restores it, or an error.
func (r *record) check(sd StateDict) (func(), error) {
	values := make([]any, len(r.fields))
	for i, f := range r.fields {
		v, ok := sd[f.name]
		if !ok {
			if !slices.Contains(r.newerEntries, f.name) {
				return nil, r.error("%q is missing", f.name)
			}
			v = f.value()
		}
		if _, none := f.ptr.(*optionalFloat); none && v == nil {
			values[i] = optionalFloat{}
			continue
		}
		if values[i] = convert(v, f.ptr); values[i] == nil {
			return nil, r.error("%q: expected %s, got %s", f.name, f.kind(), kindOf(v))
		}
		if n, ok := values[i].(int64); ok && n < 1 && slices.Contains(r.positive, f.name) {
			return nil, r.error("%q: expected a positive number, got %d", f.name, n)
		}
		// In a nested sequence, a scheduler whose turn has not come has an epoch below -1.
		if n, ok := values[i].(int64); ok && f.name == "last_epoch" &&
			(n < min(-1, *f.ptr.(*int64)) || n == math.MaxInt64) {
			return nil, r.error("%q: expected an epoch of at least -1 and below the largest int64, got %d", f.name, n)
		}
		if words := r.validWords[f.name]; words != nil && !slices.Contains(words, values[i].(string)) {
			return nil, r.error("%q: expected one of %q, got %s", f.name, words, plain.Quote(values[i].(string)))
		}
		if bad, is := badNumber(f.name, values[i]); is {
			return nil, r.error("%q: expected numbers, and rates that are not negative, got %v", f.name, bad)
		}
	}
	for name := range sd {
		known := slices.ContainsFunc(r.fields, func(f field) bool { return f.name == name })
		if !known && !strings.HasPrefix(name, "_") && name != "verbose" &&
			// The skipped names belong to PyTorch's own entries, which are not loaded.
			!slices.Contains(r.ignoredEntries, name) {
			return nil, r.error("%s has no %s", r.name, plain.Quote(name))
		}
	}
	return func() {
		for i, f := range r.fields {
			f.set(values[i])
		}
	}, nil
}

// badNumber returns a number that no step can use: NaN or a negative rate.
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
	return torch.NewError(r.name+".LoadStateDict", torch.ErrValue, "sd", plain.Text(fmt.Sprintf(format, args...)))
}

// String prints the scheduler with its settings.
func (r *record) String() string { return r.stringOf(r.settings()) }

func (r *record) stringOf(words []string) string {
	return r.name + "(" + strings.Join(words, ", ") + ")"
}

func (r *record) settings() (words []string) {
	for _, f := range r.fields {
		if !strings.HasPrefix(f.name, "_") {
			words = append(words, f.name+"="+pyRepr(f.value()))
		}
	}
	return words
}
