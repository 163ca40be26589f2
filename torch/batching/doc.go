// Package batching collects the requests of many goroutines into batches, so that a
// model answers them with one forward pass. It is the part between a server's handlers
// and the model; docs/serving.md shows a whole server.
//
//	b := batching.NewBatcher(model.Forward, batching.MaxBatch(64), batching.MaxDelay(2*time.Millisecond))
//	defer b.Close()
//	y, err := b.Do(ctx, x) // from any number of goroutines
//
// A request is one example, without the dimension of the batch. The requests of a batch
// are stacked along a new first dimension, and the forward pass returns as many results
// along its first one. Requests of different shapes, dtypes or devices are never in one
// batch.
//
// # When a batch starts
//
// A forward pass starts as soon as nothing is gained by waiting: MaxBatch requests are
// there, or as many as came for the pass before, or the oldest has waited for MaxDelay.
// So a client that is alone never waits for others, and a crowd is served in few passes.
// While a pass runs, the requests of the next one gather.
//
// # Errors
//
// The methods of a [Batcher] return errors and do not panic; what they return for a
// mistake is a *torch.Error. If a forward pass of several requests fails, it is repeated
// with the two halves of the batch, and so on, until those that make it fail are alone:
// they get the error, and all others their results. A panic that is no *torch.Error
// reaches the caller as a [PanicError].
//
// # Ownership
//
// What the forward pass makes is freed when it ends. A result belongs to the innermost
// scope of the goroutine that asked for it, else to the collector, as that of any
// operator, and shares memory with nothing else. A Batcher that has nothing to do holds
// no tensor and no goroutine.
package batching
