package torch

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/count"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/use"
)

// Tensor is an n-dimensional array in native memory with its place in the
// autograd graph. Follows torch.Tensor.
//
// Its native memory is freed by whichever comes first: Close, the end of the
// [Scope] that owns it, or the garbage collector. Using it after that panics
// with an *Error of kind ErrClosed.
//
// Several goroutines may use a tensor at once as long as none modifies it in
// place. Any goroutine may close it: operators that are using it finish, and
// later ones panic with ErrClosed.
type Tensor struct {
	h       abi.Tensor // never changes; valid while the tensor is open or in use
	shutAt  place      // the line that closed the tensor; only in debug builds
	uses    use.Word   // whether the tensor is open, and how many operators use it
	index   int32      // the tensor's index in scope.items
	scope   *scope     // the scope that owns the tensor, or nil if the garbage collector does
	cleanup runtime.Cleanup
	entry   *live.Entry // the tensor's entry in the list of live tensors, if there is such a list
}

// freedBy tells why a tensor is not open. Values from freedByScope on add the
// own.Kind of the scope that freed it.
type freedBy uint8

const (
	freedNever freedBy = iota
	freedByClose
	freedByContainer
	freedByScope
)

// tooLate holds the error text for each way a tensor was freed, and the remedy.
var tooLate = [...]string{
	freedNever:   "the Tensor is a zero value; create tensors with the functions of this package",
	freedByClose: "tensor used after Close",
	freedByContainer: "tensor used after its container of layers freed it: torch.Disown it in a forward " +
		"hook of the layer that made it",

	freedByScope + freedBy(own.Scope): "tensor used after the end of its torch.Scope: torch.Keep moves it to the " +
		"enclosing scope, torch.Disown out of all scopes",
	freedByScope + freedBy(own.Tidy): "tensor used after the end of its torch.Tidy, which frees all but the result: " +
		"return it, or torch.Disown it",
	freedByScope + freedBy(own.Step): "tensor used after its step of the loader's loop: torch.Disown it to keep it, " +
		"or copy its value with Item or Float32s",
	freedByScope + freedBy(own.Load): "tensor used after the loader's step that made the batch: call torch.Disown " +
		"on tensors that a Dataset, a transform or a collate function keeps beyond its own call",
	freedByScope + freedBy(own.Call): "tensor used after the call of the module that made it, which frees all but " +
		"the result: return it from Forward, or torch.Disown it (its Detach, if no gradient has to flow through it)",
}

const _ = uint8(use.MostReasons + 1 - len(tooLate)) // does not compile unless the reasons fit into a use.Word

// open counts open Tensors.
var open count.Counter

// NumLiveTensors returns the number of open Tensors: those neither closed, nor
// freed by a scope, nor collected. A Tensor that was closed during an operator
// counts until the operator ends. Tensors that only libtorch refers to, such as
// gradients and saved activations, do not count.
func NumLiveTensors() int64 { return open.Load() }

func newTensor(h abi.Tensor) *Tensor {
	t := new(Tensor)
	t.take(h)
	return t
}

// take stores a handle in a new Tensor.
func (t *Tensor) take(h abi.Tensor) {
	t.h = h
	if open.Add(uintptr(unsafe.Pointer(t)), 1) {
		pacer.Recount() // open Tensors count for the threshold of the pacer
	}
}

func (t *Tensor) ownByCollector() {
	t.scope = nil
	if t.entry != nil {
		t.entry.SetScoped(false)
		t.cleanup = runtime.AddCleanup(t, collectListed, t.entry)
		return
	}
	t.cleanup = runtime.AddCleanup(t, collect, t.h)
}

// collect frees an unreachable Tensor's handle. It runs on a goroutine of the
// Go runtime.
func collect(h abi.Tensor) {
	if live.Watched() {
		live.Collected(nil)
	}
	pacer.Freeing(free, h)
}

func free(h abi.Tensor) {
	cgotorch.Free(h)
	callback.AfterFree()
	open.Add(uintptr(h), -1)
}

// Close frees the tensor's handle now. Any goroutine may call it at any time.
// Operators that are using the tensor finish, and the last of them frees the
// handle; later ones panic with ErrClosed. The memory is freed once no view and
// no autograd graph refers to it. Closing a closed or nil Tensor does nothing.
// Close always returns nil; the error makes a Tensor an io.Closer.
func (t *Tensor) Close() error {
	t.close(freedByClose)
	return nil
}

// IsClosed reports whether the tensor is nil, closed or freed.
func (t *Tensor) IsClosed() bool { return t == nil || !t.isOpen() }

// handle returns the native handle. If the tensor is nil or closed, it panics with an
// error about argument number arg of op. Another goroutine may close the tensor right
// afterwards, so BeginRaw and hold check again.
func (t *Tensor) handle(op string, arg int) abi.Tensor {
	if t != nil && t.isOpen() {
		return t.h
	}
	panic(t.unusable(op, arg))
}

//go:noinline
func (t *Tensor) unusable(op string, arg int) *Error {
	name, args := splitOp(op)
	label := fmt.Sprintf("argument %d", arg)
	if arg >= 0 && arg < len(args) {
		label = "argument " + args[arg]
	}
	if t == nil {
		return &Error{Op: name, Kind: ErrNil, Message: label + " is a nil *Tensor"}
	}
	return &Error{Op: name, Kind: ErrClosed, Message: label + ": " + t.shutAt.in(tooLate[t.uses.Why()])}
}

// describe returns the text that stands for the tensor in an error message.
func (t *Tensor) describe() string {
	if t.IsClosed() {
		if t == nil {
			return "nil"
		}
		return "closed"
	}
	defer t.release()
	if !t.acquire() {
		return "closed"
	}
	i := cgotorch.TensorInfo(t.h)
	return fmt.Sprintf("%v %v %v", DTypeOf(i.DType), Shape(cgotorch.Sizes(t.h)), DeviceOf(i.Device))
}

func (t *Tensor) info(op string) cgotorch.Info {
	i := cgotorch.TensorInfo(t.hold(op, 0))
	t.release()
	return i
}

// Shape returns the size of each dimension. Follows Tensor.shape.
func (t *Tensor) Shape() Shape {
	s := cgotorch.Sizes(t.hold("Shape(self)", 0))
	t.release()
	return s
}

// Size returns the size of one dimension. It panics with ErrIndex for a
// dimension out of range.
func (t *Tensor) Size(dim int64) int64 {
	const op = "Size(self)"
	s := cgotorch.Sizes(t.hold(op, 0))
	t.release()
	return s[wrapDim(op, dim, len(s))]
}

func wrapDim(op string, dim int64, n int) int64 {
	d := dim
	if d < 0 {
		d += int64(n)
	}
	if d < 0 || d >= int64(n) {
		panic(argError(op, ErrIndex, "dim",
			fmt.Sprintf("dimension out of range (expected to be in range of [%d, %d], but got %d)", -n, n-1, dim)))
	}
	return d
}

// Stride returns, for each dimension, the step in elements from one index to
// the next.
func (t *Tensor) Stride() []int64 {
	s, st := cgotorch.Strides(t.hold("Stride(self)", 0))
	t.release()
	if st != 0 {
		panic(statusError("Stride(self)", st, []*Tensor{t}))
	}
	return s
}

// Dim returns the number of dimensions.
func (t *Tensor) Dim() int64 {
	n := cgotorch.Dim(t.hold("Dim(self)", 0))
	t.release()
	return n
}

// Numel returns the number of elements.
func (t *Tensor) Numel() int64 {
	n := cgotorch.Numel(t.hold("Numel(self)", 0))
	t.release()
	return n
}

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype("DType(self)") }

func (t *Tensor) dtype(op string) DType {
	d := cgotorch.DType(t.hold(op, 0))
	t.release()
	return DTypeOf(d)
}

// Device returns the device that holds the data.
func (t *Tensor) Device() Device { return DeviceOf(t.info("Device(self)").Device) }

// Layout returns how the elements are stored.
func (t *Tensor) Layout() Layout { return Layout(t.info("Layout(self)").Layout + 1) }

// IsContiguous reports whether the elements lie in memory without gaps in
// logical order, or in the order of a memory format if one is given.
// ChannelsLast applies to four dimensions and ChannelsLast3d to five; for other
// numbers of dimensions the result is false. Follows Tensor.is_contiguous.
func (t *Tensor) IsContiguous(opts ...FormatOption) bool {
	const op = "IsContiguous(self)"
	info, c := t.info(op), readCreation(op, opts)
	var order []int
	switch c.format {
	case ChannelsLast.Code():
		order = []int{1, 3, 2, 0}
	case ChannelsLast3d.Code():
		order = []int{1, 4, 3, 2, 0}
	default:
		return info.IsContiguous
	}
	shape, stride := t.Shape(), t.Stride()
	if len(shape) != len(order) || len(stride) != len(order) {
		return false
	}
	want := int64(1)
	for _, d := range order {
		if shape[d] == 1 {
			continue
		}
		if stride[d] != want {
			return false
		}
		want *= shape[d]
	}
	return true
}

// StorageOffset returns the position of the first element in the storage, in
// elements.
func (t *Tensor) StorageOffset() int64 { return t.info("StorageOffset(self)").StorageOffset }

// ElementSize returns the size of one element in bytes.
func (t *Tensor) ElementSize() int64 { return t.dtype("ElementSize(self)").Size() }

// NBytes returns Numel times ElementSize. Views share storage, so a sum over
// views counts bytes twice.
func (t *Tensor) NBytes() int64 {
	i := t.info("NBytes(self)")
	return i.Numel * DTypeOf(i.DType).Size()
}

// IsCUDA reports whether the data is on a CUDA device.
func (t *Tensor) IsCUDA() bool { return DeviceOf(t.info("IsCUDA(self)").Device).IsCUDA() }

// IsFloatingPoint reports whether the elements are real floating-point numbers.
func (t *Tensor) IsFloatingPoint() bool { return t.dtype("IsFloatingPoint(self)").IsFloatingPoint() }

// IsComplex reports whether the elements are complex numbers.
func (t *Tensor) IsComplex() bool { return t.dtype("IsComplex(self)").IsComplex() }

func (t *Tensor) storage(op string) cgotorch.StorageInfo {
	i, st := cgotorch.Storage(t.hold(op, 0))
	t.release()
	if st != 0 {
		panic(statusError(op, st, []*Tensor{t}))
	}
	return i
}

// DataPtr returns the address of the first element, or 0 if there is none. It
// stays valid as long as a tensor over the same storage is open. It panics with
// ErrRuntime during [Capture]. Follows Tensor.data_ptr.
func (t *Tensor) DataPtr() uintptr {
	const op = "DataPtr(self)"
	notCaptured(op)
	return t.storage(op).Data
}

// StorageBytes returns the size of the tensor's storage in bytes. Views share
// one storage.
func (t *Tensor) StorageBytes() int64 { return t.storage("StorageBytes(self)").Bytes }

// SharesStorage reports whether both tensors use the same storage, as a view
// and its base do.
func (t *Tensor) SharesStorage(other *Tensor) bool {
	const op = "SharesStorage(self, other)"
	a, b := t.storage(op), other.storage(op)
	return a.Storage != 0 && a.Storage == b.Storage
}
