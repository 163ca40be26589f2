// Package whisper has Whisper, which writes down speech, and its features.
//
//	extractor, err := whisper.ParseFeatureExtractor(file) // preprocessor_config.json
//	features := extractor.Extract([][]float32{samples})   // (1, 80, 3000)
//	config, err := whisper.ParseConfig(file) // config.json
//	model, err := whisper.NewForConditionalGeneration(config)
//	logits := model.Forward(features, ids) // (1, T, vocabulary)
//
// Package generation generates text with it. Parameters have the names of transformers.
package whisper
