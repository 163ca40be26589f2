// Package use counts the operators that use a tensor, so that any goroutine may close
// it at any time.
//
// An operator adds itself, looks whether the tensor was open at that moment, and takes
// itself off at its end. Closing only sets a mark while there are users; whoever takes off
// the last use of a closed tensor frees it. Both ends look at the whole word in one
// atomic step, so one of them sees that nobody else is left.
package use

import "sync/atomic"

// Word says of a tensor whether it is open, and how many operators use it. The zero
// Word is that of an open tensor that nobody uses.
//
// From below: why it is closed (0 while it is open); taken; the mark; the number of uses,
// which has 26 bits: enough for a list that names one tensor 67 million times.
type Word struct{ bits atomic.Uint32 }

const (
	whyClosed = 1<<4 - 1
	taken     = 1 << 4 // somebody frees the handle, or has
	mark      = 1 << 5
	oneUse    = 1 << 6
)

// MostReasons is the largest number that Close takes.
const MostReasons = whyClosed

// Open reports whether the tensor is open.
func (w *Word) Open() bool { return w.bits.Load()&whyClosed == 0 }

// Why returns what Close was given, 0 while the tensor is open.
func (w *Word) Why() uint8 { return uint8(w.bits.Load() & whyClosed) }

// Acquire adds a use and reports whether the tensor was open. Release follows in either
// case.
func (w *Word) Acquire() bool { return w.bits.Add(oneUse)&whyClosed == 0 }

// Release takes off a use and reports whether the tensor is closed: then the caller asks
// Take.
func (w *Word) Release() (closed bool) { return w.bits.Add(^uint32(oneUse-1))&whyClosed != 0 }

// Close closes an open tensor for a reason that is not 0. It reports whether the caller is
// to free the handle, because nobody uses it. Otherwise whoever uses it last does.
func (w *Word) Close(why uint8) (free bool) {
	for {
		s := w.bits.Load()
		if s&whyClosed != 0 {
			return false
		}
		closed := s | uint32(why)&whyClosed
		if s < oneUse {
			closed |= taken
		}
		if w.bits.CompareAndSwap(s, closed) {
			return s < oneUse
		}
	}
}

// Take reports whether the caller is to free a closed tensor: nobody uses it, and
// nobody else was told so. Those who come too late count for a moment too, so the
// last use may end more than once.
func (w *Word) Take() bool {
	for {
		s := w.bits.Load()
		if s >= oneUse || s&taken != 0 {
			return false
		}
		if w.bits.CompareAndSwap(s, s|taken) {
			return true
		}
	}
}

// SetMark sets the one bit that the owner of the word has for itself.
func (w *Word) SetMark() { w.bits.Or(mark) }

// Mark reports whether SetMark was called.
func (w *Word) Mark() bool { return w.bits.Load()&mark != 0 }
