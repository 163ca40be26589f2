package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/vit"
)

// imageMakers make models that classify images from their config.json.
var imageMakers = map[string]maker[models.ImageClassifier]{
	"clip": made[clip.Config, *clip.ForImageClassification, models.ImageClassifier](
		clip.ParseConfig, clip.NewForImageClassification),
	"vit": made[vit.Config, *vit.ForImageClassification, models.ImageClassifier](
		vit.ParseConfig, vit.NewForImageClassification),
}

// LoadImageClassification loads a model that classifies images. See
// [LoadSequenceClassification]. Follows
// transformers.AutoModelForImageClassification.from_pretrained.
func LoadImageClassification(dir string, opts ...models.NewOption) (models.ImageClassifier, error) {
	return load("transformers.LoadImageClassification", dir, imageMakers, opts)
}
