// Package parallel trains one model in many processes, like torch.nn.parallel.
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
// Constructors return errors, because they wait for other ranks. Forward and Backward
// panic with a *torch.Error, like all tensor functions. If another rank or the network is
// the cause, the error wraps a *distributed.Error. torch.Try converts the panic to an
// error.
package parallel
