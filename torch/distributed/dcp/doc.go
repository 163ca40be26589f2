// Package dcp saves and loads the state of a training with several processes, in the
// format of PyTorch's torch.distributed.checkpoint. Any number of ranks can load what any
// other number has saved, in Go or in Python.
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
// A tensor that all ranks have is written by one of them. A tensor that is divided among
// the ranks is given as a [Shard] on each, with its offsets in the whole. A load
// assembles the parts that it needs from the saved ones, so the number of ranks and the
// division may differ.
//
// # Folders
//
// A checkpoint is a folder with a file __RANK_NUMBER.distcp for each rank that wrote
// something, and a file .metadata that lists the values and their positions. .metadata is
// written last, when all other files are on disk: a folder without it is not a
// checkpoint, however the save ended. [Latest] finds the newest complete checkpoint among
// numbered folders, and [Prune] removes old ones.
//
// Reading runs nothing from a file, although .metadata is a pickle, which in Python is a
// program. A damaged or hostile file gives a [torch.FileError], never a panic, and takes
// memory only in proportion to its size. Checksums of all values are verified.
//
// The package does not read what Python writes with use_collectives=False, with
// compressing extensions, or in Hugging Face's format: those have no .metadata, or one
// that is ErrUnsupported.
//
// For a training with one process that does not need Python, consider package
// torch/checkpoint, which also saves random generators and the position in the data.
//
// # Errors
//
// A file that cannot be written or read gives a [*torch.FileError] within an [*Error]. Its kinds
// are [torch.ErrFormat] for a damaged checkpoint, [torch.ErrTruncated] for a file that ends too
// early, [torch.ErrUnsupported] for compressed or sparse tensors and later versions,
// [torch.ErrMismatch] for ranks, or a state and a checkpoint, that do not match,
// [torch.ErrNotFound] for a missing value or part of a tensor, and [serialization.ErrUnsafe] for a
// value of a class that is not allowed. A folder without a checkpoint is fs.ErrNotExist, and one
// that must not be overwritten is fs.ErrExist.
package dcp
