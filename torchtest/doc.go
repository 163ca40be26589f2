// Package torchtest helps programs that use gotorch test themselves: tensors
// that ought to be equal ([AllClose]), as far as arithmetic lets them
// ([Rounding]), derivatives that ought to be right
// ([GradCheck], [GradGradCheck]), native memory that ought to be gone
// ([CheckLeaks]), and values that Python worked out ([LoadGoldens]).
//
// The functions report through a testing.TB and go on, so that a test shows all
// that is wrong with it; those that check something return whether it held.
package torchtest
