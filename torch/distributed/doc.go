// Package distributed trains and computes with several processes, on one machine or many:
// PyTorch's torch.distributed on its own engine, c10d, so that processes of Go and of
// Python can be in one group.
//
// Each process runs the same program with a rank of its own, as torchrun, Slurm or
// Kubernetes start it, and joins the group:
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
// Every method that waits for other ranks takes a context. Its deadline is that of the
// collective, in place of the group's timeout, and cancelling it ends the waiting. The
// collective itself cannot be taken back, since other ranks may be part of it: a group
// that one was given up in is only good for Close. While a goroutine waits, operators of
// others go on; a collective takes no place of theirs ([torch.SetMaxConcurrency]).
//
// All ranks have to call the same collectives of a group in the same order. The methods of
// a ProcessGroup may be called from several goroutines, which then have to agree on the
// order; two groups need no order between them.
//
// # Errors
//
// Whatever goes wrong comes as an error: an [*Error] that names the operation, the rank, the
// tensors and, where it is known, the ranks at fault, or a [*torch.Error] for an argument
// that cannot be right on any rank. Where all ranks of a group are Go's they compare
// operation, shapes and dtypes before each collective, see [Check]. If they differ each rank
// gets ErrMismatch, and nothing has been sent. When a rank is gone, the others end with
// ErrPeer or ErrTimeout and its number, see [Error].
//
// docs/distributed.md begins with one machine and ends with failures.
package distributed
