// Package parallel trains one model on many processes, as torch.nn.parallel.
// [DistributedDataParallel] keeps a copy of a module on each rank of a
// distributed.ProcessGroup and averages the gradients while Backward computes them, on
// PyTorch's own engine.
//
//	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo)
//	...
//	net, err := parallel.NewDistributedDataParallel(ctx, model, g)
//	...
//	for x, y := range batches { // of this rank, see data.NewDistributedSampler
//		loss := F.CrossEntropy(net.Forward(x), y)
//		loss.Backward() // the gradients are the average of all ranks from here on
//		opt.Step()
//		opt.ZeroGrad()
//	}
//
// Constructors return errors, since they wait for other ranks. Forward and Backward panic
// with a *torch.Error as everything in a tensor program does; where another rank or the
// network is the cause, errors.As finds the *distributed.Error in it, and torch.Try makes
// an error value of it.
package parallel
