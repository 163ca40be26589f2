// Package distributed trains and computes with several processes, on one machine or many.
// It is PyTorch's torch.distributed on the same engine, c10d, so Go and Python processes
// can share a group.
//
// Each process runs the same program with its own rank, as started by torchrun, Slurm or
// Kubernetes, and joins the group:
//
//	group, err := distributed.InitProcessGroup(ctx, distributed.Gloo)
//	if err != nil {
//		return err
//	}
//	defer group.Close()
//	x := torch.Full(torch.Shape{3}, float64(group.Rank()))
//	err = group.AllReduce(ctx, x) // x is the sum over all ranks
//
// # Waiting
//
// Every method that waits for other ranks takes a context. Its deadline replaces the
// group's timeout, and canceling it ends the wait. The collective itself cannot be
// undone, because other ranks may take part in it. So after a collective was given up,
// the group can only be closed. A waiting goroutine does not count towards
// [torch.SetMaxConcurrency], so operators of other goroutines continue.
//
// All ranks must call the same collectives of a group in the same order. The methods of a
// ProcessGroup may be called from several goroutines, which must then agree on the order.
// The orders of two groups are independent.
//
// # Errors
//
// Failures are errors. An [*Error] names the operation, the rank, the tensors and, if
// known, the ranks at fault. A [*torch.Error] reports an argument that would be invalid
// on any rank. If all ranks of a group are Go processes, they compare operation, shapes
// and dtypes before each collective; see [Check]. If these differ, each rank gets
// ErrMismatch, and no data is sent. When a rank is gone, the others get ErrPeer or
// ErrTimeout with its number; see [Error].
//
// docs/distributed.md is a guide, from one machine to failure handling.
package distributed
