package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
)

// tokenMakers make models that classify tokens from their config.json.
var tokenMakers = map[string]maker[models.TokenClassifier]{
	"bert": newTokenBERT, "roberta": newTokenBERT, "xlm-roberta": newTokenBERT, "camembert": newTokenBERT,
}

var newTokenBERT = made[bert.Config, *bert.ForTokenClassification, models.TokenClassifier](
	bert.ParseConfig, bert.NewForTokenClassification)

// LoadTokenClassification loads a model that classifies tokens. See
// [LoadSequenceClassification]. Follows
// transformers.AutoModelForTokenClassification.from_pretrained.
func LoadTokenClassification(dir string, opts ...models.NewOption) (models.TokenClassifier, error) {
	return load("transformers.LoadTokenClassification", dir, tokenMakers, opts)
}
