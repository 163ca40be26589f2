// Package batching collects the requests of many goroutines into batches, so that one
// forward pass of a model answers them. It sits between a server's handlers and the
// model; docs/serving.md shows a complete server.
//
//	b := batching.NewBatcher(model.Forward, batching.MaxBatch(64), batching.MaxDelay(2*time.Millisecond))
//	defer b.Close()
//	y, err := b.Do(ctx, x) // from any number of goroutines
//
// A request is one example, without the batch dimension. The requests of a batch are
// stacked along a new first dimension, and the forward pass returns one row for each.
// Requests of different shapes, dtypes or devices never share a batch.
//
// # When a batch starts
//
// A forward pass starts as soon as one of these holds: MaxBatch requests are queued; as
// many are queued as in the previous pass; or the oldest has waited for MaxDelay. So a
// single client never waits for others, and many clients share few passes. While a pass
// runs, requests for the next one accumulate.
//
// # Errors
//
// The methods of a [Batcher] return errors and do not panic; for a mistake they return a
// *torch.Error. If a forward pass of several requests fails, it is repeated with the two
// halves of the batch, and so on, until the requests that make it fail are isolated. They
// get the error, and all others get their results. A panic with anything but a *torch.Error
// is returned as a [PanicError].
//
// # Ownership
//
// Everything that the forward pass makes is freed when it ends. A result is a new tensor
// that belongs to the innermost scope of the calling goroutine or else to the garbage
// collector. An idle Batcher holds no tensors and no goroutines.
package batching
