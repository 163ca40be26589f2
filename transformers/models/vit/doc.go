// Package vit has the vision transformer.
//
//	config, err := vit.ParseConfig(file) // config.json
//	model, err := vit.NewForImageClassification(config)
//	logits := model.Forward(pixels) // (N, channels, height, width) to (N, labels)
//
// Parameters have the names of transformers 5. Files of older versions load with the
// LoadOptions of a model.
package vit
