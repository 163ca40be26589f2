package ops

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Tuple is a Python tuple.
type Tuple = serialization.Tuple

// Kwargs are keyword arguments, which follow the positional ones.
type Kwargs map[string]any

// Call calls the operator with the given name, such as "aten::add.Tensor" or, for an
// operator without an overload name, "aten::relu". Arguments that are left out get their
// defaults. The last argument may be [Kwargs]. Call returns the result, a [Tuple] of
// several results, or nil.
//
// It panics with a *torch.Error: ErrNotImplemented if there is no such operator, ErrValue
// for a wrong number or name of arguments, ErrType for an argument of a wrong type, and the
// operator's own error. Follows torch.ops.NAMESPACE.NAME.OVERLOAD.
func Call(name string, args ...any) any {
	var kwargs Kwargs
	if n := len(args); n > 0 {
		if k, ok := args[n-1].(Kwargs); ok {
			kwargs, args = k, args[:n-1]
		}
	}
	switch all := call(name, args, kwargs, false); len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return Tuple(all)
	}
}

// call calls an operator, and skips autograd if below is set.
func call(name string, args []any, kwargs Kwargs, below bool) []any {
	const op = "ops.Call"
	e := encoder{op: op}
	e.words.Add(uint64(len(args) + len(kwargs)))
	for i, v := range args {
		e.words.Text("")
		e.value(fmt.Sprintf("args[%d]", i), v, 0)
	}
	for _, k := range slices.Sorted(maps.Keys(kwargs)) {
		if k == "" {
			panic(torch.NewError(op, torch.ErrValue, "args", "a keyword argument without a name"))
		}
		e.words.Text(k)
		e.value(k, kwargs[k], 0)
	}
	base, overload := split(op, name)
	hs := torch.Handles(op+"()", e.tensors, false)
	r := torch.BeginRaw(op, e.tensors...)
	out, results, st := native.Call(r.Ctx, base, overload, below, e.words, hs)
	r.Status(st)
	return native.Decode(out, r.WrapAll(results))
}

// split splits the name of an operator into its name with the namespace and its overload.
func split(op, name string) (base, overload string) {
	if !strings.Contains(name, "::") || strings.ContainsRune(name, 0) {
		panic(torch.NewError(op, torch.ErrValue, "name",
			fmt.Sprintf("expected a name such as aten::add.Tensor, got %.80q", name)))
	}
	base, overload, _ = strings.Cut(name, ".")
	return base, overload
}

// Schemas returns the schemas of the operators with the given name, one for each overload,
// such as "aten::relu(Tensor self) -> Tensor". It is empty if there is no such operator.
// It panics with ErrValue for a name without a namespace. Follows
// torch._C._jit_get_schemas_for_operator.
func Schemas(name string) []string {
	const op = "ops.Schemas"
	base, _ := split(op, name)
	return list(op, base)
}

// Names returns the names of all registered operators in alphabetical order, such as
// "aten::add.Tensor".
func Names() []string {
	names := list("ops.Names", "")
	slices.Sort(names)
	return names
}

func list(op, name string) []string {
	r := torch.BeginRaw(op)
	out, st := native.Schemas(name)
	r.Status(st)
	var all []string
	for _, v := range native.Decode[any](out, nil) {
		all = append(all, v.(string))
	}
	return all
}

// deepest is the limit on how deeply lists are nested.
const deepest = 50

// encoder writes the arguments of a call.
type encoder struct {
	op      string
	words   native.Words
	tensors []*torch.Tensor
}

func (e *encoder) value(arg string, v any, depth int) {
	w := &e.words
	switch v := v.(type) {
	case nil:
		w.Tag(native.None, 0)
	case *torch.Tensor:
		if v == nil {
			w.Tag(native.None, 0)
			return
		}
		w.Tag(native.Tensor, len(e.tensors))
		e.tensors = append(e.tensors, v)
	case torch.DType:
		w.Int(int64(v.Code()))
	case torch.Layout:
		w.Int(int64(v.Code()))
	case torch.MemoryFormat:
		w.Int(int64(v.Code()))
	case torch.Device:
		if err := v.Check(); err != nil {
			panic(torch.NewError(e.op, torch.ErrDevice, arg, err.Error()))
		}
		w.Tag(native.Device, int(v.Code()))
	default:
		e.reflected(arg, reflect.ValueOf(v), depth)
	}
}

func (e *encoder) reflected(arg string, v reflect.Value, depth int) {
	switch k := v.Kind(); {
	case k == reflect.Bool:
		e.words.Bool(v.Bool())
	case v.CanInt():
		e.words.Int(v.Int())
	case v.CanUint() && v.Uint() < 1<<63:
		e.words.Int(int64(v.Uint()))
	case v.CanFloat():
		e.words.Float(v.Float())
	case v.CanComplex():
		e.words.Complex(v.Complex())
	case k == reflect.String:
		e.words.Text(v.String())
	case (k == reflect.Slice || k == reflect.Array) && depth < deepest:
		e.words.Tag(native.List, v.Len())
		for i := range v.Len() {
			e.value(fmt.Sprintf("%s[%d]", arg, i), v.Index(i).Interface(), depth+1)
		}
	default:
		panic(torch.NewError(e.op, torch.ErrType, arg, fmt.Sprintf("an operator takes no %v", v.Type())))
	}
}
