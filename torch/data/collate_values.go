package data

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// Collate joins the Values of a batch's examples, as Python's default_collate does:
//
//   - tensors are stacked along a new first dimension;
//   - numbers and bools become a tensor of one dimension with the matching dtype: Int64
//     for int and Float64 for float64, as for Python's int and float, Int32 for int32 and
//     so on;
//   - strings and []byte become a []string and a [][]byte;
//   - maps, structs, pointers to structs and [Example]s are joined by key or field into a
//     new value of the same type;
//   - slices of equal length become a slice of that length, whose element k joins the
//     elements k.
//
// A map or slice keeps its type if the type of its elements stays the same:
// []*torch.Tensor and map[string]any do, and []int becomes []*torch.Tensor. A struct
// field whose type changes, such as an int, must be an interface, or Collate panics with
// ErrType. Unexported fields are copied from the first example.
//
// The tensors are new. Collate panics with
//
//   - ErrValue for an empty list, for maps with different keys and for values that contain
//     themselves;
//   - ErrType for values of different types and for values that cannot be joined, such as
//     nil and functions;
//   - ErrShape for tensors or slices of different sizes;
//   - ErrDType for tensors of different dtypes.
//
// Before it panics, it frees the tensors that it made. Follows
// torch.utils.data.default_collate.
func Collate(values []any) any {
	const op = "data.Collate"
	if len(values) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "values", "an empty list"))
	}
	return collateValues(op, "values", values)
}

// collateValues is Collate for the operator op. Errors name op and where, the position of
// the values.
func collateValues(op, where string, values []any) (out any) {
	c := collator{op: op}
	defer func() {
		if out == nil {
			closeAll(c.newTensors)
		}
	}()
	vs := make([]reflect.Value, len(values))
	for i, v := range values {
		vs[i] = reflect.ValueOf(v)
	}
	return c.join(where, vs).Interface()
}

// collator joins values and records the tensors that it has made.
type collator struct {
	op         string
	newTensors []*torch.Tensor
	depth      int
}

// maxDepth is the limit on how deeply values are nested. A value that is nested deeper is
// assumed to contain itself.
const maxDepth = 1000

func (c *collator) panicAt(kind error, where, format string, args ...any) {
	panic(torch.NewError(c.op, kind, where, fmt.Sprintf(format, args...)))
}

var exampleType = reflect.TypeFor[Example]()

func (c *collator) join(where string, vs []reflect.Value) reflect.Value {
	if c.depth++; c.depth > maxDepth {
		c.panicAt(torch.ErrValue, where[:min(len(where), 60)]+"...", "values nested more than %d levels deep", maxDepth)
	}
	defer func() { c.depth-- }()
	for i, v := range vs {
		for v.IsValid() && v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if vs[i] = v; !v.IsValid() {
			c.panicAt(torch.ErrType, where, "example %d contains nil, which cannot be collated", i)
		}
		if v.Type() != vs[0].Type() {
			c.panicAt(torch.ErrType, where, "example %[2]d has a %[1]v, but example 0 has a %[3]v", v.Type(), i,
				vs[0].Type())
		}
	}
	t := vs[0].Type()
	switch {
	case t == tensorType:
		ts := make([]*torch.Tensor, len(vs))
		for i, v := range vs {
			ts[i] = v.Interface().(*torch.Tensor)
			if ts[i] == nil {
				c.panicAt(torch.ErrNil, where, "example %d has a nil tensor", i)
			}
		}
		return c.keep(stackOrNil(c.op, where, ts))
	case t == exampleType:
		examples := make([]Example, len(vs))
		for i, v := range vs {
			examples[i] = v.Interface().(Example)
		}
		_ = examples[0].all() // this panics if the example contains itself
		e := Stack(examples)
		c.newTensors = append(c.newTensors, e.all()...)
		return reflect.ValueOf(e)
	case t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		out := reflect.MakeSlice(reflect.SliceOf(t), 0, len(vs))
		return reflect.Append(out, vs...)
	}
	switch t.Kind() {
	case reflect.Map:
		return c.maps(where, vs)
	case reflect.Struct:
		return c.structs(where, vs)
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			inner := make([]reflect.Value, len(vs))
			for i, v := range vs {
				if v.IsNil() {
					c.panicAt(torch.ErrNil, where, "example %[2]d has a nil %[1]v", t, i)
				}
				inner[i] = v.Elem()
			}
			out := reflect.New(t.Elem())
			out.Elem().Set(c.join(where, inner))
			return out
		}
	case reflect.Slice, reflect.Array:
		return c.slices(where, vs)
	}
	return c.numbers(where, vs)
}

func (c *collator) keep(t *torch.Tensor) reflect.Value {
	c.newTensors = append(c.newTensors, t)
	return reflect.ValueOf(t)
}

func (c *collator) maps(where string, vs []reflect.Value) reflect.Value {
	t := vs[0].Type()
	out := reflect.MakeMap(reflect.MapOf(t.Key(), c.batchType(where, t.Elem(), 0)))
	for _, key := range vs[0].MapKeys() {
		at := fmt.Sprintf("%s[%v]", where, key)
		inner := make([]reflect.Value, len(vs))
		for i, v := range vs {
			if inner[i] = v.MapIndex(key); !inner[i].IsValid() {
				c.panicAt(torch.ErrValue, at, "example %d lacks this key, which example 0 has", i)
			}
		}
		out.SetMapIndex(key, c.joinFor(at, out.Type().Elem(), inner))
	}
	for i, v := range vs {
		if v.Len() == vs[0].Len() {
			continue // v has all keys of vs[0], so it has no others
		}
		for _, key := range v.MapKeys() {
			if !vs[0].MapIndex(key).IsValid() {
				c.panicAt(torch.ErrValue, fmt.Sprintf("%s[%v]", where, key), "example %d has this key, but example 0 "+
					"lacks it", i)
			}
		}
	}
	return out
}

func (c *collator) structs(where string, vs []reflect.Value) reflect.Value {
	t := vs[0].Type()
	out := reflect.New(t).Elem()
	out.Set(vs[0])
	for k := range t.NumField() {
		f := t.Field(k)
		if !f.IsExported() {
			continue
		}
		at := where + "." + f.Name
		inner := make([]reflect.Value, len(vs))
		for i, v := range vs {
			inner[i] = v.Field(k)
		}
		out.Field(k).Set(c.joinFor(at, f.Type, inner))
	}
	return out
}

func (c *collator) slices(where string, vs []reflect.Value) reflect.Value {
	n := vs[0].Len()
	for i, v := range vs {
		if v.Len() != n {
			c.panicAt(torch.ErrShape, where, "example %[2]d has %[1]d elements, but example 0 has %[3]d", v.Len(), i, n)
		}
	}
	out := reflect.MakeSlice(reflect.SliceOf(c.batchType(where, vs[0].Type().Elem(), 0)), n, n)
	for k := range n {
		inner := make([]reflect.Value, len(vs))
		for i, v := range vs {
			inner[i] = v.Index(k)
		}
		out.Index(k).Set(c.joinFor(fmt.Sprintf("%s[%d]", where, k), out.Type().Elem(), inner))
	}
	return out
}

// joinFor joins values. It panics with ErrType if a field or element of type t cannot hold
// the result.
func (c *collator) joinFor(where string, t reflect.Type, vs []reflect.Value) reflect.Value {
	b := c.join(where, vs)
	if !b.Type().AssignableTo(t) {
		c.panicAt(torch.ErrType, where, "a batch of %v is a %v, which this field cannot hold; declare it as any",
			vs[0].Type(), b.Type())
	}
	return b
}

// batchType returns the type that values of type t have after joining.
func (c *collator) batchType(where string, t reflect.Type, depth int) reflect.Type {
	switch {
	case depth > maxDepth:
		c.panicAt(torch.ErrType, where, "%v contains itself and cannot be collated", t)
	case t == tensorType || t == exampleType:
		return t
	case t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return reflect.SliceOf(t)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return reflect.SliceOf(c.batchType(where, t.Elem(), depth+1))
	case reflect.Map:
		return reflect.MapOf(t.Key(), c.batchType(where, t.Elem(), depth+1))
	case reflect.Struct, reflect.Interface, reflect.Pointer:
		return t
	}
	return tensorType
}

// numbers collates the numbers in vs into one tensor of one dimension.
func (c *collator) numbers(where string, vs []reflect.Value) reflect.Value {
	switch vs[0].Kind() {
	case reflect.Int, reflect.Int64:
		return c.keep(numbers(vs, reflect.Value.Int, func(v int64) int64 { return v }))
	case reflect.Int32:
		return c.keep(numbers(vs, reflect.Value.Int, func(v int64) int32 { return int32(v) }))
	case reflect.Int16:
		return c.keep(numbers(vs, reflect.Value.Int, func(v int64) int16 { return int16(v) }))
	case reflect.Int8:
		return c.keep(numbers(vs, reflect.Value.Int, func(v int64) int8 { return int8(v) }))
	case reflect.Uint8:
		return c.keep(numbers(vs, reflect.Value.Uint, func(v uint64) uint8 { return uint8(v) }))
	case reflect.Float64:
		return c.keep(numbers(vs, reflect.Value.Float, func(v float64) float64 { return v }))
	case reflect.Float32:
		return c.keep(numbers(vs, reflect.Value.Float, func(v float64) float32 { return float32(v) }))
	case reflect.Bool:
		return c.keep(numbers(vs, reflect.Value.Bool, func(v bool) bool { return v }))
	}
	c.panicAt(torch.ErrType, where, "values of type %v cannot be collated", vs[0].Type())
	return reflect.Value{}
}

func numbers[T, W any](vs []reflect.Value, read func(reflect.Value) W, as func(W) T) *torch.Tensor {
	list := make([]T, len(vs))
	for i, v := range vs {
		list[i] = as(read(v))
	}
	return torch.FromSliceWith(list, nil, torch.CPU)
}
