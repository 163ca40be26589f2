package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// STFT returns the short-time Fourier transform of a real or complex signal, or of a
// batch of signals. The result is complex and has shape (batch, frequencies, frames).
// nFFT is the size of each transform. Gradients flow back. It panics with ErrShape for
// any other number of dimensions or a window that does not fit, with ErrDType for
// integers, with ErrValue for lengths that are too large or not positive and for an
// unknown PadMode, and with ErrNil for a nil option. Follows torch.stft with
// return_complex=True.
func (t *Tensor) STFT(nFFT int64, opts ...STFTOption) *Tensor {
	const op = "STFT(self, window)"
	s := stftSettings{center: true, mode: string(PadModeReflect)}
	for _, o := range opts {
		if !s.take(o) {
			panic(badOption(op, o))
		}
	}
	switch PadMode(s.mode) {
	case PadModeReflect, PadModeConstant, PadModeReplicate, PadModeCircular:
	default:
		panic(argError(op, ErrValue, "PadMode",
			fmt.Sprintf("expected reflect, constant, replicate or circular, got %q", s.mode)))
	}
	h, w := t.handle(op, 0), s.weights(op)
	r := BeginRaw(op, t, s.window)
	ret := aten.StftCenter(r.Ctx, h, nFFT, s.hop.pointer(), s.win.pointer(), w, s.center, s.mode, s.normalized,
		s.onesided.pointer(), new(true), nil)
	return r.Tensor(ret)
}

// ISTFT is the inverse of [Tensor.STFT]: it returns signals of shape (batch, elements).
// Pass the same options as to STFT. Gradients flow back. It panics with ErrDType unless t
// is complex, with ErrShape for a wrong number of dimensions or frequencies, with
// ErrRuntime for a window that gives some elements a total weight of 0, and with ErrNil
// for a nil option. Follows torch.istft.
func (t *Tensor) ISTFT(nFFT int64, opts ...ISTFTOption) *Tensor {
	const op = "ISTFT(self, window)"
	s := stftSettings{center: true}
	for _, o := range opts {
		if !s.take(o) {
			panic(badOption(op, o))
		}
	}
	h, w := t.handle(op, 0), s.weights(op)
	r := BeginRaw(op, t, s.window)
	ret := aten.Istft(r.Ctx, h, nFFT, s.hop.pointer(), s.win.pointer(), w, s.center, s.normalized, s.onesided.pointer(),
		s.length.pointer(), s.complex)
	return r.Tensor(ret)
}

// stftSettings holds the parsed options of STFT and ISTFT.
type stftSettings struct {
	hop, win, length            maybe[int64]
	window                      *Tensor
	center, normalized, complex bool
	mode                        string
	onesided                    maybe[bool]
}

// maybe is an optional value.
type maybe[T any] struct {
	v     T
	given bool
}

// pointer returns a pointer to m's value, or nil if the value was not given.
func (m *maybe[T]) pointer() *T {
	if m.given {
		return &m.v
	}
	return nil
}

// take stores the option o. It returns false if o has a different type.
func (s *stftSettings) take(o any) bool {
	switch o := o.(type) {
	case HopLength:
		s.hop = maybe[int64]{int64(o), true}
	case WinLength:
		s.win = maybe[int64]{int64(o), true}
	case WindowOption:
		s.window = unseen(o.t)
	case Center:
		s.center = bool(o)
	case PadMode:
		s.mode = string(o)
	case Normalized:
		s.normalized = bool(o)
	case Onesided:
		s.onesided = maybe[bool]{bool(o), true}
	case Length:
		s.length = maybe[int64]{int64(o), true}
	case ReturnComplex:
		s.complex = bool(o)
	default:
		return false
	}
	return true
}

// weights returns the handle of the window, or zero if there is none.
func (s *stftSettings) weights(op string) abi.Tensor {
	if s.window == nil {
		return 0
	}
	return s.window.handle(op, 1)
}
