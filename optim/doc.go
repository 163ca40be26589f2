// Package optim holds the optimizers, as torch.optim.
//
//	opt := optim.NewAdamW(model.Parameters(), optim.AdamWOptions{LR: 3e-4})
//	...
//	opt.ZeroGrad()
//	loss.Backward()
//	opt.Step()
//
// A step is one call into libtorch for each parameter group, however many
// parameters it has, and runs libtorch's fused kernels: the results are those
// of Python's fused=True, which differ from its default in the last bits.
// Parameters without a gradient are left alone. Options are structs whose zero
// fields mean PyTorch's defaults; what a default cannot say, such as a learning
// rate of exactly 0, is set in the [ParamGroup].
//
// An optimizer refers to its parameters and owns its state; Close frees the
// state, and so does the collector once the optimizer is unreachable. One
// goroutine at a time may use it. Mistakes panic with a *torch.Error.
package optim
