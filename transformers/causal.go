package transformers

import (
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// tied is a model whose parameters may share memory.
type tied interface{ TieWeights() }

var (
	newGPT2  = made[gpt2.Config, *gpt2.ForCausalLM, models.CausalLM](gpt2.ParseConfig, gpt2.NewForCausalLM)
	newLlama = made[llama.Config, *llama.ForCausalLM, models.CausalLM](llama.ParseConfig, llama.NewForCausalLM)
)

// causalModels make the models that predict a next token.
var causalModels = map[string]maker[models.CausalLM]{
	"gpt2": newGPT2, "llama": newLlama, "mistral": newLlama, "qwen2": newLlama, "qwen3": newLlama, "smollm3": newLlama,
}

// LoadCausalLM loads a model that predicts the next token from a folder with config.json and
// weights, as Hugging Face's hub has them. The model types are gpt2, llama, mistral, qwen2,
// qwen3 and smollm3. By default the parameters have the dtypes of the file and are on the
// CPU. The model is in evaluation mode; the caller closes it.
//
// The error is torch.ErrUnsupported for other models, and torch.ErrFormat for a damaged
// config.json; see package weights for errors of the weights. LoadCausalLM panics with
// ErrNil for a nil option. Follows transformers.AutoModelForCausalLM.from_pretrained.
func LoadCausalLM(dir string, opts ...models.NewOption) (models.CausalLM, error) {
	return load("transformers.LoadCausalLM", dir, causalModels, opts)
}
