// Package use counts the operators that use a tensor, so that any goroutine may close it
// at any time.
//
// An operator adds a use, checks whether the tensor is open at that moment, and removes
// the use at its end. While there are uses, closing a tensor only marks it as closed.
// Removing the last use then frees the tensor. Closing and removing a use change the word
// atomically, so exactly one of them frees the tensor.
package use

import "sync/atomic"

// Word records whether a tensor is open and how many operators use it. The zero Word is
// the state of an open tensor without uses.
//
// The fields, from the lowest bit: the reason why the tensor is closed (0 while it is
// open), the taken bit, the mark bit, and the number of uses. The number has 26 bits,
// enough for a list that contains one tensor 67 million times.
type Word struct{ bits atomic.Uint32 }

const (
	whyClosed = 1<<4 - 1
	taken     = 1 << 4 // the handle has been freed or is being freed
	mark      = 1 << 5
	oneUse    = 1 << 6
)

// MostReasons is the greatest number that Close accepts as a reason.
const MostReasons = whyClosed

// Open reports whether the tensor is open.
func (w *Word) Open() bool { return w.bits.Load()&whyClosed == 0 }

// Why returns the reason passed to Close, or 0 if the tensor is open.
func (w *Word) Why() uint8 { return uint8(w.bits.Load() & whyClosed) }

// Acquire adds a use and reports whether the tensor was open. Call Release in either
// case.
func (w *Word) Acquire() bool { return w.bits.Add(oneUse)&whyClosed == 0 }

// Release removes a use and reports whether the tensor is closed. If so, call Take.
func (w *Word) Release() (closed bool) { return w.bits.Add(^uint32(oneUse-1))&whyClosed != 0 }

// Close closes an open tensor for a nonzero reason. It reports whether the caller must
// free the handle, because nothing uses it. Otherwise the last user frees it.
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

// Take reports whether the caller must free a closed tensor: nothing uses the tensor, and
// Take has not returned true before. An Acquire after Close also counts as a use for a
// moment, so the number of uses may reach zero more than once.
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

// SetMark sets the mark, a bit reserved for the word's owner.
func (w *Word) SetMark() { w.bits.Or(mark) }

// Mark reports whether SetMark was called.
func (w *Word) Mark() bool { return w.bits.Load()&mark != 0 }
