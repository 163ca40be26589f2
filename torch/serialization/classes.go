package serialization

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// These types represent Python's classes, functions and objects while a pickle is read.
type (
	// function is the name of an allowed function or class.
	function string
	// storageType is a storage class. dtype is 0 for UntypedStorage.
	storageType struct {
		name  string
		dtype torch.DType
	}
	// unsupportedDType is the name of a dtype that libtorch does not have.
	unsupportedDType string
	// foreign is a class or function that is not allowed, the result of calling it, or
	// an object of the class.
	foreign struct {
		pickle.Turned
		pickle.Global
		called bool
		args   []any
		kwargs *pickle.Map
		state  any
		items  []any
		dict   *pickle.Map
		lacks  string // the unsupported feature for which the name is refused, or ""
	}
)

// allowed are the classes and functions that a file may name, besides dtypes and storage
// classes: the names that torch.load(weights_only=True) allows, and the names for
// NumPy scalars and arrays.
var allowed = map[string]func(*reading, *pickle.Reader, []any) any{
	"collections.OrderedDict":                      dictOf(OrderedDict),
	"collections.Counter":                          dictOf(Counter),
	"torch.Size":                                   size,
	"torch.device":                                 device,
	"torch.serialization._get_layout":              layout,
	"_codecs.encode":                               encode,
	"builtins.bytes":                               noBytes,
	"builtins.bytearray":                           byteArray,
	"builtins.set":                                 set,
	"builtins.complex":                             complexNumber,
	"torch.Tensor":                                 nil,
	"torch.nn.parameter.Parameter":                 newParameter,
	"torch._utils._rebuild_tensor":                 rebuildTensor,
	"torch._utils._rebuild_tensor_v2":              rebuildTensor,
	"torch._utils._rebuild_tensor_v3":              rebuildTensor3,
	"torch._utils._rebuild_parameter":              rebuildParameter,
	"torch._utils._rebuild_parameter_with_state":   rebuildParameter,
	"torch._utils._rebuild_sparse_tensor":          rebuildSparse,
	"torch._utils._rebuild_meta_tensor_no_storage": rebuildMeta,
	"torch._utils._rebuild_nested_tensor":          unsupported("a nested tensor"),
	"torch._utils._rebuild_qtensor": unsupported(
		"a quantized tensor; dequantize it in Python before saving it"),
	"torch._utils._rebuild_wrapper_subclass": unsupported("a tensor without data of a subclass"),
	"torch._utils._rebuild_device_tensor_from_numpy": unsupported(
		"a tensor of a device whose tensors Python saves through NumPy"),
	"torch._utils._rebuild_device_tensor_from_cpu_tensor": rebuildFromCPU,
	"torch._tensor._rebuild_from_type_v2":                 nil, // see reading.Call
	"numpy.ndarray":                                       nil, // only as an argument
	"numpy.dtype":                                         newArrayType,
	"numpy.core.multiarray.scalar":                        newNumber, // from NumPy 1
	"numpy._core.multiarray.scalar":                       newNumber, // from NumPy 2
	"numpy.core.multiarray._reconstruct":                  newArray,
	"numpy._core.multiarray._reconstruct":                 newArray,
	"numpy.core.numeric._frombuffer":                      arrayOfBuffer,
	"numpy._core.numeric._frombuffer":                     arrayOfBuffer,
}

// dtypesByName maps Python's names to the dtypes that a file may name.
var dtypesByName = func() map[string]torch.DType {
	m := map[string]torch.DType{}
	for d := torch.Uint8; d <= torch.Float4E2M1FNX2; d++ {
		if d.Size() > 0 {
			m[strings.TrimPrefix(d.String(), "torch.")] = d
		}
	}
	return m
}()

// storageTypes maps the names of storage classes to their dtypes.
var storageTypes = map[string]torch.DType{
	"DoubleStorage": torch.Float64, "FloatStorage": torch.Float32, "HalfStorage": torch.Float16,
	"LongStorage": torch.Int64, "IntStorage": torch.Int32, "ShortStorage": torch.Int16,
	"CharStorage": torch.Int8, "ByteStorage": torch.Uint8, "BoolStorage": torch.Bool,
	"BFloat16Storage": torch.BFloat16, "ComplexDoubleStorage": torch.Complex128,
	"ComplexFloatStorage": torch.Complex64, "QInt8Storage": torch.QInt8, "QInt32Storage": torch.QInt32,
	"QUInt8Storage": torch.QUint8, "QUInt4x2Storage": torch.QUint4x2, "QUInt2x4Storage": torch.QUint2x4,
	"UntypedStorage": 0,
}

// lookup returns the value that represents the name g in the pickle. It returns false if
// g is not allowed.
func lookup(g pickle.Global) (any, bool) {
	full := g.String()
	if _, ok := allowed[full]; ok {
		return function(full), true
	}
	switch g.Module {
	case "torch", "torch.cuda", "torch.storage":
		if d, ok := storageTypes[g.Name]; ok {
			return storageType{g.Name, d}, true
		}
	}
	if g.Module != "torch" {
		return nil, false
	}
	if d, ok := dtypesByName[g.Name]; ok {
		return d, true
	}
	switch g.Name {
	case "uint1", "uint2", "uint3", "uint4", "uint5", "uint6", "uint7", "int1", "int2", "int3", "int4", "int5", "int6",
		"int7",
		"float8_e8m0fnu", "float4_e2m1fn_x2",
		"per_tensor_affine", "per_tensor_symmetric", "per_channel_affine", "per_channel_symmetric",
		"per_channel_affine_float_qparams":
		return unsupportedDType(g.Name), true
	}
	if strings.HasSuffix(g.Name, "Tensor") {
		if _, ok := storageTypes[strings.TrimSuffix(g.Name, "Tensor")+"Storage"]; ok {
			// an old name of a class, which Python allows and the oldest files use
			return function("torch." + g.Name), true
		}
	}
	return nil, false
}

// Global implements pickle.Classes.
func (l *reading) Global(u *pickle.Reader, g pickle.Global) any {
	v, ok := lookup(g)
	if l.found != nil {
		l.found.name(g, ok)
	}
	if !ok {
		return &foreign{Global: g}
	}
	return v
}

// refuse stops reading at a name that is not allowed, unless Inspect or Opaque is in use.
// With the Key option, names outside of the requested entry are permitted, so refuse does
// nothing. building.object later checks the names in the entry.
func (l *reading) refuse(u *pickle.Reader, f *foreign) {
	if l.key == "" {
		l.refuseNow(u, f)
	}
}

func (l *reading) refuseNow(u *pickle.Reader, f *foreign) {
	if l.opaque || l.found != nil {
		return
	}
	e := &RefusedError{Global: f.String(), Offset: f.Offset}
	if f.called {
		e.Call = callText(f.String(), f.args)
	}
	u.FailWith(e, notAllowed)
}

// Call implements pickle.Classes.
func (l *reading) Call(u *pickle.Reader, f any, args []any) any {
	switch f := f.(type) {
	case *foreign:
		return l.callForeign(u, f, args, nil)
	case function:
		if l.found != nil {
			l.found.call(string(f), args)
		}
		if f == "torch._tensor._rebuild_from_type_v2" {
			return l.fromType(u, args)
		}
		if make := allowed[string(f)]; make != nil {
			return make(l, u, args)
		}
		l.unsupported(u, "%s, as written by PyTorch before version 0.1.12", f)
	case storageType:
		u.Fail("an unsupported call of %s", f.name)
	}
	u.Fail("the pickle calls %s, which is not a function", kindName(f))
	return nil
}

// New implements pickle.Classes.
func (l *reading) New(u *pickle.Reader, class any, args []any, kwargs *pickle.Map) any {
	if f, ok := class.(*foreign); ok {
		return l.callForeign(u, f, args, kwargs)
	}
	if kwargs != nil {
		u.Fail("the pickle gives keyword arguments to an object that takes none")
	}
	return l.Call(u, class, args)
}

// resultOf is appended to the name of a function whose result is called. It is appended
// only once, even if the result of the second call is called too. Otherwise a file of a
// hundred kilobytes could make names of gigabytes.
const resultOf = "(...)"

func (l *reading) callForeign(u *pickle.Reader, f *foreign, args []any, kwargs *pickle.Map) any {
	o := &foreign{Global: f.Global, called: true, args: args, kwargs: kwargs}
	if f.called && !strings.HasSuffix(o.Name, resultOf) { // f is itself the result of a call
		o.Name = l.resultName(o.Name)
	}
	if l.found != nil {
		l.found.call(o.String(), args)
	}
	l.refuse(u, o)
	return o
}

// resultName returns name with resultOf. The results for equal names share memory, because a file
// may call the result of a call in every few bytes.
func (l *reading) resultName(name string) string {
	result, ok := l.results[name]
	if !ok {
		result = name + resultOf
		if l.results == nil {
			l.results = map[string]string{}
		}
		l.results[name] = result
	}
	return result
}

// Build implements pickle.Classes.
func (l *reading) Build(u *pickle.Reader, object, state any) {
	switch o := object.(type) {
	case *pickle.Map:
		if o.Class == "" {
			break
		}
		m, ok := state.(*pickle.Map)
		if !ok {
			u.Fail("the attributes of a dict are not a dict")
		}
		o.State = m
		return
	case *foreign:
		if l.found != nil {
			l.found.call(o.String()+".__setstate__", []any{state})
		}
		l.refuse(u, o)
		o.state = state
		return
	case *array:
		o.build(u, state)
		return
	case *arrayType:
		o.build(u, state)
		return
	case *tensor:
		u.FailWith(&kindError{torch.ErrUnsupported},
			"the tensor is stored in the format of PyTorch before version 0.1.12, with a separate state")
	}
	u.Fail("the pickle sets a state of %s, which takes none", kindName(object))
}

// Append implements pickle.Classes.
func (l *reading) Append(u *pickle.Reader, object any, items []any) {
	o, ok := object.(*foreign)
	if !ok {
		u.Fail("the pickle appends to %s, which is not a list", kindName(object))
	}
	l.refuse(u, o)
	o.items = append(o.items, items...)
}

// SetItems implements pickle.Classes.
func (l *reading) SetItems(u *pickle.Reader, object any, items []any) {
	o, ok := object.(*foreign)
	if !ok {
		u.Fail("the pickle sets an item of %s, which is not a dict", kindName(object))
	}
	l.refuse(u, o)
	if o.dict == nil {
		o.dict = new(pickle.Map)
	}
	for i := 0; i < len(items); i += 2 {
		o.dict.Set(u, items[i], items[i+1])
	}
}

func (l *reading) unsupported(u *pickle.Reader, text string, args ...any) {
	u.FailWith(&kindError{torch.ErrUnsupported}, fmt.Sprintf(text, args...))
}

func unsupported(what string) func(*reading, *pickle.Reader, []any) any {
	return func(l *reading, u *pickle.Reader, _ []any) any {
		switch {
		case l.found != nil:
			return nil
		case l.key != "": // refused later, unless the tensor is outside of the requested entry
			return &foreign{Global: pickle.Global{Offset: u.At()}, called: true, lacks: what}
		}
		l.unsupported(u, "%s", what)
		return nil
	}
}

// kindName describes a value of a pickle in Python's terms, for errors.
func kindName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a str"
	case pickle.Bytes:
		return "bytes"
	case *pickle.List:
		return "a list"
	case *pickle.Tuple:
		return "a tuple"
	case *pickle.Map:
		return "a dict"
	case *pickle.Set:
		return "a set"
	case *tensor:
		return "a tensor"
	case *storage, *storageView:
		return "a storage"
	case function:
		return string(v)
	case storageType:
		return "torch." + v.name
	case unsupportedDType:
		return "torch." + string(v)
	case *foreign:
		return plain.Short(v.String())
	case *big.Int:
		return "an int"
	case *pickle.ByteArray:
		return "a bytearray"
	case *array:
		return "a NumPy array"
	case *arrayType:
		return "a NumPy dtype"
	}
	return fmt.Sprintf("%v", v)
}
