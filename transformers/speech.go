package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/whisper"
)

// speechMakers make models that write down speech from their config.json.
var speechMakers = map[string]maker[models.Seq2SeqLM]{
	"whisper": made[whisper.Config, *whisper.ForConditionalGeneration, models.Seq2SeqLM](
		whisper.ParseConfig, whisper.NewForConditionalGeneration),
}

// LoadSpeechSeq2Seq loads a model that writes down speech. See [LoadCausalLM] for dir and
// the owner. Follows transformers.AutoModelForSpeechSeq2Seq.from_pretrained.
func LoadSpeechSeq2Seq(dir string, opts ...models.NewOption) (models.Seq2SeqLM, error) {
	return load("transformers.LoadSpeechSeq2Seq", dir, speechMakers, opts)
}
