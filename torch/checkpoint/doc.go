// Package checkpoint saves a training so that it can go on as if nothing had happened:
// after a kill -9, on a machine that lost power, with a disk that was full.
//
//	m, err := checkpoint.Open("runs/first", checkpoint.Keep(3), checkpoint.Async(true))
//	...
//	defer m.Close()
//	epoch := 0
//	state := checkpoint.State{
//		"model": model, "optimizer": opt, "scheduler": sched, "scaler": scaler,
//		"loader": loader, "epoch": &epoch,
//	}
//	at, err := m.Resume(state) // the newest good one; fs.ErrNotExist if there is none
//	...
//	err = m.Save(ctx, step, state, checkpoint.Metrics{"loss": loss})
//
// A [State] names what belongs to the training: modules, optimizers, schedulers, scalers,
// loaders, generators, tensors, and plain values of Go by their address. The default random
// generators of the CPU and, once CUDA is in use, of all devices are always saved with it.
//
// # Files
//
// A checkpoint is one file, NUMBER-step-STEP.pt, that torch.load(weights_only=True) reads:
// a dict with an entry for each part under its name, in the layout of Python's state dicts,
// and "step", "metrics", "rng_state" and "cuda_rng_state". Numbers only grow, so the
// newest file is the one that was written last, whatever its step is.
//
// A file is written under another name, synchronized with the disk, and renamed; then the
// folder is synchronized. At every moment there is a whole file or none. At its end, in the
// comment of the zip archive, stand the step, the metrics and two checksums (CRC-32C): one
// of these, and one of every byte before it. The archive has a third of each entry, with
// another polynomial. All are compared before anything of a file is used.
//
// Reading runs nothing of a file, and a damaged or hostile one is a [FileError], never a
// panic. Package torch/serialization does the reading.
//
// # Whose memory
//
// A save with [Async] copies the tensors into host memory, which the Manager keeps for the
// next save, so there is never more than one copy; then the training goes on while the file
// is written. Without it tensors of the CPU are written as they lie there, and only those of
// devices are copied. [Manager.Close] frees the copies.
package checkpoint
