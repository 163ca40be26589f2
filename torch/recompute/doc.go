// Package recompute trades time for memory in training: what a function saves for its
// backward pass is dropped, and computed again when the pass comes to it. It is
// torch.utils.checkpoint of Python, with use_reentrant=False. Files of trainings are package
// torch/checkpoint.
//
//	y := recompute.Checkpoint(block.Forward, x)
//
//	y := recompute.CheckpointSequential(model.Values(), 4, x) // layers in a row, in four segments
//
// A network of n equal layers keeps the activations of all of them for its backward pass. In
// segments of k layers it keeps the n/k inputs of segments, and the activations of one
// segment at a time; the forward pass of each segment runs twice. Losses and gradients are
// the same to the bit.
//
// # What the function may do
//
// It has to do the same when it runs again: the same operators on the same values. Random
// numbers are the same ones, autocast, the default device and dtype and CUDA's device and
// stream are as they were. What else it reads, such as a module's mode or parameters, has to
// be as it was until the backward pass is over; where other tensors would be saved the
// backward pass fails with ErrRuntime. An input that was changed in place since is
// ErrAutograd, as without a checkpoint.
//
// The second run ends as soon as it has saved what is needed. An operator of it panics then,
// and the panic goes through the function: deferred calls run, and code that recovers from
// any panic should pass this one on.
//
// # Whose memory
//
// What the second run saves is freed as the backward pass uses it; what else it makes is
// freed when it ends. The function and the inputs live as long as the graph.
package recompute
