// Package serving generates text and computes embeddings for many clients at once.
//
//	engine := serving.NewEngine(model, serving.CacheTokens(32768))
//	defer engine.Close()
//	for id, err := range engine.Submit(ctx, prompt, seed, generation.MaxNewTokens(100)) {
//		...
//	}
//
// One goroutine runs the model. Each of its steps advances all texts by a token and passes
// a part of the waiting prompts through the model, so short requests do not wait for long
// ones. The keys and values are in a pool of fixed size: a request that does not fit waits,
// and one that can never fit, or that finds the queue full, gets an error.
//
// An [Embedder] computes embeddings in the same way: one goroutine runs the model with batches
// of the texts of all clients. A [Server] answers HTTP requests with one of them, or both.
package serving
