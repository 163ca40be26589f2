// Package gpt2 has GPT-2.
//
//	config, err := gpt2.ParseConfig(file) // config.json
//	model, err := gpt2.NewForCausalLM(config)
//	logits := model.Forward(ids) // (N, T) to (N, T, vocabulary)
//
// Parameters have the names of transformers.
package gpt2
