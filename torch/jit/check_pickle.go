package jit

import (
	"archive/zip"
	"bufio"
	"errors"
	"math"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// storages maps the names of the storage classes that libtorch knows to the number of bytes
// per element.
var storages = map[string]int64{
	"DoubleStorage": 8, "FloatStorage": 4, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4,
	"ShortStorage": 2, "CharStorage": 1, "ByteStorage": 1, "BoolStorage": 1, "ComplexDoubleStorage": 16,
	"ComplexFloatStorage": 8, "ComplexHalfStorage": 4, "QInt8Storage": 1, "QUInt8Storage": 1, "QInt32Storage": 4,
	"QUInt4x2Storage": 1, "QUInt2x4Storage": 1, "UInt16Storage": 2, "UInt32Storage": 4, "UInt64Storage": 8,
	"Bits1x8Storage": 1, "Bits2x4Storage": 1, "Bits4x2Storage": 1, "Bits8Storage": 1, "Bits16Storage": 2,
	"Float8_e5m2Storage": 1, "Float8_e4m3fnStorage": 1, "Float8_e5m2fnuzStorage": 1, "Float8_e4m3fnuzStorage": 1,
	"Float8_e8m0fnuStorage": 1, "Float4_e2m1fn_x2Storage": 1,
}

// pickle checks that libtorch can read a pickle safely. This is necessary because
// libtorch's unpickler does not check what it reads.
func (a *archive) pickle(name string) error {
	data, err := a.Read(a.Entries[name])
	if err != nil {
		return err
	}
	folder := strings.TrimSuffix(name, ".pkl") + "/"
	u := pickle.NewReader(bufio.NewReader(memoryReader(data)))
	u.Classes = &classes{a: a, folder: folder}
	u.Places = uint32(min(len(data), math.MaxUint32))
	// allows one value for every two bytes, because libtorch writes at least two bytes per
	// value
	u.Most = pickle.MostOfAny + a.size/2
	err = u.RunAny(func(top any) {
		d := depths{u: u, of: map[any]int{}}
		d.measure(top, 0)
	})
	var pe *pickle.Error
	if errors.As(err, &pe) {
		at := a.Where(a.Entries[name])
		if a.Entries[name].Method == zip.Store {
			at = min(at+max(pe.Offset, 0), a.size)
		}
		if kind := (*torch.FileError)(nil); errors.As(pe.Err, &kind) {
			return fileerr.At(kind, at)
		}
		return a.fail(torch.ErrFormat, at, "entry %.100q, byte %d: %s", a.prefix+name, pe.Offset, pe.Message)
	}
	return err
}

func memoryReader(data []byte) *strings.Reader { return strings.NewReader(string(data)) }

type (
	// global is a class or function that the pickle refers to by name.
	global string
	// stored is a storage. numbers is how many elements it has.
	stored struct{ numbers int64 }
	// object is an object, or the result of a call. parts are the arguments and the state.
	object struct{ parts []any }
)

// classes implements pickle.Classes. It checks the values in a pickle.
type classes struct {
	a      *archive
	folder string // the folder in the archive that contains the storages
}

// Global implements pickle.Classes.
func (c *classes) Global(u *pickle.Reader, g pickle.Global) any {
	typeText(u, g.String())
	return global(g.String())
}

// typeText checks a string that libtorch will parse as a type.
func typeText(u *pickle.Reader, text string) {
	if _, why := nesting(text, nil); why != "" {
		u.Fail("the type has %s", why)
	}
}

// Call implements pickle.Classes.
func (c *classes) Call(u *pickle.Reader, f any, args []any) any {
	name, ok := f.(global)
	if !ok {
		u.Fail("the pickle calls a value that is not a function")
	}
	switch name {
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_qtensor":
		tensor(u, string(name), args)
		return &object{}
	case "torch._utils._rebuild_sparse_tensor":
		u.FailWith(c.a.fail(torch.ErrUnsupported, -1, "a sparse tensor"), "")
	case "torch.jit._pickle.restore_type_tag":
		if len(args) != 2 {
			u.Fail("restore_type_tag has %d arguments, expected 2", len(args))
		}
		text, ok := args[1].(string)
		if !ok {
			u.Fail("the type is not a string")
		}
		typeText(u, text)
	case "torch.jit._pickle.build_intlist", "torch.jit._pickle.build_tensorlist", "torch.jit._pickle.build_doublelist",
		"torch.jit._pickle.build_boollist", "torch.jit._pickle.build_complexlist":
		if len(args) != 1 {
			u.Fail("%s of %d arguments", name, len(args))
		}
		if _, ok := args[0].(*pickle.List); !ok {
			u.Fail("the argument of %s is not a list", name)
		}
	}
	return &object{args}
}

// New implements pickle.Classes.
func (c *classes) New(u *pickle.Reader, class any, args []any, kwargs *pickle.Map) any {
	if _, ok := class.(global); !ok || len(args) != 0 || kwargs != nil {
		u.Fail("the pickle creates an object from a value that is not a class, or with arguments")
	}
	return &object{}
}

// Build implements pickle.Classes.
func (c *classes) Build(u *pickle.Reader, o, state any) {
	to, ok := o.(*object)
	if !ok {
		u.Fail("the pickle sets the state of a value that is not an object")
	}
	to.parts = append(to.parts, state)
}

// Persistent implements pickle.Classes. It returns a storage, whose bytes must be in the archive.
func (c *classes) Persistent(u *pickle.Reader, id any) any {
	t, ok := id.(*pickle.Tuple)
	if !ok || len(t.Items) < 5 {
		u.Fail("expected the identifier of a storage")
	}
	what, _ := t.Items[0].(string)
	class, _ := t.Items[1].(global)
	key, isText := t.Items[2].(string)
	_, placed := t.Items[3].(string)
	numbers, counted := t.Items[4].(int64)
	size, known := storages[strings.TrimPrefix(string(class), "torch.")]
	if what != "storage" || !isText || !placed || !counted || !known || numbers < 0 || numbers > math.MaxInt64/16 {
		u.Fail("expected the identifier of a storage")
	}
	f := c.a.Entries[folded(c.folder+key)]
	switch {
	case f == nil && numbers > 0:
		u.Fail("storage %.80q has no data in the archive", key)
	case numbers > 0 && uint64(numbers*size) > f.UncompressedSize64:
		u.Fail("storage %.80q has %d numbers of %d bytes, but the archive has %d bytes", key, numbers, size,
			f.UncompressedSize64)
	}
	return stored{numbers}
}

// Append implements pickle.Classes.
func (c *classes) Append(u *pickle.Reader, _ any, _ []any) {
	u.Fail("the pickle appends to a value that is not a list")
}

// SetItems implements pickle.Classes.
func (c *classes) SetItems(u *pickle.Reader, _ any, _ []any) {
	u.Fail("the pickle sets an item of a value that is not a dict")
}

// tensor checks that a tensor lies within its storage, because libtorch does not check this.
func tensor(u *pickle.Reader, what string, args []any) {
	if len(args) < 4 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	s, ok := args[0].(stored)
	offset, counted := args[1].(int64)
	sizes, strides := numbers(u, args[2]), numbers(u, args[3])
	if !ok || !counted || offset < 0 || offset > math.MaxInt64/16 || len(sizes) != len(strides) || len(sizes) > 64 {
		u.Fail("%s: found a tensor without a storage", what)
	}
	last, elements := offset, int64(1)
	for i, n := range sizes {
		if n < 0 || strides[i] < 0 {
			u.Fail("%s: invalid size %d, stride %d", what, n, strides[i])
		}
		if n == 0 {
			elements = 0
		}
		if n > 1 && strides[i] > 0 && (n-1) > (math.MaxInt64-last)/strides[i] {
			u.Fail("%s: the tensor is larger than any memory", what)
		}
		if n > 0 && elements > math.MaxInt64/16/n {
			u.Fail("%s: the tensor is larger than any memory", what)
		}
		elements *= n
		last += max(n-1, 0) * strides[i]
	}
	if elements > 0 && last >= s.numbers {
		u.Fail("%s: a tensor with size %v and strides %v from element %d on does not fit in a storage of %d numbers",
			what, sizes, strides, offset, s.numbers)
	}
}

func numbers(u *pickle.Reader, v any) []int64 {
	t, ok := v.(*pickle.Tuple)
	if !ok {
		u.Fail("the size of a tensor is not a tuple")
	}
	out := make([]int64, len(t.Items))
	for i, x := range t.Items {
		n, ok := x.(int64)
		if !ok {
			u.Fail("a tensor's size is not an integer")
		}
		out[i] = n
	}
	return out
}

// depths computes how deeply values are nested. libtorch frees nested values recursively,
// so deep nesting would overflow the stack.
type depths struct {
	u  *pickle.Reader
	of map[any]int // the depth of each value measured so far; -1 while it is being measured
}

func (d *depths) measure(v any, above int) int {
	var parts []any
	switch v := v.(type) {
	case *pickle.List:
		parts = v.Items
	case *pickle.Tuple:
		parts = v.Items
	case *pickle.Map:
		for i := range v.Keys {
			parts = append(parts, v.Keys[i], v.Values[i])
		}
	case *object:
		parts = v.parts
	default:
		return 0
	}
	if n, ok := d.of[v]; ok {
		if n < 0 {
			d.u.Fail("a value contains itself")
		}
		if above+n > deepest {
			d.u.Fail("values are nested more than %d levels deep", deepest)
		}
		return n
	}
	if above > deepest {
		d.u.Fail("values are nested more than %d levels deep", deepest)
	}
	d.of[v] = -1
	most := 0
	for _, p := range parts {
		most = max(most, 1+d.measure(p, above+1))
	}
	d.of[v] = most
	return most
}
