package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Event marks a point in a stream that other streams and the host can wait for. It is
// safe for use by several goroutines. The garbage collector frees it. Follows
// torch.cuda.Event.
type Event struct {
	mu     sync.Mutex
	timing bool
	flags  uint         // the flags that the CUDA runtime creates the event with
	raw    native.Event // created by the first Record, 0 before
	device int          // the device of the first Record
}

// These are flags of the CUDA runtime for events.
const (
	eventBlocks       = 1
	eventHasNoTime    = 2
	eventInterprocess = 4
)

// NewEvent returns an event that has not been recorded yet. With [EnableTiming] it
// records the time; with [Blocking] waiting threads sleep. It panics with ErrNil for a
// nil option, and with ErrValue for [Interprocess] with EnableTiming. Follows
// torch.cuda.Event.
func NewEvent(opts ...EventOption) *Event {
	timing, blocks, interprocess := opt.Read3("cuda.NewEvent", opts, EnableTiming(false), Blocking(false),
		Interprocess(false))
	e := &Event{timing: bool(timing)}
	if bool(interprocess) && e.timing {
		panic(torch.NewError("cuda.NewEvent", torch.ErrValue, "Interprocess",
			"expected false with EnableTiming, got true"))
	}
	if blocks {
		e.flags |= eventBlocks
	}
	if !e.timing {
		e.flags |= eventHasNoTime
	}
	if interprocess {
		e.flags |= eventInterprocess
	}
	return e
}

// Record places the event at the current end of a stream, by default the goroutine's
// current stream, and replaces an earlier position. It panics with ErrRuntime if the
// event has been recorded on another device, with ErrNil for a nil stream, and with
// ErrValue for several streams. Follows torch.cuda.Event.record.
func (e *Event) Record(stream ...*Stream) {
	const op = "Event.Record"
	e.check(op)
	s := streamOr(op, stream)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.raw != 0 && e.device != s.s.Device {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrRuntime,
			Message: "the event belongs to " + torch.CUDA.At(e.device).String() + ", but the stream belongs to " +
				s.Device().String(),
		})
	}
	if e.raw == 0 {
		raw, err := native.NewEvent(s.s.Device, e.flags)
		must(op, err)
		e.raw, e.device = raw, s.s.Device
		type held struct {
			raw    native.Event
			device int
			object named.Object
		}
		runtime.AddCleanup(e, func(h held) {
			h.raw.Destroy(h.device)
			h.object.Gone()
		}, held{e.raw, e.device, named.Made(named.Events)})
	}
	must(op, e.raw.Record(s.s, e.timing))
}

// Handle returns the driver's handle, a cudaEvent_t, for custom CUDA code. It is 0 if the
// event has not been recorded. It is valid as long as the Event is reachable. Follows
// torch.cuda.Event.cuda_event.
func (e *Event) Handle() uintptr {
	e.check("Event.Handle")
	e.mu.Lock()
	defer e.mu.Unlock()
	return uintptr(e.raw)
}

// String returns "cuda:0 event", or says that the event has not been recorded.
func (e *Event) String() string {
	if e == nil {
		return "no event"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.raw == 0 {
		return "event, not recorded"
	}
	return torch.CUDA.At(e.device).String() + " event"
}

// handle returns the native event, or 0 if the event has not been recorded.
func (e *Event) handle(op string) native.Event {
	e.check(op)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.raw
}

// Wait makes later work of a stream, by default the goroutine's current stream, wait for
// the event. It panics with ErrNil for a nil stream, and with ErrValue for several
// streams. Follows torch.cuda.Event.wait.
func (e *Event) Wait(stream ...*Stream) {
	h := e.handle("Event.Wait")
	s := streamOr("Event.Wait", stream)
	if h != 0 {
		must("Event.Wait", h.Wait(s.s))
	}
	runtime.KeepAlive(e)
}

// streamOr returns the stream of an optional argument, or the current one.
func streamOr(op string, streams []*Stream) *Stream {
	switch len(streams) {
	case 0:
		return CurrentStream()
	case 1:
		streams[0].check(op)
		return streams[0]
	}
	panic(torch.NewError("cuda."+op, torch.ErrValue, "stream",
		fmt.Sprintf("expected at most one stream, got %d", len(streams))))
}

// Query reports whether the work before the event is finished. It returns true if the
// event was never recorded. Follows torch.cuda.Event.query.
func (e *Event) Query() bool {
	h := e.handle("Event.Query")
	if h == 0 {
		return true
	}
	done, err := h.Query()
	must("Event.Query", err)
	runtime.KeepAlive(e)
	return done
}

// Synchronize waits until the work before the event is finished. Follows torch.cuda.Event.synchronize.
func (e *Event) Synchronize() {
	if h := e.handle("Event.Synchronize"); h != 0 {
		must("Event.Synchronize", h.Synchronize())
	}
	runtime.KeepAlive(e)
}

// ElapsedTime returns the time on the device between e and end. It panics with ErrValue
// unless both events have the EnableTiming(true) option and have been recorded, and with
// ErrRuntime unless the work before both is finished. Follows
// torch.cuda.Event.elapsed_time.
func (e *Event) ElapsedTime(end *Event) time.Duration {
	const op = "Event.ElapsedTime"
	a, b := e.handle(op), end.handle(op)
	if a == 0 || b == 0 || !e.timing || !end.timing {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "both events need the EnableTiming(true) option and a Record",
		})
	}
	ms, err := a.Elapsed(b, e.device)
	must(op, err)
	runtime.KeepAlive(e)
	runtime.KeepAlive(end)
	return time.Duration(ms * float64(time.Millisecond))
}

func (e *Event) check(op string) {
	if e == nil {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrNil, Message: "the event is nil"})
	}
}
