// Package dcp saves and loads the state of training with several processes, in the format
// of PyTorch's torch.distributed.checkpoint. The number of ranks that load a checkpoint
// may differ from the number that saved it, and each side may be Go or Python.
//
//	state := map[string]any{"model": model, "optimizer": opt, "epoch": epoch}
//	err := dcp.Save(ctx, group, state, "run/step-1000")
//	...
//	dir, err := dcp.Latest("run")
//	err = dcp.Load(ctx, group, dir, state)
//
// All ranks make the same call. In Python it is dcp.save(state, checkpoint_id=dir) and
// dcp.load(state, checkpoint_id=dir). With a nil group only this process takes part.
//
// # Tensors
//
// If all ranks have the same tensor, one of them writes it. If a tensor is sharded across
// the ranks, each rank passes its part as a [Shard], with its offsets in the whole
// tensor. A load assembles the parts that it needs from the saved parts, so the number of
// ranks and the division may differ.
//
// # Folders
//
// A checkpoint is a directory with a file __RANK_NUMBER.distcp for each rank that wrote
// something, and a file .metadata that lists the values and their positions. .metadata is
// written last, when all other files are on disk. A directory without .metadata is not a
// checkpoint. [Latest] finds the newest complete checkpoint among numbered directories,
// and [Prune] removes old ones.
//
// Loading never runs code from a file. (.metadata is a pickle, which can run code in
// Python.) A damaged or hostile file causes a [torch.FileError], never a panic, and takes
// memory only in proportion to its size. Checksums of all values are verified.
//
// The package does not read checkpoints that Python writes with use_collectives=False,
// with compressing extensions, or in Hugging Face's format. Such a checkpoint has no
// .metadata, or its .metadata causes ErrUnsupported.
//
// For training in one process that does not need Python, consider package
// torch/checkpoint, which also saves random generators and the position in the data.
//
// # Errors
//
// If a file cannot be written or read, the error is a [*torch.FileError], within an
// [*Error] if there is a group. Its kinds are:
//
//   - [torch.ErrFormat] for a damaged checkpoint,
//   - [torch.ErrTruncated] for a file that ends too early,
//   - [torch.ErrUnsupported] for compressed or sparse tensors and for later versions,
//   - [torch.ErrMismatch] for ranks that do not match, or a state that does not match the
//     checkpoint,
//   - [torch.ErrNotFound] for a missing value or a missing part of a tensor,
//   - [serialization.ErrUnsafe] for a value of a class that is not allowed.
//
// The error is fs.ErrNotExist for a directory without a checkpoint, and fs.ErrExist for a
// checkpoint that must not be overwritten.
package dcp
