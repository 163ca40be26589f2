package export

import (
	"fmt"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
)

// argument returns an argument of a node. kind is its type in the operator's schema, and all
// are its values in the calls.
func (w *writer) argument(c *call, kind string, all []any) union {
	switch v := all[0].(type) {
	case nil:
		w.same(c, all)
		return member("as_none", true)
	case native.SlotNumber:
		w.same(c, all)
		return tensorUnion(w.names[v])
	case []any:
		return w.list(c, kind, all)
	case int64:
		return w.integer(c, kind, all)
	case float64:
		w.same(c, all)
		return member("as_float", decimal(v))
	case bool:
		w.same(c, all)
		return member("as_bool", v)
	case complex128:
		w.same(c, all)
		return member("as_complex", map[string]decimal{"real": decimal(real(v)), "imag": decimal(imag(v))})
	case string:
		w.same(c, all)
		if strings.HasPrefix(kind, "Device") {
			return member("as_device", device{Type: v})
		}
		return member("as_string", v)
	}
	w.fail("%s", c.at("an argument of a kind that programs do not have"))
	return union{}
}

// same fails unless an argument is the same in all calls.
func (w *writer) same(c *call, all []any) {
	for _, v := range all[1:] {
		if v != all[0] && fmt.Sprint(v) != fmt.Sprint(all[0]) { // NaN differs from itself
			w.fail("%s", c.at("an argument that is no integer depends on the sizes of the inputs"))
		}
	}
}

// integer returns an argument that is an integer, or stands for a dtype or the like.
func (w *writer) integer(c *call, kind string, all []any) union {
	enum := func(name string, numbers map[int]int8) union {
		w.same(c, all)
		return member(name, numberOf(numbers, int8(all[0].(int64))))
	}
	switch strings.TrimSuffix(kind, "?") {
	case "ScalarType":
		return enum("as_scalar_type", dtypes)
	case "Layout":
		return enum("as_layout", layouts)
	case "MemoryFormat":
		return enum("as_memory_format", memoryFormats)
	}
	f := w.form(c, all)
	if f.fixed() {
		return member("as_int", f.hint)
	}
	return member("as_sym_int", member("as_name", w.computed(f)))
}

// form returns how an integer depends on the sizes.
func (w *writer) form(c *call, all []any) *form {
	ns := make([]int64, len(all))
	for i, v := range all {
		n, ok := v.(int64)
		if !ok {
			w.fail("%s", c.at("an argument has another type for inputs of other sizes"))
		}
		ns[i] = n
	}
	f := w.points.fit(ns)
	if f == nil {
		w.fail("%s", c.at("an argument depends on the sizes of the inputs in a way that cannot be expressed"))
	}
	return f
}

// list returns an argument that is a list.
func (w *writer) list(c *call, kind string, all []any) union {
	items := all[0].([]any)
	columns := make([][]any, len(items))
	for _, v := range all {
		l, ok := v.([]any)
		if !ok || len(l) != len(items) {
			w.fail("%s", c.at("a list has another length for inputs of other sizes"))
		}
		for i, item := range l {
			columns[i] = append(columns[i], item)
		}
	}
	named := func(i int) map[string]string {
		w.same(c, columns[i])
		return map[string]string{"name": w.names[items[i].(native.SlotNumber)]}
	}
	switch {
	case strings.Contains(kind, "Tensor?"):
		us := make([]union, len(items))
		for i, item := range items {
			us[i] = member("as_none", true)
			if item != nil {
				us[i] = member("as_tensor", named(i))
			}
		}
		return member("as_optional_tensors", us)
	case strings.Contains(kind, "Tensor"):
		ts := make([]map[string]string, len(items))
		for i := range items {
			ts[i] = named(i)
		}
		return member("as_tensors", ts)
	case strings.Contains(kind, "bool"):
		return w.plain(c, "as_bools", items, columns)
	case strings.Contains(kind, "str"):
		return w.plain(c, "as_strings", items, columns)
	case strings.Contains(kind, "float") || slices.ContainsFunc(items, isFloat):
		fs := make([]decimal, len(items))
		for i, item := range items {
			w.same(c, columns[i])
			switch v := item.(type) {
			case float64:
				fs[i] = decimal(v)
			case int64:
				fs[i] = decimal(v)
			}
		}
		return member("as_floats", fs)
	}
	return w.integers(c, columns)
}

func isFloat(v any) bool {
	_, ok := v.(float64)
	return ok
}

// plain returns a list of values that do not depend on the sizes.
func (w *writer) plain(c *call, kind string, items []any, columns [][]any) union {
	for _, column := range columns {
		w.same(c, column)
	}
	return member(kind, items)
}

func (w *writer) integers(c *call, columns [][]any) union {
	forms := make([]*form, len(columns))
	fixed := true
	for i, column := range columns {
		forms[i] = w.form(c, column)
		fixed = fixed && forms[i].fixed()
	}
	if fixed {
		ns := make([]int64, len(forms))
		for i, f := range forms {
			ns[i] = f.hint
		}
		return member("as_ints", ns)
	}
	us := make([]union, len(forms))
	for i, f := range forms {
		if f.fixed() {
			us[i] = member("as_int", f.hint)
		} else {
			us[i] = member("as_name", w.computed(f))
		}
	}
	return member("as_sym_ints", us)
}
