package torch

import (
	crand "crypto/rand"
	bin "encoding/binary"
	"fmt"
)

// BroadcastShapes returns the shape that the given shapes broadcast to. Without shapes it
// returns the shape of a scalar. It panics with ErrShape if they do not broadcast, and
// with ErrValue for a negative size. Follows torch.broadcast_shapes.
func BroadcastShapes(shapes ...Shape) Shape {
	const op = "BroadcastShapes"
	n := 0
	for _, s := range shapes {
		n = max(n, len(s))
	}
	out := make(Shape, n)
	for d := range out {
		out[d] = 1
	}
	for k, s := range shapes {
		at := out[n-len(s):]
		for d, size := range s {
			switch {
			case size < 0:
				panic(NewError(op, ErrValue, fmt.Sprintf("shapes[%d]", k), fmt.Sprintf(
					"expected no negative size, got %v", s)))
			case size == 1 || size == at[d]:
			case at[d] == 1:
				at[d] = size
			default:
				panic(NewError(op, ErrShape, fmt.Sprintf("shapes[%d]", k),
					fmt.Sprintf("%v does not broadcast with %v, the result for the shapes before", s, out)))
			}
		}
	}
	return out
}

// Seed seeds the random generators of all devices with a random number from the
// operating system and returns the number. Pass it to [ManualSeed] to get the
// same numbers again. Follows torch.seed.
func Seed() uint64 {
	seed := drawSeed()
	ManualSeed(seed)
	return seed
}

func drawSeed() uint64 {
	var b [8]byte
	_, _ = crand.Read(b[:]) // Read never fails
	return bin.LittleEndian.Uint64(b[:])
}
