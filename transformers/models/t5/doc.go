// Package t5 has T5 and its relatives, such as Flan-T5.
//
//	config, err := t5.ParseConfig(file) // config.json
//	model, err := t5.NewForConditionalGeneration(config)
//	logits := model.Forward(ids, model.ShiftRight(labels)) // (N, T, vocabulary)
//
// Package generation generates text with it. Parameters have the names of transformers.
package t5
