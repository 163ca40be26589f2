// Package recompute trades time for memory in training (activation checkpointing): what a
// function saves for its backward pass is dropped, and recomputed when the pass needs it.
// It is torch.utils.checkpoint of Python, with use_reentrant=False. To save trainings to
// files use package torch/checkpoint.
//
//	y := recompute.Checkpoint(block.Forward, x)
//
//	y := recompute.CheckpointSequential(model.Values(), 4, x) // layers in sequence, in four segments
//
// A network of n equal layers keeps the activations of all of them for its backward pass.
// In segments of k layers it keeps only the n/k inputs of segments, and the activations
// of one segment at a time; the forward pass of each segment runs twice. Losses and
// gradients are the same, bit for bit.
//
// # Requirements on the function
//
// When it runs again it must do the same: the same operators on the same values. Random
// numbers, autocast, the default device and dtype, and CUDA's device and stream are
// restored. Everything else that it reads, such as a module's mode or parameters, must
// stay unchanged until the backward pass is over; if it would save other tensors the
// backward pass fails with ErrRuntime. An input that was changed in place is ErrAutograd,
// as without a checkpoint.
//
// The second run ends as soon as it has saved everything needed. One of its operators
// panics then, and the panic unwinds the function: deferred calls run, and code that
// recovers from any panic must re-panic this one.
//
// # Memory
//
// What the second run saves is freed as the backward pass uses it; everything else it
// makes is freed when it ends. The function and the inputs live as long as the graph.
package recompute
