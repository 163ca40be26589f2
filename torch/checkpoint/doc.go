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
//	at, err := m.Resume(state) // loads the newest good checkpoint; fs.ErrNotExist if there is none
//	...
//	err = m.Save(ctx, step, state, checkpoint.Metrics{"loss": loss})
//
// A [State] names the parts of the training state: modules, optimizers, schedulers,
// scalers, loaders, generators, tensors, and plain Go values by address. Save always adds
// the states of the default random generators: the CPU's and, once CUDA is in use, those
// of all CUDA devices.
//
// # Files
//
// A checkpoint is one file, NUMBER-step-STEP.pt, that torch.load(weights_only=True)
// reads. It is a dict with an entry for each part under its name, in the layout of
// Python's state dicts, and the entries "step", "metrics", "rng_state" and
// "cuda_rng_state". NUMBER increases by one with each save, so the file with the largest
// number is the newest, whatever its step.
//
// A file is written under a temporary name, synced to disk, and renamed; then the
// directory is synced. A reader therefore finds a complete file or none. The comment of
// the zip archive holds the step, the metrics and two CRC-32C checksums: one of the step
// and the metrics, and one of all bytes before the checksums. In addition, the archive
// has a checksum for each entry. Loading verifies all checksums before it uses the file.
//
// Reading never executes code from a file, and a damaged or hostile file gives a
// [torch.FileError], never a panic. Package torch/serialization reads the entries.
//
// # Memory
//
// A save with [Async] copies the tensors to host memory; training continues while the
// file is written. The Manager keeps the copy's memory for the next save, so there is
// never more than one copy. Without Async, only tensors on other devices and views of
// larger storages are copied. [Manager.Close] frees the copies.
//
// # Errors
//
// A file that cannot be written or read gives a [*torch.FileError] of one of these kinds:
//
//   - [torch.ErrFormat]: the file is damaged, or is not a checkpoint.
//   - [torch.ErrTruncated]: the file ends too early.
//   - [torch.ErrUnsupported]: the file has a later version of the format.
//   - [torch.ErrMismatch]: a part's type or shape in the file differs from the State's.
//   - [torch.ErrNotFound]: the file lacks a part of the State.
//   - [ErrLocked], [ErrNoSpace] or [ErrReadOnly]: the directory or file cannot be
//     written.
//
// For a directory without checkpoints, the error is fs.ErrNotExist.
package checkpoint
