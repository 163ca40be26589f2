// Package bert has BERT and RoBERTa, and what is BERT by configuration, such as MiniLM and
// the models of sentence-transformers.
//
//	config, err := bert.ParseConfig(file) // config.json
//	model, err := bert.NewModel(config)
//	features, pooled := model.Forward(ids, models.AttentionMask(mask))
//	embeddings := models.MeanPool(features, mask)
//
// Parameters have the names of transformers.
package bert
