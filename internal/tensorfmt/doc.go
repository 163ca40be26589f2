// Package tensorfmt renders tensors as Python's print(t) does, character for character.
// It does not depend on the tensor type.
//
// A tensor may be far larger than its text: print shows only six rows and columns of a
// matrix with a hundred million elements. On a GPU every shown element must be copied to
// the host. So rendering takes two steps:
//
//  1. [NewPlan] uses only the shape, and lists the dimensions of which only the two ends
//     are shown. The caller cuts those dimensions (narrow both ends, concatenate) and
//     copies the rest to the host.
//  2. [Format] takes that reduced data, in row-major order, as a [Values], with the full
//     shape and the properties shown after the elements (dtype, device, grad_fn), and
//     returns the text.
//
// Widths, scientific notation and the "all integers" form depend only on the shown data,
// as in PyTorch: an outlier in the hidden part does not change the text.
//
// No function of this package panics. [Format] returns an error for data that does not
// match the shape.
package tensorfmt
