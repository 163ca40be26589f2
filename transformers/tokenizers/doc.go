// Package tokenizers reads the file tokenizer.json of the Hugging Face hub. It encodes text
// to token IDs and decodes IDs to text exactly as Python's package tokenizers does.
//
// [FromFile] loads a tokenizer, [Tokenizer.Encode] and [Tokenizer.Decode] use it, and
// [Tokenizer.NewDecodeStream] decodes the tokens of a model one by one. [TrainBPE] trains a
// byte-level BPE tokenizer on your own text.
//
// A Tokenizer is safe for use by several goroutines at once, except that no other call may
// run during [Tokenizer.AddTokens] and [Tokenizer.AddSpecialTokens].
//
// A file that uses a component that this package does not have causes an error that names the
// component, and no component is ignored. Every error of this package is an [*Error].
package tokenizers
