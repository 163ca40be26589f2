package data

import (
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// generatorType is the type of the values that [generatorsOf] finds. holders are the
// types whose fields it searches.
var (
	generatorType = reflect.TypeFor[*torch.Generator]()
	holders       = []reflect.Type{
		reflect.TypeFor[Sampler](), reflect.TypeFor[BatchSampler](), reflect.TypeFor[Dataset](),
		reflect.TypeFor[IterableDataset](), reflect.TypeFor[TensorTransform](),
	}
)

// generatorsOf returns the generators in the fields of samplers, datasets and transforms,
// including samplers, datasets and transforms within these. generatorsOf follows no other
// pointers, because other goroutines may change the values behind them.
func generatorsOf(roots ...any) []*torch.Generator {
	f := generatorSearch{seen: map[pointerTarget]bool{}}
	for _, r := range roots {
		f.value(reflect.ValueOf(r))
	}
	return f.found
}

// pointerTarget identifies the target of a pointer by its address and type.
type pointerTarget struct {
	t  reflect.Type
	at uintptr
}

type generatorSearch struct {
	found []*torch.Generator
	seen  map[pointerTarget]bool
}

func (f *generatorSearch) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && leadsToGenerator(v.Elem().Type()) {
			f.value(v.Elem())
		}
	case reflect.Pointer:
		switch {
		case v.IsNil():
		case v.Type() == generatorType:
			if g := (*torch.Generator)(v.UnsafePointer()); !slices.Contains(f.found, g) {
				f.found = append(f.found, g)
			}
		case leadsToGenerator(v.Type()):
			if p := (pointerTarget{v.Type(), v.Pointer()}); !f.seen[p] {
				f.seen[p] = true
				f.value(v.Elem())
			}
		}
	case reflect.Struct:
		for k := range v.NumField() {
			f.value(v.Field(k))
		}
	case reflect.Slice, reflect.Array:
		if leadsToGenerator(v.Type().Elem()) {
			for k := range v.Len() {
				f.value(v.Index(k))
			}
		}
	}
}

// leadsToGenerator reports whether t is the type of a generator, sampler, dataset or
// transform.
func leadsToGenerator(t reflect.Type) bool {
	return t == generatorType || slices.ContainsFunc(holders, t.Implements)
}
