package transformers

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/t5"
	"github.com/gotorch/gotorch/transformers/models/vit"
	"github.com/gotorch/gotorch/transformers/models/whisper"
)

// encoders make models without a head from their config.json.
var encoders = map[string]maker[nn.Module]{
	"bert": newBERT, "roberta": newBERT, "xlm-roberta": newBERT, "camembert": newBERT,
	"t5":              made[t5.Config, *t5.Model, nn.Module](t5.ParseConfig, t5.NewModel),
	"vit":             newViT,
	"whisper":         made[whisper.Config, *whisper.Model, nn.Module](whisper.ParseConfig, whisper.NewModel),
	"clip":            made[clip.Config, *clip.Model, nn.Module](clip.ParseConfig, clip.NewModel),
	"clip_text_model": made[clip.TextConfig, *clip.TextModel, nn.Module](clip.ParseTextConfig, clip.NewTextModel),
	"clip_vision_model": made[clip.VisionConfig, *clip.VisionModel, nn.Module](
		clip.ParseVisionConfig, clip.NewVisionModel),
}

func newBERT(config []byte, names []string, opts ...models.NewOption) (nn.Module, error) {
	return newTextBERT(config, names, opts...)
}

func newViT(config []byte, names []string, opts ...models.NewOption) (nn.Module, error) {
	c, err := vit.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	c.AddPoolingLayer = vit.HasPooler(names)
	return vit.NewModel(c, opts...)
}

// LoadModel loads a model without a head from a folder with config.json and weights, as
// Hugging Face's hub has them. If the weights are those of a model with a head, the head is
// left out. The model is in evaluation mode; the caller owns it. It is a pointer to the
// Model of the package of its model_type, below transformers/models:
//
//	m, err := transformers.LoadModel(dir)
//	encoder, ok := m.(models.Encoder) // BERT and its relatives
//	vision, ok := m.(models.ImageEncoder) // ViT
//	both, ok := m.(*clip.Model)
//
// Follows transformers.AutoModel.from_pretrained.
func LoadModel(dir string, opts ...models.NewOption) (nn.Module, error) {
	return load("transformers.LoadModel", dir, encoders, opts)
}
