// Package optim holds the optimizers, as torch.optim.
//
//	opt := optim.NewAdamW(model.Parameters(), optim.LR(3e-4), optim.WeightDecay(0.1))
//	...
//	opt.ZeroGrad()
//	loss.Backward()
//	opt.Step()
//
// Settings are options under PyTorch's names, and the default of each is
// PyTorch's. [Base.AddParamGroup] adds parameters with settings of their own;
// what it is not told is as the optimizer was made. Between steps a [ParamGroup]
// is read and set.
//
// A step computes what Python's computes without an option, with the same
// operators in the same order: one parameter after the other on the CPU, all at
// once (foreach) on CUDA. [Foreach] and [Fused] choose as in Python; the fused
// kernels are the fastest, and differ in the last bits. Either way a step is one
// call into libtorch for each group. Parameters without a gradient are left
// alone.
//
// An optimizer refers to its parameters and owns its state; Close frees the
// state, and so does the collector once the optimizer is unreachable. One
// goroutine at a time may use it. Mistakes panic with a *torch.Error.
//
// [Base] is what an optimizer of your own starts from.
package optim
