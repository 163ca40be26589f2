// Package llama has Llama and the models that differ from it by configuration: Mistral,
// Qwen2, Qwen3, SmolLM2 and SmolLM3.
//
//	config, err := llama.ParseConfig(file) // config.json
//	model, err := llama.NewForCausalLM(config)
//	logits := model.Forward(ids) // (N, T) to (N, T, vocabulary)
//
// Parameters have the names of transformers.
package llama
