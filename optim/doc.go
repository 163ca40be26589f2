// Package optim has optimizers, as torch.optim in Python.
//
//	opt := optim.NewAdamW(model.Parameters(), optim.LR(3e-4), optim.WeightDecay(0.1))
//	...
//	opt.ZeroGrad()
//	loss.Backward()
//	opt.Step()
//
// Settings are options under PyTorch's names, with PyTorch's defaults.
// [Base.AddParamGroup] adds parameters with their own settings; settings that it
// is not given are those of the optimizer. Between steps, a program can read and
// set the settings of a [ParamGroup].
//
// Without an option, a step computes what Python's does without one, with the
// same operators in the same order: one parameter after the other on the CPU, all
// at once (foreach) on CUDA. [Foreach] and [Fused] choose another way, as in
// Python. The fused kernels are the fastest, and their results differ in the last
// bits. In each case a step is one call into libtorch per group. It skips
// parameters that have no gradient.
//
// An optimizer refers to its parameters and owns its state. Close frees the
// state; otherwise the collector does, once the optimizer is unreachable. One
// goroutine at a time may use an optimizer. Mistakes panic with a *torch.Error.
//
// To write an optimizer of your own, start from [Base].
package optim
