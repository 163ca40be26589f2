package optim

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
)

// StateSource is a state that optimizers, schedulers and scalers can load: a [*StateDict] of this
// package, a state dict of package schedule or amp, or a Python dict that package
// torch/serialization has read, *serialization.Dict.
type StateSource interface {
	// Each calls fn with keys and values in order until fn returns false.
	Each(fn func(key, value any) bool)
}

// Keys of Python's dict. keyParams and keyNames are keys of each group.
const (
	keyState  = "state"
	keyGroups = "param_groups"
	keyParams = "params"
	keyNames  = "param_names"
)

// Each calls fn with "state" and "param_groups" in Python's form, so serialization.Save writes a
// file that Python's load_state_dict accepts. It passes the tensors of s, not copies. It panics
// with ErrNil for a nil fn.
func (s *StateDict) Each(fn func(key, value any) bool) {
	s.mustExist("Each")
	if fn == nil {
		panic(torch.NilFunc("StateDict.Each", "fn"))
	}
	var state pyvalue.Dict
	for _, n := range s.paramNumbers() {
		var of pyvalue.Dict
		for _, name := range sortedKeys(s.State[n]) {
			of = append(of, pyvalue.Entry{Key: name, Value: s.State[n][name]})
		}
		for _, name := range sortedKeys(s.Values[n]) {
			of = append(of, pyvalue.Entry{Key: name, Value: s.Values[n][name]})
		}
		state = append(state, pyvalue.Entry{Key: n, Value: of})
	}
	groups := make([]any, len(s.ParamGroups))
	for i, g := range s.ParamGroups {
		var of pyvalue.Dict
		for _, name := range sortedKeys(g.Settings) {
			of = append(of, pyvalue.Entry{Key: name, Value: g.Settings[name]})
		}
		groups[i] = append(of, pyvalue.Entry{Key: keyParams, Value: g.Params})
	}
	pyvalue.Dict{{Key: keyState, Value: state}, {Key: keyGroups, Value: groups}}.Each(fn)
}

// dictReader converts a Python dict to a StateDict.
type dictReader struct {
	b      *Base
	op     string
	params int // the number of the optimizer's parameters
	left   int // the number of values that may still be read
}

// A dict may have mostValues values, and valuesOfParam more for each parameter of the
// optimizer. Without a limit, a small file in which many entries refer to the same dict or
// list would take any amount of memory.
const (
	mostValues    = 1 << 18
	valuesOfParam = 64
)

// spend counts n values.
func (r *dictReader) spend(n int) {
	if r.left -= n; r.left < 0 {
		r.fail(torch.ErrValue, "sd", "more values than the state of an optimizer of %d parameters has; does it refer "+
			"to the same ones again and again?", r.params)
	}
}

// fail panics with an error about an entry, which it names as Python code would.
func (r *dictReader) fail(kind error, entry, format string, args ...any) {
	panic(torch.NewError(r.op, kind, plain.Short(entry), plain.Text(fmt.Sprintf(format, args...))))
}

// readStateDict converts src to a state dict.
func (b *Base) readStateDict(op string, src StateSource) *StateDict {
	params := 0
	for _, g := range b.groups {
		params += len(g.Params)
	}
	r := &dictReader{b, op, params, mostValues + valuesOfParam*params}
	if opt.IsNil(src) {
		r.fail(torch.ErrNil, "sd", "the dict is nil; is its entry missing from the file?")
	}
	if sd, ok := src.(*StateDict); ok {
		return sd
	}
	top := r.stringKeys("sd", src)
	for _, name := range sortedKeys(top) {
		if name != keyState && name != keyGroups {
			r.fail(torch.ErrValue, name, "the state dict of an optimizer has no such entry")
		}
	}
	for _, name := range []string{keyState, keyGroups} {
		if _, ok := top[name]; !ok {
			r.fail(torch.ErrValue, name, "the dict has no such entry; it has %q", sortedKeys(top))
		}
	}
	sd := &StateDict{State: map[int]map[string]*torch.Tensor{}, Values: map[int]map[string]any{}}
	r.dict(keyState, top[keyState]).Each(func(key, value any) bool {
		n, ok := pyvalue.Int(key)
		if !ok || n != int64(int(n)) {
			r.fail(torch.ErrType, keyState, "expected parameter numbers as keys, got %s", describe(key))
		}
		r.state(sd, int(n), value)
		return true
	})
	groups, ok := pyvalue.Items(top[keyGroups])
	if !ok {
		r.fail(torch.ErrType, keyGroups, "expected a list, got %s", describe(top[keyGroups]))
	}
	for i, g := range groups {
		sd.ParamGroups = append(sd.ParamGroups, r.group(i, g))
	}
	return sd
}

func (r *dictReader) dict(entry string, v any) pyvalue.Source {
	d, ok := v.(pyvalue.Source)
	if !ok || opt.IsNil(d) {
		r.fail(torch.ErrType, entry, "expected a dict, got %s", describe(v))
	}
	return d
}

func (r *dictReader) stringKeys(entry string, v any) map[string]any {
	entries, foreign, ok := pyvalue.Named(r.dict(entry, v))
	if !ok {
		r.fail(torch.ErrType, entry, "expected strings as keys, got %s", describe(foreign))
	}
	r.spend(len(entries))
	return entries
}

func (r *dictReader) state(sd *StateDict, n int, v any) {
	of := r.stringKeys(fmt.Sprintf("%s[%d]", keyState, n), v)
	sd.State[n], sd.Values[n] = map[string]*torch.Tensor{}, map[string]any{}
	for _, name := range sortedKeys(of) {
		entry := fmt.Sprintf("%s[%d][%q]", keyState, n, name)
		switch v := of[name].(type) {
		case nil: // None means the same as a missing entry
		case *torch.Tensor:
			sd.State[n][name] = v
		case int64, int, float64:
			sd.Values[n][name] = v
		default:
			items, ok := pyvalue.Items(v)
			if !ok {
				r.fail(torch.ErrType, entry, "expected a tensor, a number or a list of tensors, got %s", describe(v))
			}
			if name == "al" && r.b.loadExtra != nil {
				continue // "al" is scratch space of LBFGS: each step writes to it before it reads it
			}
			r.spend(len(items))
			ts := make([]*torch.Tensor, len(items))
			for i, item := range items {
				if ts[i], ok = item.(*torch.Tensor); !ok {
					r.fail(torch.ErrType, fmt.Sprintf("%s[%d]", entry, i), "expected a tensor, got %s", describe(item))
				}
			}
			sd.Values[n][name] = ts
		}
	}
}

func (r *dictReader) group(i int, v any) GroupState {
	at := fmt.Sprintf("%s[%d]", keyGroups, i)
	of := r.stringKeys(at, v)
	params, ok := pyvalue.Ints(of[keyParams])
	if !ok {
		r.fail(torch.ErrType, fmt.Sprintf("%s[%q]", at, keyParams), "expected a list of numbers of parameters, got %s",
			describe(of[keyParams]))
	}
	r.spend(len(params))
	g := GroupState{Settings: map[string]any{}}
	for _, n := range params {
		g.Params = append(g.Params, int(n))
	}
	for _, name := range sortedKeys(of) {
		entry := fmt.Sprintf("%s[%q]", at, name)
		switch name {
		case keyParams:
		case keyNames: // written by a Python optimizer that was made with named_parameters
			names, ok := pyvalue.Items(of[name])
			if !ok || len(names) != len(params) {
				r.fail(torch.ErrType, entry, "expected a list of %d names, got %s", len(params), describe(of[name]))
			}
		default:
			var now *setting
			if i < len(r.b.groups) {
				now = r.b.groups[i].settings.find(name)
			}
			if items, ok := of[name].([]any); ok {
				r.spend(len(items))
			}
			g.Settings[name] = settingOf(of[name], now)
		}
	}
	return g
}

// settingOf converts a Python value to the type of the optimizer's current setting. It
// returns an invalid value unchanged; a later check rejects the value with an error that
// names the setting.
func settingOf(v any, now *setting) any {
	if t, ok := v.(*torch.Tensor); ok { // such as lr=torch.tensor(0.1)
		if f, ok := pyvalue.Float(t); ok {
			return f
		}
		return v
	}
	items, ok := pyvalue.Items(v)
	if !ok {
		return v
	}
	var old any
	if now != nil {
		old = now.value()
	}
	if pair, ok := pairOrNone(items); ok {
		_, isPair := old.([2]any)
		if _, numbers := pyvalue.Floats(items); isPair || !numbers {
			return pair
		}
	}
	all, ok := pyvalue.Floats(items)
	_, isList := old.([]float64)
	switch {
	case !ok:
		return v
	case isList || old == nil && !pyvalue.IsTuple(v):
		return all
	case len(all) == 2:
		return [2]float64(all)
	case len(all) == 3:
		return [3]float64(all)
	}
	return all
}

// pairOrNone returns two items as a pair. Each item may be a number or None.
func pairOrNone(items []any) (pair [2]any, ok bool) {
	if len(items) != 2 {
		return pair, false
	}
	for i, item := range items {
		if item == nil {
			continue
		}
		f, ok := pyvalue.Float(item)
		if !ok {
			return pair, false
		}
		pair[i] = f
	}
	return pair, true
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case string:
		return fmt.Sprintf("%.40q", v)
	case bool, int, int64, float64:
		return fmt.Sprint(v)
	case *torch.Tensor:
		return "a tensor"
	case pyvalue.Source:
		return "a dict"
	}
	return fmt.Sprintf("a %T", v)
}
