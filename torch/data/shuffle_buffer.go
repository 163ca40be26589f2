package data

import "github.com/gotorch/gotorch/torch"

// enoughToDraw is the number of examples that a shuffle buffer must have before the first
// example is drawn from it. webdataset calls it initial.
const enoughToDraw = 100

// shuffleStream shuffles a stream with a buffer of s.buffer elements, as webdataset's
// shuffle does. take adds an element to the buffer, and end empties the buffer. Both draw
// elements from the buffer and pass them to yield. They return false once yield has
// returned false. Until the buffer is full, only every second call of take draws an
// element.
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
		held[last] = zero // the slice must not keep the element alive
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
