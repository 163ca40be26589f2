package data

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// all returns the tensors of an example, including those within Value.
func (e Example) all() []*torch.Tensor {
	ts := e.tensors()
	if e.Value != nil {
		e.replaceTensors(func(t *torch.Tensor) *torch.Tensor {
			ts = append(ts, t)
			return t
		}, false)
	}
	return ts
}

// mapTensors returns e with each tensor replaced by f's result. Nil tensors stay nil.
func (e Example) mapTensors(f func(*torch.Tensor) *torch.Tensor) Example {
	return e.replaceTensors(f, true)
}

func (e Example) replaceTensors(f func(*torch.Tensor) *torch.Tensor, withFields bool) Example {
	if withFields {
		ts := e.tensors()
		for i, t := range ts {
			if t != nil {
				ts[i] = f(t)
			}
		}
		value := e.Value
		e = exampleOf(ts)
		e.Value = value
	}
	if e.Value != nil {
		e.Value = replaceIn(reflect.ValueOf(e.Value), f, 0).Interface()
	}
	return e
}

var tensorType = reflect.TypeFor[*torch.Tensor]()

// replaceIn returns v with each tensor in it replaced by f's result. It looks in slices,
// maps, exported fields of structs, pointers and interfaces. It copies every value that may
// contain tensors. It panics with ErrValue for a value that contains itself.
func replaceIn(v reflect.Value, f func(*torch.Tensor) *torch.Tensor, depth int) reflect.Value {
	if depth++; depth > maxDepth {
		panic(torch.NewError("data.Example", torch.ErrValue, "Value",
			fmt.Sprintf("values nested more than %d levels deep", maxDepth)))
	}
	t := v.Type()
	if t == tensorType {
		if v.IsNil() {
			return v
		}
		return reflect.ValueOf(f(v.Interface().(*torch.Tensor)))
	}
	if !mayHold(t, nil) {
		return v
	}
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return v
		}
	}
	switch t.Kind() {
	case reflect.Interface:
		out := reflect.New(t).Elem()
		out.Set(replaceIn(v.Elem(), f, depth))
		return out
	case reflect.Pointer:
		out := reflect.New(t.Elem())
		out.Elem().Set(replaceIn(v.Elem(), f, depth))
		return out
	case reflect.Slice:
		out := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(replaceIn(v.Index(i), f, depth))
		}
		return out
	case reflect.Array, reflect.Struct:
		out := reflect.New(t).Elem()
		out.Set(v)
		if t.Kind() == reflect.Array {
			for i := range v.Len() {
				out.Index(i).Set(replaceIn(v.Index(i), f, depth))
			}
			return out
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				out.Field(i).Set(replaceIn(v.Field(i), f, depth))
			}
		}
		return out
	case reflect.Map:
		out := reflect.MakeMapWithSize(t, v.Len())
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), replaceIn(it.Value(), f, depth))
		}
		return out
	}
	return v
}

// mayHold reports whether a value of type t may contain or point to a tensor. seen are the
// types that enclose t; mayHold does not visit them again.
func mayHold(t reflect.Type, seen []reflect.Type) bool {
	if t == tensorType {
		return true
	}
	for _, s := range seen {
		if s == t {
			return false
		}
	}
	seen = append(seen, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return t.Elem().Kind() == reflect.Struct && t.Elem() != tensorType.Elem() && mayHold(t.Elem(), seen)
	case reflect.Slice, reflect.Array, reflect.Map:
		return mayHold(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && mayHold(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// disown removes the tensors of e from the scopes of the goroutine, and returns those that
// a scope owned. The caller must close them or pass them on.
func (e Example) disown() (owned []*torch.Tensor) {
	for _, t := range e.all() {
		if t != nil && own.Owns(t) {
			owned = append(owned, torch.Disown(t))
		}
	}
	return owned
}

func closeAll(ts []*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}
