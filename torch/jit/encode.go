package jit

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/torch"
)

// deepest is the limit on how deeply values are nested. It also ends the encoding of a
// value that contains itself.
const deepest = 150

// mostWords is the limit on the size of encoded arguments, in words of 8 bytes. A value
// that occurs several times is written, and counts, each time.
const mostWords = 1 << 27

// encoder writes values as words, in the format that cgotorch/jit defines.
type encoder struct {
	op      string
	words   []uint64
	tensors []*torch.Tensor
	objects []*Object
}

// arguments writes the arguments of a call. The last one may be a Kwargs.
func (e *encoder) arguments(args []any) {
	var named Kwargs
	if n := len(args); n > 0 {
		if k, ok := args[n-1].(Kwargs); ok {
			named, args = k, args[:n-1]
		}
	}
	e.words = append(e.words, uint64(len(args)), uint64(len(named)))
	for i, v := range args {
		e.value(v, 0, func() string { return fmt.Sprintf("args[%d]", i) })
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		e.text(name)
		e.value(named[name], 0, func() string { return name })
	}
}

func (e *encoder) fail(kind error, where func() string, format string, args ...any) {
	panic(torch.NewError(e.op, kind, where(), fmt.Sprintf(format, args...)))
}

func (e *encoder) tag(kind, n int) { e.words = append(e.words, uint64(n)<<8|uint64(kind)) }

func (e *encoder) text(s string) {
	e.tag(native.String, len(s))
	for ; s != ""; s = s[min(8, len(s)):] {
		var w [8]byte
		copy(w[:], s)
		e.words = append(e.words, *(*uint64)(unsafe.Pointer(&w)))
	}
}

func (e *encoder) int(n int64) { e.words = append(e.words, native.Int, uint64(n)) }

func (e *encoder) float(f float64) { e.words = append(e.words, native.Float, math.Float64bits(f)) }

// place appends a tensor to e.tensors and returns its index there.
func (e *encoder) place(t *torch.Tensor) uint64 {
	e.tensors = append(e.tensors, t)
	return uint64(len(e.tensors) - 1)
}

func (e *encoder) value(v any, depth int, where func() string) {
	if depth > deepest {
		e.fail(torch.ErrValue, where, "the value is nested more than %d levels deep, or contains itself", deepest)
	}
	if len(e.words) > mostWords {
		e.fail(torch.ErrValue, where, "the value is too large")
	}
	switch v := v.(type) {
	case nil:
		e.tag(native.None, 0)
	case *torch.Tensor:
		if v == nil {
			e.tag(native.None, 0)
			return
		}
		e.tag(native.Tensor, int(e.place(v)))
	case bool:
		e.tag(native.Bool, bit(v))
	case int:
		e.int(int64(v))
	case int64:
		e.int(v)
	case float64:
		e.float(v)
	case string:
		e.text(v)
	case complex128:
		e.words = append(e.words, native.Complex, math.Float64bits(real(v)), math.Float64bits(imag(v)))
	case torch.Device:
		e.device(v, where)
	case torch.DType:
		e.int(int64(v.Code()))
	case torch.Layout:
		e.int(int64(v.Code()))
	case torch.MemoryFormat:
		e.int(int64(v.Code()))
	case Enum:
		e.tag(native.Enum, 0)
		e.text(v.Class)
		e.text(v.Name)
		e.value(v.Value, depth+1, where)
	case *Object:
		e.object(v, where)
	default:
		e.more(v, depth, where)
	}
}

func (e *encoder) device(d torch.Device, where func() string) {
	if d == 0 {
		d = torch.DefaultDevice()
	}
	if err := d.Check(); err != nil {
		e.fail(torch.ErrDevice, where, "%v", err)
	}
	e.tag(native.Device, int(d.Code()))
}

func (e *encoder) object(o *Object, where func() string) {
	if o == nil {
		e.tag(native.None, 0)
		return
	}
	if !slices.Contains(e.objects, o) {
		e.objects = append(e.objects, o)
	}
	o.mu.RLock()
	h := o.h
	o.mu.RUnlock()
	if h == 0 {
		e.fail(torch.ErrClosed, where, "a closed *jit.Object")
	}
	e.words = append(e.words, native.Handle, uint64(h))
}

// more writes values for which the method value has no case, such as lists.
func (e *encoder) more(v any, depth int, where func() string) {
	switch v := v.(type) {
	case []*torch.Tensor:
		e.tag(native.Tensors, len(v))
		for _, t := range v {
			e.words = append(e.words, e.place(t))
		}
	case []int64:
		e.integers(v)
	case torch.Shape:
		e.integers(v)
	case []int:
		e.tag(native.Ints, len(v))
		for _, n := range v {
			e.words = append(e.words, uint64(n))
		}
	case []float64:
		e.tag(native.Floats, len(v))
		for _, f := range v {
			e.words = append(e.words, math.Float64bits(f))
		}
	case []bool:
		e.tag(native.Bools, len(v))
		for _, b := range v {
			e.words = append(e.words, uint64(bit(b)))
		}
	case []string:
		e.tag(native.Strings, len(v))
		for _, s := range v {
			e.text(s)
		}
	case []any:
		e.items(native.List, v, depth, where)
	case Tuple:
		e.items(native.Tuple, v, depth, where)
	case *NamedTuple:
		if v == nil {
			e.tag(native.None, 0)
			return
		}
		e.items(native.Tuple, v.Values, depth, where)
	case *Dict:
		if v == nil {
			e.tag(native.None, 0)
			return
		}
		e.tag(native.Dict, v.Len())
		v.Each(func(key, value any) bool {
			e.value(key, depth+1, where)
			e.value(value, depth+1, func() string { return fmt.Sprintf("%s[%v]", where(), key) })
			return true
		})
	case Kwargs:
		e.fail(torch.ErrType, where, "jit.Kwargs must be the last argument")
	default:
		e.reflected(reflect.ValueOf(v), depth, where)
	}
}

func (e *encoder) integers(v []int64) {
	e.tag(native.Ints, len(v))
	for _, n := range v {
		e.words = append(e.words, uint64(n))
	}
}

func (e *encoder) items(kind int, items []any, depth int, where func() string) {
	e.tag(kind, len(items))
	for i, v := range items {
		e.value(v, depth+1, func() string { return fmt.Sprintf("%s[%d]", where(), i) })
	}
}

// reflected writes a value of a type for which the methods value and more have no case: a
// number, a slice or a map.
func (e *encoder) reflected(v reflect.Value, depth int, where func() string) {
	switch v.Kind() {
	case reflect.Bool:
		e.tag(native.Bool, bit(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Uint() > math.MaxInt64 {
			e.fail(torch.ErrValue, where, "%d does not fit in a 64-bit int", v.Uint())
		}
		e.int(int64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		e.value(v.Complex(), depth, where)
	case reflect.String:
		e.text(v.String())
	case reflect.Slice, reflect.Array:
		e.tag(native.List, v.Len())
		for i := range v.Len() {
			e.value(v.Index(i).Interface(), depth+1, func() string { return fmt.Sprintf("%s[%d]", where(), i) })
		}
	case reflect.Map:
		e.mapped(v, depth, where)
	default:
		e.fail(torch.ErrType, where, "TorchScript does not support a %v", v.Type())
	}
}

// mapped writes a Go map, sorted by its keys.
func (e *encoder) mapped(v reflect.Value, depth int, where func() string) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.Kind() == reflect.String && b.Kind() == reflect.String:
			return compare(a.String(), b.String())
		case a.CanInt() && b.CanInt():
			return compare(a.Int(), b.Int())
		case a.CanFloat() && b.CanFloat():
			return compare(a.Float(), b.Float())
		}
		return 0
	})
	e.tag(native.Dict, len(keys))
	for _, k := range keys {
		e.value(k.Interface(), depth+1, where)
		e.value(v.MapIndex(k).Interface(), depth+1, func() string { return fmt.Sprintf("%s[%v]", where(), k) })
	}
}

func compare[T int64 | float64 | string](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
