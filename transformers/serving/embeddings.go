package serving

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
)

// maxInputs is the largest number of texts of a request for embeddings, as OpenAI has it.
const maxInputs = 2048

// An embeddingRequest is what a client asks for.
type embeddingRequest struct {
	texts  []transformers.Tokens
	format func([]float32) any
	width  int64
}

// embeddings answers POST /v1/embeddings.
func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) error {
	var q embeddingRequest
	err := s.prepare(r, func(body []byte) (err error) {
		q, err = s.readEmbeddings(body)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.Embedder.reserve(len(q.texts)); err != nil {
		return err
	}
	defer s.Embedder.release(len(q.texts)) // after the answer is written
	rows, err := s.Embedder.embed(r.Context(), q.texts)
	if err != nil {
		return err
	}
	data, tokens := make([]object, len(rows)), 0
	for i, row := range rows {
		data[i] = object{"object": "embedding", "index": i, "embedding": q.format(unit(row[:q.width]))}
		tokens += len(q.texts[i].IDs)
	}
	// A client that does not read must not keep the places of its texts.
	err = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	reply(w, object{
		"object": "list", "data": data, "model": s.EmbeddingsName,
		"usage": object{"prompt_tokens": tokens, "total_tokens": tokens},
	})
	return nil
}

func (s *Server) readEmbeddings(body []byte) (r embeddingRequest, err error) {
	var q struct {
		Model          string          `json:"model"`
		Input          json.RawMessage `json:"input"`
		EncodingFormat string          `json:"encoding_format"`
		Dimensions     *int64          `json:"dimensions"`
		Truncate       bool            `json:"truncate"` // not OpenAI's
	}
	if err := decode(body, &q); err != nil {
		return r, err
	}
	if s.Embedder == nil {
		return r, problem{http.StatusNotFound, "not_found", "", "the server has no model for embeddings"}
	}
	if q.Model != "" && q.Model != s.EmbeddingsName {
		return r, unknownModel(q.Model)
	}
	r.format = floats
	switch q.EncodingFormat {
	case "", "float":
	case "base64":
		r.format = inBase64
	default:
		return r, bad("encoding_format", `encoding_format: expected "float" or "base64", got %q`, q.EncodingFormat)
	}
	r.width = s.Embedder.m.EmbeddingDimension()
	if d := q.Dimensions; d != nil {
		if *d < 1 || *d > r.width {
			return r, bad("dimensions", "dimensions: expected a number from 1 to %d, got %d", r.width, *d)
		}
		r.width = *d
	}
	r.texts, err = s.inputs(q.Input, q.Truncate)
	return r, err
}

// unit divides a vector by its length. All of OpenAI's embeddings have length 1.
func unit(x []float32) []float32 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if norm := math.Sqrt(sum); norm > 0 {
		for i := range x {
			x[i] = float32(float64(x[i]) / norm)
		}
	}
	return x
}

func floats(x []float32) any { return x }

func inBase64(x []float32) any {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// inputs returns the tokens of the input of a request: a text, a list of texts, a list of tokens
// or a list of these.
func (s *Server) inputs(raw json.RawMessage, truncates bool) ([]transformers.Tokens, error) {
	var texts generation.Strings
	var one []int64
	var all [][]int64
	many := func(n int) error {
		if most := min(maxInputs, s.Embedder.most); n < 1 || n > most {
			return bad("input", "input: expected 1 to %d texts, got %d", most, n)
		}
		return nil
	}
	switch {
	case len(raw) > 0 && json.Unmarshal(raw, &texts) == nil && texts != nil:
		if err := many(len(texts)); err != nil {
			return nil, err
		}
		tokens, err := s.Embedder.m.Tokenize(texts, transformers.Truncation(truncates))
		if err != nil {
			return nil, tooLong(err)
		}
		return tokens, s.checkInputs(tokens)
	case json.Unmarshal(raw, &one) == nil && one != nil:
		all = [][]int64{one}
	case json.Unmarshal(raw, &all) != nil || all == nil:
		return nil, bad("input", "input: expected a text, tokens, or a list of these")
	}
	if err := many(len(all)); err != nil {
		return nil, err
	}
	tokens := make([]transformers.Tokens, len(all))
	for i, ids := range all {
		if longest := int(min(s.Embedder.MaxLength(), math.MaxInt)); truncates && len(ids) > longest {
			ids = ids[:longest]
		}
		tokens[i].IDs = ids
	}
	return tokens, s.checkInputs(tokens)
}

// checkInputs reports a text that the model cannot take.
func (s *Server) checkInputs(tokens []transformers.Tokens) error {
	for i, text := range tokens {
		if n := len(text.IDs); int64(n) > s.Embedder.MaxLength() {
			return problem{
				http.StatusBadRequest, "context_length_exceeded", "input",
				fmt.Sprintf("input: text %d has %d tokens; at most %d fit", i, n, s.Embedder.MaxLength()),
			}
		}
		if len(text.IDs) == 0 {
			return bad("input", "input: text %d has no tokens", i)
		}
		for _, id := range text.IDs {
			if n := s.Embedder.m.VocabSize(); id < 0 || id >= n {
				return bad("input", "input: text %d: token %d is not in the vocabulary of %d", i, id, n)
			}
		}
	}
	return nil
}

// tooLong returns what a client is told about a text that the tokenizer refuses.
func tooLong(err error) error {
	if errors.Is(err, generation.ErrTooLong) {
		_, detail, _ := strings.Cut(err.Error(), generation.ErrTooLong.Error()+": ")
		return problem{http.StatusBadRequest, "context_length_exceeded", "input", "input: " + detail}
	}
	return bad("input", "input: %v", err)
}
