package main

import (
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// Encoder converts texts to vectors. Texts with similar meanings have vectors that point in
// similar directions.
type Encoder struct {
	Batch     int // maximum number of texts in a forward pass
	tokenizer *Tokenizer
	model     *BERT
	width     int64
}

// OpenEncoder reads vocab.txt and model.safetensors from a directory. The tensors of the
// file become the model's parameters without being copied.
func OpenEncoder(folder string) (*Encoder, error) {
	tokenizer, err := OpenTokenizer(folder)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Open(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // closing the file does not close its tensors
	e := &Encoder{Batch: 32, tokenizer: tokenizer, model: NewBERT(MiniLM), width: MiniLM.Width}
	if _, err := nn.LoadFrom(e.model, file, fromHuggingFace...); err != nil {
		return nil, err
	}
	e.model.Eval()
	e.model.SetRequiresGrad(false)
	return e, nil
}

// Close frees the model.
func (e *Encoder) Close() error { return e.model.Close() }

// Encode returns a tensor of shape (len(texts), C): a vector of length 1 for each text.
// It batches texts of similar length, so that little padding is needed.
func (e *Encoder) Encode(texts []string) *torch.Tensor {
	tokens := make([][]int64, len(texts))
	order := make([]int64, len(texts))
	for i, text := range texts {
		tokens[i], order[i] = e.tokenizer.Encode(text), int64(i)
	}
	slices.SortStableFunc(order, func(i, j int64) int { return len(tokens[j]) - len(tokens[i]) })
	out := torch.Empty(torch.Shape{int64(len(texts)), e.width})
	torch.NoGrad(func() {
		for batch := range slices.Chunk(order, e.Batch) {
			torch.Scope(func() {
				out.IndexCopy_(0, torch.FromSlice(batch), e.vectors(tokens, batch))
			})
		}
	})
	return out
}

// vectors encodes one batch of texts. The first text of the batch must be the longest.
func (e *Encoder) vectors(tokens [][]int64, batch []int64) *torch.Tensor {
	b, t := len(batch), len(tokens[batch[0]])
	ids, counts := make([]int64, b*t), make([]bool, b*t) // IDs that stay 0 are padding, the token [PAD]
	full := true
	for row, i := range batch {
		n := copy(ids[row*t:], tokens[i])
		for j := range n {
			counts[row*t+j] = true
		}
		full = full && n == t
	}
	input := torch.FromSlice(ids, int64(b), int64(t))
	if full {
		return F.Normalize(e.model.Forward(input, nil).Mean(torch.Dim(1)))
	}
	mask := torch.FromSlice(counts, int64(b), int64(t))
	x := e.model.Forward(input, mask.View(int64(b), 1, 1, int64(t)))
	weights := mask.To(torch.Float32).Unsqueeze(-1) // (B, T, 1)
	mean := x.Mul(weights).Sum(torch.Dim(1)).Div(weights.Sum(torch.Dim(1)))
	return F.Normalize(mean)
}
