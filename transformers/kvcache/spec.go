package kvcache

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A Spec says what a model keeps for each token: one Layer for each of its attention
// layers.
type Spec struct {
	Layers []Layer
	DType  torch.DType // the dtype of keys and values
}

// A Layer describes the keys and values of one attention layer.
type Layer struct {
	Heads   int64 // heads of keys and values
	HeadDim int64
	Window  int64 // the tokens that a query sees, itself included; 0 means all
}

// Uniform returns a Spec of n equal layers.
func Uniform(n int, l Layer, d torch.DType) Spec {
	s := Spec{DType: d}
	for range n {
		s.Layers = append(s.Layers, l)
	}
	return s
}

// check panics with ErrValue for a spec without layers or with invalid sizes.
func (s Spec) check(op string) {
	if len(s.Layers) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "spec", "it has no layers"))
	}
	for i, l := range s.Layers {
		if l.Heads < 1 || l.HeadDim < 1 || l.Window < 0 {
			panic(torch.NewError(op, torch.ErrValue, "spec", fmt.Sprintf("layer %d has invalid sizes: %+v", i, l)))
		}
	}
}

// Bytes returns the size of a cache with room for length tokens in each of batch rows. It
// is what [Cache.Bytes] reports once a cache made with [Capacity] is allocated.
func (s Spec) Bytes(batch, length int64) int64 {
	var n int64
	for _, l := range s.Layers {
		n += 2 * batch * l.Heads * room(l, length) * l.HeadDim * s.DType.Size()
	}
	return n
}

// room returns the number of positions that a layer allocates for length tokens.
func room(l Layer, length int64) int64 {
	if l.Window > 0 {
		return min(length, l.Window+slack)
	}
	return length
}
