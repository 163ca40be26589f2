package cuda

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Stream is a queue of work on a device. Work in the same stream runs in order. Work in
// different streams runs in any order, unless an Event or WaitStream orders it. Streams
// come from a pool and live until the program ends; there is nothing to close. Follows
// torch.cuda.Stream.
type Stream struct{ s native.Stream }

// NewStream returns a stream of the current device, or of the device in the [Device]
// option. Streams come from a pool, as in PyTorch: after 32 streams with the same
// [Priority], the first one is returned again. It panics with ErrDevice for an
// unavailable device, with ErrValue for a priority above 0, and with ErrNil for a nil
// option. Follows torch.cuda.Stream.
func NewStream(opts ...StreamOption) *Stream {
	const op = "NewStream"
	dev, priority := opt.Read2("cuda."+op, opts, Device(torch.CUDA), Priority(0))
	if priority > 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "Priority",
			fmt.Sprintf("expected 0 or less, got %d", priority)))
	}
	s, err := native.NewStream(require(op, torch.Device(dev)), int(priority))
	must(op, err)
	return &Stream{s}
}

// NewExternalStream returns a stream for a cudaStream_t that other code created, on the
// current device or the device in the [Device] option. The other code owns the handle,
// which must be valid as long as the stream is used. It panics with ErrDevice for an
// unavailable device, and with ErrValue for an invalid handle. Follows
// torch.cuda.ExternalStream.
func NewExternalStream(handle uintptr, opts ...DeviceOption) *Stream {
	const op = "NewExternalStream"
	index := require(op, readDevice(op, opts))
	// libtorch identifies external streams by their address, which is even, and its own
	// streams by odd numbers.
	if handle == 0 || handle%2 != 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "handle",
			fmt.Sprintf("expected a cudaStream_t, got %#x", handle)))
	}
	return &Stream{native.Stream{ID: int64(handle), Device: index}}
}

// PriorityRange returns the lowest and the highest priority that [NewStream] accepts,
// such as 0 and -3: a lower number is a higher priority. It panics with ErrDevice
// without CUDA. Follows torch.cuda.Stream.priority_range.
func PriorityRange() (least, greatest int) {
	least, greatest, err := native.Priorities(require("PriorityRange", torch.CUDA))
	must("PriorityRange", err)
	return least, greatest
}

// CurrentStream returns the goroutine's current stream: the stream of the enclosing
// Stream.Do, otherwise the default stream. The option [Device] selects a device other
// than the current one. It panics with ErrDevice for an unavailable device. Follows
// torch.cuda.current_stream.
func CurrentStream(opts ...DeviceOption) *Stream {
	index := require("CurrentStream", readDevice("CurrentStream", opts))
	return &Stream{native.Stream{ID: modes.CurrentStream(index), Device: index}}
}

// DefaultStream returns the default stream of the current device, or of the device in the
// [Device] option. It panics with ErrDevice for an unavailable device. Follows
// torch.cuda.default_stream.
func DefaultStream(opts ...DeviceOption) *Stream {
	return &Stream{native.Stream{Device: require("DefaultStream", readDevice("DefaultStream", opts))}}
}

// Do runs fn with s as the current stream and its device as the current device of this
// goroutine. Goroutines that fn starts do not inherit them. Do does not wait for any
// work. If work on another stream uses results of fn, order it with WaitStream. If
// another stream still uses a tensor when you close it, call RecordStream first. Calls
// may nest. It panics with ErrNil for a nil fn. Follows the context manager
// torch.cuda.stream.
func (s *Stream) Do(fn func()) {
	s.check("Stream.Do")
	modes.Stream("cuda.Stream.Do", s.s.Device, s.s.ID, fn)
}

// Device returns the stream's device.
func (s *Stream) Device() torch.Device {
	s.check("Stream.Device")
	return torch.CUDA.At(s.s.Device)
}

// Priority returns the stream's priority; lower numbers have a higher priority. Follows
// torch.cuda.Stream.priority.
func (s *Stream) Priority() int {
	s.check("Stream.Priority")
	p, err := s.s.Priority()
	must("Stream.Priority", err)
	return p
}

// Handle returns the driver's handle, a cudaStream_t, for custom CUDA code. For a
// device's default stream it is 0. Follows torch.cuda.Stream.cuda_stream.
func (s *Stream) Handle() uintptr {
	s.check("Stream.Handle")
	h, err := s.s.Handle()
	must("Stream.Handle", err)
	return h
}

// Equal reports whether s and other are the same stream.
func (s *Stream) Equal(other *Stream) bool { return s != nil && other != nil && s.s == other.s }

// Query reports whether all work submitted to the stream is finished. Follows
// torch.cuda.Stream.query.
func (s *Stream) Query() bool {
	s.check("Stream.Query")
	done, err := s.s.Query()
	must("Stream.Query", err)
	return done
}

// Synchronize waits until all work submitted to the stream is finished. Follows
// torch.cuda.Stream.synchronize.
func (s *Stream) Synchronize() {
	s.check("Stream.Synchronize")
	must("Stream.Synchronize", s.s.Synchronize())
}

// WaitStream makes later work of s wait for the work submitted to other so far. The call
// itself does not wait. Follows torch.cuda.Stream.wait_stream.
func (s *Stream) WaitStream(other *Stream) {
	s.check("Stream.WaitStream")
	other.check("Stream.WaitStream")
	s.WaitEvent(other.RecordEvent())
}

// WaitEvent makes later work of s wait for the event. If the event was never recorded,
// it does nothing. Follows torch.cuda.Stream.wait_event.
func (s *Stream) WaitEvent(e *Event) {
	s.check("Stream.WaitEvent")
	e.Wait(s)
}

// RecordEvent returns a new event, recorded at the current end of the stream. Follows
// torch.cuda.Stream.record_event.
func (s *Stream) RecordEvent() *Event {
	s.check("Stream.RecordEvent")
	e := NewEvent()
	e.Record(s)
	return e
}

// RecordStream records that s uses a tensor that was made on another stream. When the
// tensor is freed, its memory is not reused until the work submitted to s up to that time
// is finished. t may also be in page-locked memory, which Python does not support. That
// memory waits for the work submitted to s before this call. Copies do this
// automatically, so for page-locked memory you need this call only with custom CUDA code.
// It panics with ErrDevice for any other tensor. Follows Tensor.record_stream.
func (s *Stream) RecordStream(t *torch.Tensor) {
	const op = "Stream.RecordStream"
	s.check(op)
	if d := t.Device(); !d.IsCUDA() && (d != torch.CPU || !t.IsPinned()) {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrDevice,
			Message: fmt.Sprintf("the tensor is on %s and not in page-locked memory", d),
		})
	}
	h := t.Handle()
	r := torch.BeginRaw(op+"(t)", t)
	err := native.RecordStream(h, s.s)
	r.End()
	must(op, err)
}

// String returns a description such as "cuda:0 stream 3".
func (s *Stream) String() string {
	if s == nil {
		return "no stream"
	}
	return fmt.Sprintf("%s stream %d", torch.CUDA.At(s.s.Device), s.s.ID)
}

func (s *Stream) check(op string) {
	if s == nil {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrNil, Message: "the stream is nil"})
	}
}
