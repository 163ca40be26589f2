package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/t5"
)

// textEncoders make models that compute features of texts from their config.json.
var textEncoders = map[string]maker[models.Encoder]{
	"bert": newTextBERT, "roberta": newTextBERT, "xlm-roberta": newTextBERT, "camembert": newTextBERT,
	"clip_text_model": made[clip.TextConfig, *clip.TextModel, models.Encoder](clip.ParseTextConfig, clip.NewTextModel),
	"t5":              made[t5.Config, *t5.EncoderModel, models.Encoder](t5.ParseEncoderConfig, t5.NewEncoderModel),
}

func newTextBERT(config []byte, names []string, opts ...models.NewOption) (models.Encoder, error) {
	c, err := bert.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	c.AddPoolingLayer = bert.HasPooler(names)
	return bert.NewModel(c, opts...)
}

// LoadTextEncoding loads a model that computes features of texts, such as embeddings. Of a
// model with a decoder it loads the encoder. See [LoadCausalLM] for dir and the owner.
// Follows transformers.AutoModelForTextEncoding.from_pretrained.
func LoadTextEncoding(dir string, opts ...models.NewOption) (models.Encoder, error) {
	return load("transformers.LoadTextEncoding", dir, textEncoders, opts)
}
