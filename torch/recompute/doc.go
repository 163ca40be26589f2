// Package recompute trades time for memory in training (activation checkpointing):
// tensors that a function saves for its backward pass are dropped, and recomputed when
// the pass needs them. It is Python's torch.utils.checkpoint with use_reentrant=False. To
// save training state to files, use package torch/checkpoint.
//
//	y := recompute.Checkpoint(block.Forward, x)
//
//	y := recompute.CheckpointSequential(model.Values(), 4, x) // layers in sequence, in four segments
//
// A network of n equal layers keeps the activations of all of them for its backward pass.
// With segments of k layers it keeps only the n/k inputs of the segments, and the
// activations of one segment at a time. The forward pass of each segment runs twice.
// Losses and gradients are the same, bit for bit.
//
// # Requirements on the function
//
// When the function runs again, it must do the same: the same operators on the same
// values. Random numbers, autocast, the default device and dtype, and CUDA's device and
// stream are restored. Everything else that the function reads, such as a module's mode
// or parameters, must stay unchanged until the backward pass is over. If the function
// would save different tensors, the backward pass fails with ErrRuntime. An input that
// was changed in place causes ErrAutograd, as without a checkpoint.
//
// The second run ends as soon as it has saved everything that is needed. Then one of its
// operators panics, and the panic unwinds the function: deferred calls run, and code that
// recovers from any panic must re-panic this one.
//
// # Memory
//
// Tensors that the second run saves are freed as the backward pass uses them; the other
// tensors of the second run are freed when it ends. The function and the inputs are kept
// as long as the graph.
package recompute
