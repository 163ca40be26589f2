package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// args are the arguments of a call in Python, by name. If an argument has the wrong type,
// the method that reads it panics, which fails the sample.
type args struct {
	from   *file
	values map[string]any // as package encoding/json decodes them
	read   map[string]bool
	*objects
}

// objects are the tensors among the arguments of a case. As in Python, the same tensor
// may be passed as several arguments, and several tensors may share memory.
type objects struct {
	byID    map[string]*torch.Tensor
	memory  map[string]*torch.Tensor
	wanting []*torch.Tensor // tensors that require gradients, in the order of their creation
}

func newArgs(f *file, values map[string]any) *args {
	return &args{f, values, map[string]bool{}, &objects{
		byID:   map[string]*torch.Tensor{},
		memory: map[string]*torch.Tensor{},
	}}
}

// A skipped is the reason why a sample cannot run.
type skipped string

// Skip skips the sample, for the given reason.
func (a *args) Skip(reason string) { panic(skipped(reason)) }

// Has reports whether the call has the argument, even with the value None.
func (a *args) Has(name string) bool {
	_, ok := a.values[name]
	return ok
}

// IsNone reports whether the call has the argument with the value None.
func (a *args) IsNone(name string) bool { return a.Has(name) && a.Any(name) == nil }

// Any returns an argument as nil, bool, int64, float64, complex128, string, []any,
// *torch.Tensor or torch.DType, and other objects as a map. It returns nil for an
// argument that the call does not have.
func (a *args) Any(name string) any {
	a.read[name] = true
	return a.value(a.values[name])
}

func (a *args) value(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		x, err := v.Float64()
		if err != nil {
			panic(err)
		}
		return x
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = a.value(e)
		}
		return all
	case map[string]any:
		return a.object(v)
	}
	return v
}

func (a *args) object(v map[string]any) any {
	switch {
	case v["t"] != nil:
		return a.tensor(v)
	case v["f"] != nil:
		return a.value(json.Number(v["f"].(string)))
	case v["c"] != nil:
		c := a.value(v["c"]).([]any)
		return complex(number(c[0]), number(c[1]))
	case v["dtype"] != nil:
		return dtypes[v["dtype"].(string)]
	}
	return v
}

func (a *args) tensor(v map[string]any) *torch.Tensor {
	i := int(a.value(v["t"]).(int64))
	id := string(v["id"].(json.Number))
	if t := a.byID[id]; t != nil {
		return t
	}
	var t *torch.Tensor
	if m, ok := v["memory"].(json.Number); !ok {
		t = a.from.tensor(i)
	} else {
		if _, ok := a.memory[string(m)]; !ok {
			a.memory[string(m)] = a.from.storage(a.from.Tensors[i].Storage)
		}
		t = a.from.view(i, a.memory[string(m)])
	}
	if a.from.Tensors[i].Grad {
		t.SetRequiresGrad(true)
		a.wanting = append(a.wanting, t)
	}
	a.byID[id] = t
	return t
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	panic(fmt.Sprintf("conformance: %v is not a number", v))
}

func as[T any](a *args, name string) T {
	v, ok := a.Any(name).(T)
	if !ok {
		panic(fmt.Sprintf("conformance: argument %s is %v, no %T", name, a.values[name], v))
	}
	return v
}

func (a *args) Int(name string) int64     { return as[int64](a, name) }
func (a *args) Bool(name string) bool     { return as[bool](a, name) }
func (a *args) String(name string) string { return as[string](a, name) }
func (a *args) Float(name string) float64 { return number(a.Any(name)) }

// FloatOr returns a number, or its second argument if the call does not have the
// argument.
func (a *args) FloatOr(name string, otherwise float64) float64 {
	if !a.Has(name) {
		return otherwise
	}
	return a.Float(name)
}

// Ints returns a list of integers. A single integer is returned as a list of one.
func (a *args) Ints(name string) []int64 {
	all, ok := a.Any(name).([]any)
	if !ok {
		return []int64{a.Int(name)}
	}
	ns := make([]int64, len(all))
	for i, v := range all {
		ns[i] = v.(int64)
	}
	return ns
}

// Floats returns a list of numbers. A single number is returned as a list of one.
func (a *args) Floats(name string) []float64 {
	all, ok := a.Any(name).([]any)
	if !ok {
		return []float64{a.Float(name)}
	}
	xs := make([]float64, len(all))
	for i, v := range all {
		xs[i] = number(v)
	}
	return xs
}

// Size returns a size in the types that constructors accept: int64 or []int64.
func (a *args) Size(name string) any {
	if n, ok := a.Any(name).(int64); ok {
		return n
	}
	return a.Ints(name)
}

// Tensor returns a tensor. It returns nil if the argument is None or the call does not
// have it.
func (a *args) Tensor(name string) *torch.Tensor {
	if a.Any(name) == nil {
		return nil
	}
	return as[*torch.Tensor](a, name)
}

// Tensors returns the tensors of a tuple.
func (a *args) Tensors(name string) []*torch.Tensor { return tensors(as[[]any](a, name)) }

func tensors(all []any) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(all))
	for i, v := range all {
		ts[i], _ = v.(*torch.Tensor)
	}
	return ts
}

// Packed returns the four tensors of a PackedSequence: its data, batch sizes, sorted
// indices and unsorted indices. ok is false if the argument is not a PackedSequence.
func (a *args) Packed(name string) (parts []*torch.Tensor, ok bool) {
	m, _ := a.Any(name).(map[string]any)
	if m["packed"] == nil {
		return nil, false
	}
	return tensors(a.value(m["packed"]).([]any)), true
}

// Function returns an argument that is a string. For an argument that is a function, such
// as gelu, it returns the function's name.
func (a *args) Function(name string) string {
	if m, ok := a.Any(name).(map[string]any); ok {
		return m["fn"].(string)
	}
	return a.String(name)
}

// Module creates the module that an argument describes, and loads its recorded state.
func (a *args) Module(name string) nn.Module {
	v := as[map[string]any](a, name)
	m := build(v["module"].(string), &args{a.from, v["args"].(map[string]any), map[string]bool{}, a.objects})
	sd := nn.StateDict{}
	for _, e := range v["state"].([]any) {
		pair := e.([]any)
		sd = append(sd, nn.NamedTensor{Name: pair[0].(string), Tensor: a.from.tensor(int(a.value(pair[1]).(int64)))})
	}
	if len(sd) > 0 && sd[0].Tensor.DType() == torch.Float64 {
		m.To(torch.Float64)
	}
	if err := m.LoadStateDict(sd); err != nil {
		panic(err)
	}
	return m
}

// unread returns the names of the arguments that no method has read.
func (a *args) unread() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.values)), func(n string) bool { return a.read[n] })
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// keyword returns the Python name of an option from its Go type: negative_slope for
// NegativeSlope, and stride for both Stride and Strides.
func keyword(t reflect.Type) string {
	n := strings.ToLower(hump.ReplaceAllString(t.Name(), "${1}_${2}"))
	n = strings.TrimSuffix(strings.TrimPrefix(n, "with_"), "_word")
	if n == "dropout_p" { // nn's option is DropoutP, because nn.Dropout is a layer
		n = "dropout"
	}
	if t.Kind() == reflect.Slice {
		n = strings.TrimSuffix(n, "s")
	}
	return n
}

// options returns the options for the arguments of a call. Each prototype is a value of
// an option's type. If the call has an argument with the option's name and a suitable
// value, options creates the option; None gives no option.
func options[O any](a *args, prototypes ...any) []O {
	var opts []O
	for _, p := range prototypes {
		t := reflect.TypeOf(p)
		name := keyword(t)
		if !a.Has(name) {
			continue
		}
		if v, ok := fit(a, t, name); ok {
			opts = append(opts, v.Interface().(O))
		}
	}
	return opts
}

// option appends the option for an argument whose name differs from the option type's
// name. prototype is a value of that type.
func option[O any](a *args, opts []O, name string, prototype any) []O {
	if !a.Has(name) {
		return opts
	}
	v, ok := fit(a, reflect.TypeOf(prototype), name)
	if !ok {
		panic(fmt.Sprintf("conformance: argument %s is %v, which is no %T", name, a.values[name], prototype))
	}
	return append(opts, v.Interface().(O))
}

func fit(a *args, t reflect.Type, name string) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch x := a.value(a.values[name]).(type) {
	case nil:
		a.read[name] = true
		return v, false
	case bool:
		if t.Kind() != reflect.Bool {
			return v, false
		}
		v.SetBool(x)
	case string:
		if t.Kind() != reflect.String {
			return v, false
		}
		v.SetString(x)
	case int64, float64:
		n, whole := x.(int64)
		switch {
		case t.Kind() == reflect.Float64:
			v.SetFloat(number(x))
		case t.Kind() == reflect.Int64 && whole:
			v.SetInt(n)
		default:
			return v, false
		}
	case []any:
		if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Int64 {
			return v, false
		}
		v.Set(reflect.ValueOf(a.Ints(name)).Convert(t))
	case torch.DType:
		if !reflect.TypeOf(x).ConvertibleTo(t) || strings.ToLower(t.Name()) != "dtype" {
			return v, false
		}
		v.Set(reflect.ValueOf(x).Convert(t))
	default:
		return v, false
	}
	a.read[name] = true
	return v, true
}
