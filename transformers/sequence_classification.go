package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
)

// sequenceMakers make models that classify texts from their config.json.
var sequenceMakers = map[string]maker[models.SequenceClassifier]{
	"bert": newSequenceBERT, "roberta": newSequenceBERT, "xlm-roberta": newSequenceBERT, "camembert": newSequenceBERT,
}

var newSequenceBERT = made[bert.Config, *bert.ForSequenceClassification, models.SequenceClassifier](
	bert.ParseConfig, bert.NewForSequenceClassification)

// LoadSequenceClassification loads a model that classifies texts. See [LoadCausalLM] for dir
// and the owner. The weights must have those of the head. To train a new head, make the
// model with the package of its type and load only its body. Follows
// transformers.AutoModelForSequenceClassification.from_pretrained.
func LoadSequenceClassification(dir string, opts ...models.NewOption) (models.SequenceClassifier, error) {
	return load("transformers.LoadSequenceClassification", dir, sequenceMakers, opts)
}
