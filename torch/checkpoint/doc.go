// Package checkpoint saves the state of a training run so that it can resume exactly:
// after a kill -9, a power failure or a full disk.
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
// A [State] names the parts of the training state: modules, optimizers, schedulers,
// scalers, loaders, generators, tensors, and plain Go values by address. The default
// random generators are always saved too: that of the CPU and, once CUDA is in use, those
// of all devices.
//
// # Files
//
// A checkpoint is one file, NUMBER-step-STEP.pt, that torch.load(weights_only=True)
// reads. It is a dict with an entry for each part under its name, in the layout of
// Python's state dicts, and the entries "step", "metrics", "rng_state" and
// "cuda_rng_state". Numbers only increase, so the newest file is the one written last,
// whatever its step.
//
// A file is written under a temporary name, synced to disk, and renamed; then the folder
// is synced. At every moment there is a complete file or none. The comment of the zip
// archive holds the step, the metrics and two CRC-32C checksums: one of the comment
// itself, and one of every byte before it. The archive has a third checksum for each
// entry, with another polynomial. All are verified before anything of a file is used.
//
// Reading runs nothing from a file, and a damaged or hostile file gives a
// [torch.FileError], never a panic. Package torch/serialization does the reading.
//
// # Memory
//
// A save with [Async] copies the tensors to host memory; training continues while the
// file is written. The Manager keeps the copy's memory for the next save, so there is
// never more than one copy. Without Async, CPU tensors are written directly, and only
// those of other devices are copied. [Manager.Close] frees the copies.
//
// # Errors
//
// A file that cannot be written or read gives a [*torch.FileError]. Its kinds are [torch.ErrFormat]
// for a damaged checkpoint, or another file, [torch.ErrTruncated] for a file that ends too early,
// [torch.ErrUnsupported] for a later version of the format, [torch.ErrMismatch] for a part of
// another kind or shape, [torch.ErrNotFound] for a part that is missing, [ErrLocked], [ErrNoSpace]
// and [ErrReadOnly]. A folder without checkpoints is fs.ErrNotExist.
package checkpoint
