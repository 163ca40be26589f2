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
// # Workers
//
// With [NumWorkers] other goroutines make the batches, [PrefetchFactor] ahead for each.
// A worker makes a batch in scopes of its own; the step's scope takes it over. When the
// loop ends, however it does, its workers end and what they had made is freed.
//
// # Order
//
// With the same seed the loader yields the batches that Python's DataLoader yields with
// the same num_workers, and leaves the random generators in the same state. Each worker
// has a default generator of its own, see [torch.WithGenerator], with the seed that
// Python gives it, and makes the batches that Python's makes: what a dataset or a
// transform draws is Python's too. [Loader.StateDict] is a place in an epoch, from where
// a loop goes on in another process.
//
// # Errors
//
// A dataset that reads files returns its errors from TryGet, see [TryDataset]; the loop
// panics with a *torch.Error that names the example and unwraps to the cause.
// Reading files returns errors; see [FileError]. Mistakes of the program, such
// as a negative batch size or examples that do not stack, panic with a
// *torch.Error, as operators do.
package data
