package serialization

import (
	"cmp"
	"math"
	"strconv"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// storage is memory that tensors of a file may share.
type storage struct {
	key      string
	dtype    torch.DType // the dtype of the storage class; 0 for UntypedStorage
	location string      // the device that the storage was saved from
	bytes    int64

	swap   int64         // size in bytes of the numbers whose byte order must be swapped; 0 if not yet known
	memory *torch.Tensor // the bytes of the storage, once they have been read
}

// storageView is a reference to a storage in the pickle. In the oldest files it may
// refer to a part of the storage.
type storageView struct {
	*storage
	dtype         torch.DType
	offset, bytes int64 // in bytes
}

// tensor describes a tensor, which is made after the whole pickle has been read.
type tensor struct {
	at int64 // the position of the tensor's description in the file

	storage      *storageView // the storage with the elements; nil for a tensor without one
	dtype        torch.DType
	offset       int64 // in elements
	size, stride []int64
	requiresGrad bool
	conj, neg    bool

	layout    torch.Layout // of a sparse tensor
	parts     []*tensor    // for a sparse tensor, its indices and values
	coalesced bool

	device torch.Device // the device to which the tensor is moved, if the file names one

	parameter bool
	data      *tensor // the tensor inside a parameter, or inside a tensor with a state
	array     *array  // the NumPy array to make the tensor from
	state     any
}

// plain returns the description of the tensor inside a parameter, or inside a tensor with a
// state.
func (t *tensor) plain() *tensor {
	if t.data == nil || !t.parameter {
		return cmp.Or(t.data, t)
	}
	// Copy the description, because the file may also refer to the tensor inside, which has
	// its own value of requires_grad.
	data := *t.data
	data.requiresGrad = t.requiresGrad
	return &data
}

// costOfTensor is the smallest number of bytes that a tensor takes in a file. It limits the
// number of tensors in a file.
const costOfTensor = 24

func (l *reading) newTensor(u *pickle.Reader) *tensor {
	u.Spend("a tensor", costOfTensor)
	return &tensor{at: u.At()}
}

// argument returns args[i] if it has type T. Otherwise it reports an error that contains
// what, the name of the called function.
func argument[T any](u *pickle.Reader, what string, args []any, i int) T {
	var zero T
	if i >= len(args) {
		u.Fail("%s of %d arguments", what, len(args))
	}
	v, ok := args[i].(T)
	if !ok {
		if d, unknown := args[i].(unsupportedDType); unknown {
			u.FailWith(&kindError{torch.ErrUnsupported}, "tensors of torch."+string(d)+" are not supported")
		}
		u.Fail("%s: argument %d is %s", what, i, kindName(args[i]))
	}
	_ = zero
	return v
}

// rebuildTensor implements _rebuild_tensor and _rebuild_tensor_v2. They are called with
// storage, offset, size and stride, and then with requires_grad, hooks and metadata.
func rebuildTensor(l *reading, u *pickle.Reader, args []any) any {
	const what = "_rebuild_tensor_v2"
	t := l.strided(u, what, args, 4, 7)
	t.dtype = t.storage.dtype
	if t.dtype == 0 {
		t.dtype = torch.Uint8
	}
	l.metadata(u, t, args, 6)
	return l.checked(u, t)
}

// rebuildTensor3 implements _rebuild_tensor_v3, which has an additional dtype before the metadata.
func rebuildTensor3(l *reading, u *pickle.Reader, args []any) any {
	const what = "_rebuild_tensor_v3"
	t := l.strided(u, what, args, 7, 8)
	t.dtype = argument[torch.DType](u, what, args, 6)
	l.metadata(u, t, args, 7)
	return l.checked(u, t)
}

func (l *reading) strided(u *pickle.Reader, what string, args []any, least, most int) *tensor {
	if len(args) < least || len(args) > most {
		u.Fail("%s of %d arguments", what, len(args))
	}
	t := l.newTensor(u)
	t.storage = argument[*storageView](u, what, args, 0)
	t.offset = u.Int(what, args[1])
	t.size, t.stride = ints(u, what, args[2]), ints(u, what, args[3])
	if len(args) > 4 {
		t.requiresGrad = argument[bool](u, what, args, 4)
	}
	if len(args) > 5 {
		if m, ok := args[5].(*pickle.Map); args[5] != nil && (!ok || len(m.Keys) > 0) {
			u.FailWith(&kindError{torch.ErrUnsupported}, "the tensor has backward hooks")
		}
	}
	return t
}

// metadata reads from args[i] whether a tensor is a conjugate view or a negative view.
func (l *reading) metadata(u *pickle.Reader, t *tensor, args []any, i int) {
	if i >= len(args) || args[i] == nil {
		return
	}
	m := argument[*pickle.Map](u, "metadata", args, i)
	for i, k := range m.Keys {
		on, ok := m.Values[i].(bool)
		switch {
		case ok && k == "conj":
			t.conj = on
		case ok && k == "neg":
			t.neg = on
		default:
			u.FailWith(&kindError{torch.ErrUnsupported}, "the tensor has unsupported metadata "+kindName(k))
		}
	}
}

// checked returns t. If elements of t lie outside of its storage, checked reports an error.
func (l *reading) checked(u *pickle.Reader, t *tensor) *tensor {
	if l.found != nil {
		return t
	}
	element := t.dtype.Size()
	switch {
	case t.dtype.IsQuantized():
		u.FailWith(&kindError{torch.ErrUnsupported}, "a quantized tensor; dequantize it in Python before saving it")
	case len(t.size) != len(t.stride):
		u.Fail("the tensor has %d sizes and %d strides, expected equal numbers", len(t.size), len(t.stride))
	case len(t.size) > 64:
		u.Fail("the tensor has %d dimensions, expected at most 64", len(t.size))
	case t.offset < 0:
		u.Fail("the tensor has a negative offset, %d", t.offset)
	}
	if t.conj && !t.dtype.IsComplex() {
		u.Fail("a conjugate view of %v", t.dtype)
	}
	last, empty, ok := t.offset, false, true
	numel := int64(1)
	for i, n := range t.size {
		s := t.stride[i]
		if n < 0 || s < 0 {
			u.Fail("the tensor has a negative number in size %v or stride %v", t.size, t.stride)
		}
		if n == 0 {
			empty = true
			continue
		}
		if n > math.MaxInt64/numel || s != 0 && (n-1) > (math.MaxInt64-last)/s {
			ok = false
			break
		}
		numel *= n
		last += (n - 1) * s
	}
	have := t.storage.bytes / element
	if !ok || numel > math.MaxInt64/element {
		u.Fail("a tensor with size %v and stride %v has more elements than 64 bits can count", t.size, t.stride)
	}
	// a view without elements may begin beyond the end of its storage
	if !empty && last >= have || t.offset > math.MaxInt64/element {
		u.Fail("a tensor with size %v and strides %v from element %d on does not fit in a storage of %d elements",
			t.size, t.stride, t.offset, have)
	}
	number := element
	if t.dtype.IsComplex() {
		number /= 2
	}
	if t.storage.swap == 0 {
		t.storage.swap = number
	} else if l.swapped && t.storage.swap != number {
		u.Fail("a storage in the other byte order is used with tensors of several dtypes")
	}
	return t
}

// rebuildParameter implements _rebuild_parameter and _rebuild_parameter_with_state,
// which are called with data, requires_grad, hooks and state.
func rebuildParameter(l *reading, u *pickle.Reader, args []any) any {
	if len(args) != 3 && len(args) != 4 {
		u.Fail("_rebuild_parameter has %d arguments, expected 3 or 4", len(args))
	}
	p := l.parameterOf(u, args[:2])
	if len(args) == 4 {
		p.state = args[3]
	}
	return p
}

func newParameter(l *reading, u *pickle.Reader, args []any) any {
	if len(args) == 0 || len(args) > 2 {
		u.Fail("Parameter has %d arguments, expected 1 or 2", len(args))
	}
	if len(args) == 1 {
		args = []any{args[0], true}
	}
	return l.parameterOf(u, args)
}

func (l *reading) parameterOf(u *pickle.Reader, args []any) *tensor {
	p := l.newTensor(u)
	p.parameter = true
	p.data = argument[*tensor](u, "Parameter", args, 0)
	p.requiresGrad = argument[bool](u, "Parameter", args, 1)
	if p.data.data != nil {
		u.Fail("the data of a parameter is a parameter")
	}
	return p
}

// fromType implements _rebuild_from_type_v2, which is called with a function, a tensor
// type, the function's arguments, and a state.
func (l *reading) fromType(u *pickle.Reader, args []any) any {
	const what = "_rebuild_from_type_v2"
	if len(args) != 4 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	inner, ok := args[2].(*pickle.Tuple)
	if !ok {
		u.Fail("%s: the arguments are %s, expected a tuple", what, kindName(args[2]))
	}
	if f, ok := args[1].(*foreign); ok {
		if l.refuse(u, f); l.key != "" && !l.opaque {
			// this is an error if the requested entry contains it
			return &foreign{Global: f.Global, called: true, args: args}
		}
	}
	if args[0] == function("torch._tensor._rebuild_from_type_v2") {
		u.Fail("%s of itself", what)
	}
	v := l.Call(u, args[0], inner.Items)
	t, ok := v.(*tensor)
	if !ok {
		if l.found != nil {
			return v
		}
		u.Fail("%s: the result is not a tensor", what)
	}
	if args[1] == function("torch.nn.parameter.Parameter") && !t.parameter {
		p := l.newTensor(u)
		p.parameter, p.data, p.requiresGrad = true, t, t.requiresGrad
		t = p
	}
	if t.data != nil {
		t.state = args[3]
		return t
	}
	with := l.newTensor(u)
	with.data, with.state = t, args[3]
	return with
}

// rebuildSparse implements _rebuild_sparse_tensor, which is called with a layout and the
// parts of the tensor.
func rebuildSparse(l *reading, u *pickle.Reader, args []any) any {
	const what = "_rebuild_sparse_tensor"
	t := l.newTensor(u)
	t.layout = argument[torch.Layout](u, what, args, 0)
	if len(args) != 2 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	data := argument[*pickle.Tuple](u, what, args, 1).Items
	parts := 3 // compressed indices, plain indices and values
	switch t.layout {
	case torch.SparseCOO:
		parts = 2
		if len(data) == 4 {
			if data[3] != nil {
				t.coalesced = argument[bool](u, what, data, 3)
			}
			data = data[:3]
		}
	case torch.SparseCSR, torch.SparseCSC, torch.SparseBSR, torch.SparseBSC:
	default:
		u.Fail("%s of layout %v", what, t.layout)
	}
	if len(data) != parts+1 {
		u.Fail("%s of %d parts", what, len(data))
	}
	for i := range parts {
		p := argument[*tensor](u, what, data, i)
		if p.data != nil || p.layout != 0 {
			u.Fail("%s: part %d is not a dense tensor of numbers", what, i)
		}
		l.countPart(u, what, p)
		t.parts = append(t.parts, p)
	}
	t.size = ints(u, what, data[parts])
	return t
}

// countPart counts the bytes of a part of a sparse tensor. libtorch goes through all elements of the
// parts, and a part whose strides are 0 may have any number of elements in a few bytes of a file. So
// the parts in a file may together have as many bytes as compressed entries.
func (l *reading) countPart(u *pickle.Reader, what string, p *tensor) {
	if l.found != nil {
		return
	}
	most := l.size*ziparchive.Inflation + 1<<20
	n, ok := mapped.Bytes(p.size, p.dtype.Size())
	if !ok || n > most-l.partBytes {
		u.Fail("%s: a part of size %v is larger than the file explains", what, p.size)
	}
	l.partBytes += n
}

// rebuildMeta implements _rebuild_meta_tensor_no_storage, which is called with dtype,
// size, stride and requires_grad.
func rebuildMeta(l *reading, u *pickle.Reader, args []any) any {
	const what = "_rebuild_meta_tensor_no_storage"
	if len(args) != 4 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	t := l.newTensor(u)
	t.dtype = argument[torch.DType](u, what, args, 0)
	t.size, t.stride = ints(u, what, args[1]), ints(u, what, args[2])
	t.requiresGrad = argument[bool](u, what, args, 3)
	t.device = torch.Meta
	return t
}

// rebuildFromCPU implements _rebuild_device_tensor_from_cpu_tensor, which is called with
// data, dtype, device and requires_grad.
func rebuildFromCPU(l *reading, u *pickle.Reader, args []any) any {
	const what = "_rebuild_device_tensor_from_cpu_tensor"
	if len(args) != 4 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	from := argument[*tensor](u, what, args, 0)
	if from.storage == nil || argument[torch.DType](u, what, args, 1) != from.dtype {
		u.Fail("%s does not support this kind of tensor", what)
	}
	d, err := torch.ParseDevice(argument[string](u, what, args, 2))
	if err != nil {
		u.Fail("%s: %v", what, err)
	}
	t := l.newTensor(u)
	made := *from
	made.at, made.device, made.requiresGrad = t.at, d, argument[bool](u, what, args, 3)
	return &made
}
