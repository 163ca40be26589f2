package data

import "github.com/gotorch/gotorch/torch"

// enoughToDraw is the number of examples that a shuffle buffer waits for, webdataset's
// initial.
const enoughToDraw = 100

// shuffleStream passes a stream to yield, drawing each element from a buffer of s.buffer, as
// webdataset's shuffle does: it reads two elements for each one it yields until the
// buffer is full. take adds an element, and end drains the buffer; both return false once
// yield has.
func shuffleStream[T any](s shuffleSettings, yield func(T) bool) (take func(T) bool, end func() bool) {
	if s.buffer <= 1 {
		return yield, func() bool { return true }
	}
	var held []T
	initial, extra := min(enoughToDraw, s.buffer), false
	draw := func() bool {
		k := s.intBelow(len(held))
		last := len(held) - 1
		v := held[k]
		held[k] = held[last]
		var zero T
		held[last] = zero // do not keep it alive
		held = held[:last]
		return yield(v)
	}
	take = func(v T) bool {
		held = append(held, v)
		if extra = !extra && len(held) < s.buffer; extra || len(held) < initial {
			return true
		}
		return draw()
	}
	end = func() bool {
		for len(held) > 0 {
			if !draw() {
				return false
			}
		}
		return true
	}
	return take, end
}

// intBelow draws an integer from 0 to n-1.
func (s shuffleSettings) intBelow(n int) int {
	opts := []torch.RandOption{torch.Int64, torch.CPU}
	if s.generator != nil {
		opts = append(opts, s.generator)
	}
	x := torch.RandInt(0, int64(n), torch.Shape{}, opts...)
	defer func() { _ = x.Close() }()
	return int(x.Int64s()[0])
}
