// Package optim provides optimizers, as torch.optim does in Python.
//
//	opt := optim.NewAdamW(model.Parameters(), optim.LR(3e-4), optim.WeightDecay(0.1))
//	...
//	opt.ZeroGrad()
//	loss.Backward()
//	opt.Step()
//
// Settings are options under PyTorch's names, with PyTorch's defaults.
// [Base.AddParamGroup] adds parameters with their own settings; settings that are not
// given are taken from the optimizer. Between steps, a program can read and change the
// settings of a [ParamGroup].
//
// By default a step computes the same as Python's default, with the same operators in the
// same order. It processes one parameter at a time on the CPU, and all at once (foreach)
// on CUDA. [Foreach] and [Fused] select a different implementation, as in Python. The
// fused kernels are the fastest, and their results differ in the last bits. A step is
// always one call into libtorch per group. Steps skip parameters without a gradient.
//
// An optimizer refers to its parameters and owns its state. Close frees the state. If an
// optimizer becomes unreachable without Close, the garbage collector frees its state.
// Only one goroutine at a time may use an optimizer.
//
// Mistakes panic with a *torch.Error. Every constructor panics with ErrValue for an empty
// list of parameters or settings out of range, and with ErrAutograd for a parameter that
// is not a leaf. A nil parameter or option panics with ErrNil.
//
// To write your own optimizer, start from [Base].
package optim
