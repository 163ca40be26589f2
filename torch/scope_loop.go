package torch

import "iter"

// Scoped runs each iteration of a loop over seq in a [Scope] of its own. The scope ends
// after the loop's body, even on break, continue and return:
//
//	for x := range torch.Scoped(slices.Values(images)) {
//		if model.Forward(x).Item() > limit {
//			break
//		}
//	}
//
// Tensors that seq itself makes do not belong to the scope. Scoped panics with ErrNil for
// a nil seq.
func Scoped[V any](seq iter.Seq[V]) iter.Seq[V] {
	if seq == nil {
		panic(NilFunc("Scoped", "seq"))
	}
	return func(yield func(V) bool) {
		seq(func(v V) (more bool) {
			Scope(func() { more = yield(v) })
			return more
		})
	}
}

// ScopedRange is [Scoped] for the numbers from 0 to n-1, none if n is below 1:
//
//	for step := range torch.ScopedRange(1000) {
//		train(step)
//	}
func ScopedRange(n int) iter.Seq[int] {
	return Scoped(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	})
}
