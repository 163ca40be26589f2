// Package dcp saves and loads a training of several processes in the folders of
// PyTorch's torch.distributed.checkpoint: what n ranks have saved, m ranks load, in Go or in
// Python.
//
//	state := map[string]any{"model": model, "optimizer": opt, "epoch": epoch}
//	err := dcp.Save(ctx, group, "run/step-1000", state)
//	...
//	dir, err := dcp.Latest("run")
//	err = dcp.Load(ctx, group, dir, state)
//
// The call is the same on all ranks. In Python it is dcp.save(state, checkpoint_id=dir) and
// dcp.load(state, checkpoint_id=dir). Without a group, nil, it is of this process alone.
//
// # Tensors
//
// A tensor that all ranks have is written by one of them. One that is divided among the ranks
// is given as a [Shard] on each, with its offsets in the whole. A load asks for the parts that
// it needs, which are put together from those that were saved, so the number of ranks and the
// way of dividing may be others.
//
// # Folders
//
// A checkpoint is a folder with a file for each rank that had something to write,
// __RANK_NUMBER.distcp, and .metadata, which says what there is and where. It is written last,
// when all other files are on the disk: a folder without it is no checkpoint, whatever has
// ended the save. [Latest] finds the newest complete one among numbered folders, and [Prune]
// removes old ones.
//
// Reading runs nothing of a file, though .metadata is a pickle, which in Python is a program.
// A damaged or hostile file is a [FileError], never a panic, and takes no more memory than its
// size explains. The checksums of all values that are read are compared.
//
// What Python writes with use_collectives=False, with extensions that compress, or in folders
// of Hugging Face's is not read: those have no .metadata, or one that is ErrUnsupported.
//
// A training of one process that needs no Python may like package torch/checkpoint better,
// which keeps random generators and the place in the data too.
package dcp
