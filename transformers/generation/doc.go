// Package generation generates text with a model that predicts the next token.
//
//	ids, err := generation.Generate(ctx, model, [][]int64{prompt}, generation.MaxNewTokens(50))
//
//	for id, err := range generation.Stream(ctx, model, prompt, generation.DoSample(true)) {
//		...
//	}
//
// [GenerateSeq2Seq] does the same for models with an encoder, such as T5 and Whisper.
//
// Options are the arguments of transformers' generate, with its defaults: 20 new tokens,
// the most probable token each time. With [DoSample] the same seed gives the same tokens as
// in Python.
//
// # Memory
//
// The keys and values of a generation are allocated once, for the prompt and all new
// tokens: [kvcache.Spec.Bytes] computes their size beforehand. They are freed when the
// generation ends, also if it is cancelled.
package generation
