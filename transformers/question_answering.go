package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
)

// answerMakers make models that find answers from their config.json.
var answerMakers = map[string]maker[models.QuestionAnswerer]{
	"bert": newAnswerBERT, "roberta": newAnswerBERT, "xlm-roberta": newAnswerBERT, "camembert": newAnswerBERT,
}

var newAnswerBERT = made[bert.Config, *bert.ForQuestionAnswering, models.QuestionAnswerer](
	bert.ParseConfig, bert.NewForQuestionAnswering)

// LoadQuestionAnswering loads a model that finds answers in texts. See
// [LoadSequenceClassification]. Follows
// transformers.AutoModelForQuestionAnswering.from_pretrained.
func LoadQuestionAnswering(dir string, opts ...models.NewOption) (models.QuestionAnswerer, error) {
	return load("transformers.LoadQuestionAnswering", dir, answerMakers, opts)
}
