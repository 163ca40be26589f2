// Package tensorfmt renders tensors as Python's print(t) does, character for
// character, without knowing what a tensor is.
//
// A tensor may be far larger than its picture: print shows six rows of six of
// a matrix with a hundred million elements, and on a GPU every element shown
// has to be copied to the host. Rendering therefore takes two steps:
//
//  1. [NewPlan] looks at the shape alone and lists the dimensions of which
//     only the two ends are shown. The caller cuts those dimensions (narrow
//     both ends, concatenate) and copies what remains to the host.
//  2. [Format] takes that reduced data, in row-major order, as a [Values],
//     with the full shape and the facts that stand behind the brackets (dtype,
//     device, grad_fn), and returns the text.
//
// Widths, scientific notation and the "all integers" form are chosen from the
// reduced data only, as PyTorch chooses them: an outlier in the hidden middle
// of a tensor does not change how its edges look.
//
// Nothing here panics on any input; [Format] answers data that does not fit
// the shape with an error.
package tensorfmt
