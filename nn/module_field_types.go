package nn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/gotorch/gotorch/torch"
)

// fieldTag is the key of the struct tag that names a field, or excludes it with "-".
const fieldTag = "torch"

// moduleField is a field of a struct that may hold modules or parameters.
type moduleField struct {
	name  string // the name it is registered under
	path  string // the names of the fields that lead to it, joined by dots
	index []int
	kind  fieldKind
}

type fieldKind int

const (
	oneModule fieldKind = iota
	oneTensor
	moduleList
)

// valueIn returns the field f of a struct value, or the zero Value if an embedded pointer
// on the way is nil.
func (f *moduleField) valueIn(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		v = asExported(v.Field(i))
	}
	return v
}

// moduleFieldsCache caches the results of moduleFieldsOf.
var moduleFieldsCache sync.Map // reflect.Type to []moduleField

// moduleFieldsOf returns the fields of a struct, and of the structs it embeds, that
// may hold modules or parameters. It skips embedded layers of this package, which
// handle their own fields.
func moduleFieldsOf(t reflect.Type) []moduleField {
	if known, ok := moduleFieldsCache.Load(t); ok {
		return known.([]moduleField)
	}
	var list []moduleField
	met := map[reflect.Type]bool{}
	var each func(t reflect.Type, path string, index []int)
	each = func(t reflect.Type, path string, index []int) {
		if met[t] {
			return // t embeds itself
		}
		met[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			tag, tagged := f.Tag.Lookup(fieldTag)
			path, index := join(path, f.Name), append(slices.Clone(index), i)
			fail := func(why string) {
				panic(torch.NewError(t.String(), torch.ErrValue, "n."+path,
					fmt.Sprintf("has the tag `%s:%s`, %s", fieldTag, strconv.Quote(tag), why)))
			}
			kind, ok := kindOfField(f.Type)
			embedded := f.Anonymous && structIn(f.Type) != nil
			switch {
			case tag == "-":
			case embedded && tagged:
				fail("which has no effect: an embedded struct is part of the outer struct")
			case embedded:
				if in := structIn(f.Type); in != baseType && in.PkgPath() != packagePath && !isForeign(in) {
					each(in, path, index)
				}
			case ok:
				name := pythonName(f.Name)
				if tagged {
					name = tag
				}
				if name == "" || strings.Contains(name, ".") {
					fail("but a name must not be empty or contain a dot")
				}
				if at := slices.IndexFunc(list, func(o moduleField) bool { return o.name == name }); at >= 0 {
					panic(torch.NewError(t.String(), torch.ErrValue, "n."+path, fmt.Sprintf(
						"is registered as %q, and so is n.%s: give one of the fields another name with a tag, "+
							"such as `%s:\"%s2\"`",
						name, list[at].path, fieldTag, name)))
				}
				list = append(list, moduleField{name, path, index, kind})
			case tagged:
				fail(fmt.Sprintf("which has no effect: a %v is neither a module, a tensor, nor a list of modules",
					f.Type))
			}
		}
	}
	each(t, "", nil)
	moduleFieldsCache.Store(t, list)
	return list
}

// holdsModule reports whether a value of the type can be a module.
func holdsModule(t reflect.Type) bool {
	return (t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface) && t.Implements(moduleType)
}

func kindOfField(t reflect.Type) (fieldKind, bool) {
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	switch {
	case t == tensorType:
		return oneTensor, true
	case holdsModule(t):
		return oneModule, true
	case list && holdsModule(t.Elem()):
		return moduleList, true
	}
	return 0, false
}

// structIn returns t if it is a struct, or the struct t points to.
func structIn(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// casedWords replaces names with inner capitals that PyTorch writes as one word. It is
// constant.
var casedWords = strings.NewReplacer("ReLU", "Relu", "SiLU", "Silu")

// pythonName converts the name of a field to Python's case: LayerNorm becomes
// layer_norm, FC1 fc1, lmHead lm_head, Conv2D conv2d, and ReLU relu.
func pythonName(field string) string {
	var b strings.Builder
	letters := []rune(casedWords.Replace(field))
	for i, c := range letters {
		if unicode.IsUpper(c) && i > 0 && letters[i-1] != '_' {
			before, next := letters[i-1], i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if unicode.IsLower(before) || next {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
