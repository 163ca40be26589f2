// Package data feeds training loops: datasets, a loader that shuffles and
// batches, and readers of the file formats that PyTorch's tutorials use. It
// follows Python's torch.utils.data.
//
//	train, err := data.MNIST(dir)
//	if err != nil {
//		return err
//	}
//	defer train.Close()
//	loader := data.NewLoader(train, data.BatchSize(64), data.Shuffle(true),
//		data.Transform(data.Normalize(0.5, 0.5)))
//	for batch := range loader.All() {
//		loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
//		...
//	}
//
// # Lifetimes
//
// A dataset owns its tensors until it is closed. A loader runs each step in a
// [torch.Scope] of its own: the batch and everything the loop's body makes are
// freed before the next batch is fetched, and also when the loop is left by
// break, return or panic. To keep a tensor longer, call [torch.Disown] on it.
//
// # Order
//
// With the same seed the loader yields the batches that Python's DataLoader
// (num_workers=0) yields, and leaves the random generators in the same state.
//
// # Errors
//
// A dataset that reads files returns its errors from TryGet, see [TryDataset]; the loop
// panics with a *torch.Error that names the example and unwraps to the cause.
// Reading files returns errors; see [FileError]. Mistakes of the program, such
// as a negative batch size or examples that do not stack, panic with a
// *torch.Error, as operators do.
package data
