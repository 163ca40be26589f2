package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/t5"
)

// seq2seqMakers make models that write a text for a text from their config.json.
var seq2seqMakers = map[string]maker[models.Seq2SeqLM]{"t5": newT5}

func newT5(config []byte, names []string, opts ...models.NewOption) (models.Seq2SeqLM, error) {
	c, err := t5.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	return t5.NewForConditionalGeneration(c.ForFile(names), opts...)
}

// LoadSeq2SeqLM loads a model that writes a text for a text, such as a translation. See
// [LoadCausalLM] for dir and the owner. Follows
// transformers.AutoModelForSeq2SeqLM.from_pretrained.
func LoadSeq2SeqLM(dir string, opts ...models.NewOption) (models.Seq2SeqLM, error) {
	return load("transformers.LoadSeq2SeqLM", dir, seq2seqMakers, opts)
}
