package cuda

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// Stream is a queue of work on a device. The work of one stream is done in
// order. The work of different streams is done in any order, unless an Event or
// WaitStream orders it. Streams come from a pool and live until the program
// ends; there is nothing to close. Follows torch.cuda.Stream.
type Stream struct{ s native.Stream }

// NewStream returns a stream of the current device, or of the device that the
// option [Device] names. Streams come from a pool, as in PyTorch: after 32
// streams of one [Priority], the first is returned again. It panics with
// ErrDevice if the device is not there, with ErrValue for a priority above 0,
// and with ErrNil for a nil option. Follows torch.cuda.Stream.
func NewStream(opts ...StreamOption) *Stream {
	const op = "NewStream"
	dev, priority := torch.CUDA, 0
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			dev = torch.Device(o)
		case Priority:
			priority = int(o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	if priority > 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "Priority", fmt.Sprintf("expected 0 or less, got %d", priority)))
	}
	s, err := native.NewStream(require(op, dev), priority)
	must(op, err)
	return &Stream{s}
}

// NewExternalStream returns a stream that other code made, by its driver's handle, a
// cudaStream_t, of the current device or the one that the option [Device] names. The
// handle stays that code's: it has to be valid for as long as the stream is used. It
// panics with ErrDevice if the device is not there, and with ErrValue for a handle that
// is none. Follows torch.cuda.ExternalStream.
func NewExternalStream(handle uintptr, opts ...DeviceOption) *Stream {
	const op = "NewExternalStream"
	index := require(op, readDevice(op, opts))
	// libtorch numbers such streams by their address, and its own by odd numbers.
	if handle == 0 || handle%2 != 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "handle", fmt.Sprintf("expected a cudaStream_t, got %#x", handle)))
	}
	return &Stream{native.Stream{ID: int64(handle), Device: index}}
}

// PriorityRange returns the least and the greatest priority that [NewStream] knows, such
// as 0 and -3: lower numbers go first. It panics with ErrDevice without CUDA.
// Follows torch.cuda.Stream.priority_range.
func PriorityRange() (least, greatest int) {
	least, greatest, err := native.Priorities(require("PriorityRange", torch.CUDA))
	must("PriorityRange", err)
	return least, greatest
}

// CurrentStream returns the stream that operators use here: the one of the
// enclosing Stream.Do, otherwise the default stream. The option [Device] names
// a device other than the current one. It panics with ErrDevice if the device
// is not there. Follows torch.cuda.current_stream.
func CurrentStream(opts ...DeviceOption) *Stream {
	index := require("CurrentStream", readDevice("CurrentStream", opts))
	return &Stream{native.Stream{ID: modes.CurrentStream(index), Device: index}}
}

// DefaultStream returns the stream that operators use if no other was chosen.
// The option [Device] names a device other than the current one. It panics with
// ErrDevice if the device is not there. Follows torch.cuda.default_stream.
func DefaultStream(opts ...DeviceOption) *Stream {
	return &Stream{native.Stream{Device: require("DefaultStream", readDevice("DefaultStream", opts))}}
}

// Do runs fn with s as the current stream of this goroutine and its device as the current
// device. Goroutines that fn starts do not inherit them. It does not wait for any work.
// Use WaitStream to order what fn reads, and what later operators read, and RecordStream
// for tensors that another stream goes on using. Calls may nest. It panics with ErrNil for
// a nil fn. Follows the context manager torch.cuda.stream.
func (s *Stream) Do(fn func()) {
	s.check("Stream.Do")
	modes.Stream("cuda.Stream.Do", s.s.Device, s.s.ID, fn)
}

// Device returns the stream's device.
func (s *Stream) Device() torch.Device {
	s.check("Stream.Device")
	return torch.CUDA.At(s.s.Device)
}

// Priority returns the stream's priority: lower numbers go first.
// Follows torch.cuda.Stream.priority.
func (s *Stream) Priority() int {
	s.check("Stream.Priority")
	p, err := s.s.Priority()
	must("Stream.Priority", err)
	return p
}

// Handle returns the driver's handle, a cudaStream_t, for CUDA code of the program's own;
// 0 is a device's default stream. Follows torch.cuda.Stream.cuda_stream.
func (s *Stream) Handle() uintptr {
	s.check("Stream.Handle")
	h, err := s.s.Handle()
	must("Stream.Handle", err)
	return h
}

// Equal reports whether both are the same queue.
func (s *Stream) Equal(other *Stream) bool { return s != nil && other != nil && s.s == other.s }

// Query reports whether all work given to the stream is finished.
// Follows torch.cuda.Stream.query.
func (s *Stream) Query() bool {
	s.check("Stream.Query")
	done, err := s.s.Query()
	must("Stream.Query", err)
	return done
}

// Synchronize waits until all work given to the stream is finished.
// Follows torch.cuda.Stream.synchronize.
func (s *Stream) Synchronize() {
	s.check("Stream.Synchronize")
	must("Stream.Synchronize", s.s.Synchronize())
}

// WaitStream makes later work of s wait for the work that other has now. The
// call itself does not wait. Follows torch.cuda.Stream.wait_stream.
func (s *Stream) WaitStream(other *Stream) {
	s.check("Stream.WaitStream")
	other.check("Stream.WaitStream")
	s.WaitEvent(other.RecordEvent())
}

// WaitEvent makes later work of s wait for the event. An event that was never
// recorded delays nothing. Follows torch.cuda.Stream.wait_event.
func (s *Stream) WaitEvent(e *Event) {
	s.check("Stream.WaitEvent")
	e.Wait(s)
}

// RecordEvent returns a new event, recorded at the current end of the stream.
// Follows torch.cuda.Stream.record_event.
func (s *Stream) RecordEvent() *Event {
	s.check("Stream.RecordEvent")
	e := NewEvent()
	e.Record(s)
	return e
}

// RecordStream says that s uses a tensor that was made on another stream. Once
// the tensor is freed, its memory is not reused until the work that s has by
// then is finished. A tensor in page-locked memory can be recorded too, which Python
// cannot: copies do that by themselves, so it is for CUDA code of the program's own. Its
// memory waits for what s has now. It panics with ErrDevice for another tensor.
// Follows Tensor.record_stream.
func (s *Stream) RecordStream(t *torch.Tensor) {
	const op = "Stream.RecordStream"
	s.check(op)
	if d := t.Device(); !d.IsCUDA() && (d != torch.CPU || !t.IsPinned()) {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrDevice, Message: fmt.Sprintf("the tensor is on %s and not in page-locked memory", d)})
	}
	h := t.Handle()
	r := torch.BeginRaw(op+"(t)", t)
	err := native.RecordStream(h, s.s)
	r.End()
	must(op, err)
}

// String returns "cuda:0 stream 3".
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
