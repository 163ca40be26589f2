// Package clip has CLIP, which compares texts with images.
//
//	config, err := clip.ParseConfig(file) // config.json
//	model, err := clip.NewModel(config)
//	out := model.Forward(ids, pixels)
//	p := out.LogitsPerImage.Softmax(-1) // (images, texts)
//
// Parameters have the names of transformers.
package clip
