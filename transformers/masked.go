package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
)

// maskedMakers make models that predict masked tokens from their config.json.
var maskedMakers = map[string]maker[models.MaskedLM]{
	"bert": newMaskedBERT, "roberta": newMaskedBERT, "xlm-roberta": newMaskedBERT, "camembert": newMaskedBERT,
}

var newMaskedBERT = made[bert.Config, *bert.ForMaskedLM, models.MaskedLM](bert.ParseConfig, bert.NewForMaskedLM)

// LoadMaskedLM loads a model that predicts masked tokens. See [LoadCausalLM] for dir and the
// owner. Follows transformers.AutoModelForMaskedLM.from_pretrained.
func LoadMaskedLM(dir string, opts ...models.NewOption) (models.MaskedLM, error) {
	return load("transformers.LoadMaskedLM", dir, maskedMakers, opts)
}
