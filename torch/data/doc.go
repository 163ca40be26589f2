// Package data feeds training loops. It has datasets, a loader that shuffles and batches,
// and readers of the file formats that PyTorch's tutorials use. It follows Python's
// torch.utils.data.
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
// A dataset owns its tensors until it is closed. A loader runs each step in a [torch.Scope]
// of its own. Before it fetches the next batch, it frees the last batch and all tensors
// that the loop's body made. It also frees them when break, return or a panic ends the
// loop. To keep a tensor longer, call [torch.Disown] on it.
//
// # Workers
//
// With [NumWorkers], other goroutines make the batches. Each of these workers makes up to
// [PrefetchFactor] batches ahead. A worker makes a batch in its own scopes; the step's
// scope then owns the batch. However the loop ends, its workers end and their unused
// batches are freed.
//
// # Order
//
// With the same seed and the same number of workers, the loader yields the same batches
// as Python's DataLoader and leaves the random generators in the same state. Each worker
// has its own default generator, seeded as in Python (see [torch.WithGenerator]), so that
// random datasets and transforms draw the same numbers as in Python. [Loader.StateDict] records a
// position in an epoch, from which another process can continue.
//
// # Errors
//
// A dataset that reads files returns errors from TryGet; see [TryDataset]. The loop
// panics with a *torch.Error that names the example and wraps the cause. Functions that
// read files return errors; see [FileError]. Programming mistakes, such as a negative
// batch size or examples that do not stack, panic with a *torch.Error, as operators do.
package data
