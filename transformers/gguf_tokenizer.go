package transformers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

type object = map[string]any

// The kinds of token in a GGUF file.
const (
	kindControl = 3
	kindUser    = 4
)

// The patterns that split a text into words before merges are applied. A file names one of
// them.
const (
	gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	llama3    = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|` +
		`\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|` +
		`\s*[\r\n]+|\s+(?!\S)|\s+`
)

// vocabulary is the tokenizer of a GGUF file.
type vocabulary struct {
	model, pre     string
	tokens, merges []string
	kinds          []int64
	scores         []float64
	bos, eos       int64
	addBOS         bool
}

// tokenizerOfGGUF returns the tokenizer that a file has in its metadata.
func tokenizerOfGGUF(f *gguf.File) (*tokenizers.Tokenizer, error) {
	v := vocabulary{bos: -1, eos: -1}
	v.model, _ = f.String("tokenizer.ggml.model")
	v.pre, _ = f.String("tokenizer.ggml.pre")
	v.tokens, _ = f.Strings("tokenizer.ggml.tokens")
	v.merges, _ = f.Strings("tokenizer.ggml.merges")
	v.kinds, _ = f.Ints("tokenizer.ggml.token_type")
	v.scores, _ = f.Floats("tokenizer.ggml.scores")
	if id, ok := f.Int("tokenizer.ggml.bos_token_id"); ok {
		v.bos = id
	}
	v.addBOS = v.model == "llama" || v.pre == "llama-bpe"
	if add, ok := f.Bool("tokenizer.ggml.add_bos_token"); ok {
		v.addBOS = add
	}
	if len(v.tokens) == 0 || len(v.kinds) != 0 && len(v.kinds) != len(v.tokens) {
		return nil, fmt.Errorf("%w: a vocabulary of %d tokens and %d kinds", torch.ErrFormat, len(v.tokens),
			len(v.kinds))
	}
	if v.bos >= int64(len(v.tokens)) || v.addBOS && v.bos < 0 {
		return nil, fmt.Errorf("%w: the first token of a text is %d, of %d", torch.ErrFormat, v.bos, len(v.tokens))
	}
	var file object
	var err error
	switch v.model {
	case "gpt2":
		file, err = v.byteLevel()
	case "llama":
		file, err = v.sentencePieces()
	default:
		err = fmt.Errorf("%w: the tokenizer %q; gpt2 and llama are supported", torch.ErrUnsupported, v.model)
	}
	if err != nil {
		return nil, err
	}
	v.complete(file)
	b, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return tokenizers.FromBytes(b)
}

func split(pattern string) object {
	return object{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": "Isolated", "invert": false}
}

// byteLevel returns a tokenizer of byte pairs, as GPT-2 has it.
func (v vocabulary) byteLevel() (object, error) {
	var steps []object
	switch v.pre {
	case "", "default", "gpt-2", "phi-2":
		steps = append(steps, split(gpt2Words))
	case "llama-bpe", "llama3", "llama-v3":
		steps = append(steps, split(llama3))
	case "qwen2", "deepseek-r1-qwen":
		steps = append(steps, split(qwen2))
	case "smollm", "starcoder", "refact", "command-r":
		steps = append(steps, object{"type": "Digits", "individual_digits": true}, split(gpt2Words))
	default:
		return nil, fmt.Errorf("%w: tokenizer.ggml.pre %q", torch.ErrUnsupported, v.pre)
	}
	bytes := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}
	return object{
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": append(steps, bytes)},
		"decoder":       bytes,
		"model": object{
			"type": "BPE", "vocab": v.ids(), "merges": v.merges, "ignore_merges": v.pre == "llama-bpe",
		},
	}, nil
}

// sentencePieces returns a tokenizer of SentencePiece's byte pairs, as Llama 2 has it.
func (v vocabulary) sentencePieces() (object, error) {
	if len(v.scores) != len(v.tokens) {
		return nil, fmt.Errorf("%w: %d scores for %d tokens", torch.ErrFormat, len(v.scores), len(v.tokens))
	}
	merges, err := v.pieceMerges()
	if err != nil {
		return nil, err
	}
	return object{
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "Prepend", "prepend": "▁"},
			{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"},
		}},
		"decoder": object{"type": "Sequence", "decoders": []object{
			{"type": "Replace", "pattern": object{"String": "▁"}, "content": " "},
			{"type": "ByteFallback"},
			{"type": "Fuse"},
			{"type": "Strip", "content": " ", "start": 1, "stop": 0},
		}},
		"model": object{
			"type": "BPE", "vocab": v.ids(), "merges": merges, "byte_fallback": true, "fuse_unk": true,
			"unk_token": v.tokens[0],
		},
	}, nil
}

// pieceMerges returns the merges that lead to each piece, in the order of the pieces'
// scores.
func (v vocabulary) pieceMerges() ([][2]string, error) {
	type merge struct {
		parts [2]string
		score float64
	}
	ids := v.ids()
	var all []merge
	total := 1 << 20
	for _, piece := range v.tokens {
		if total += mergesPerPiece * len(piece); len(piece) > maxPiece {
			return nil, fmt.Errorf("%w: a token of %d bytes; the limit is %d", torch.ErrFormat, len(piece), maxPiece)
		}
	}
	for i, piece := range v.tokens {
		var own []merge
		for at := range piece {
			_, first := ids[piece[:at]]
			_, second := ids[piece[at:]]
			if at > 0 && first && second {
				own = append(own, merge{[2]string{piece[:at], piece[at:]}, v.scores[i]})
			}
		}
		if total -= len(own) * len(piece); total < 0 {
			return nil, fmt.Errorf("%w: the tokens have too many merges", torch.ErrFormat)
		}
		slices.SortStableFunc(own, func(a, b merge) int {
			return cmp.Or(cmp.Compare(ids[a.parts[0]], ids[b.parts[0]]), cmp.Compare(ids[a.parts[1]], ids[b.parts[1]]))
		})
		all = append(all, own...)
	}
	slices.SortStableFunc(all, func(a, b merge) int { return cmp.Compare(b.score, a.score) })
	out := make([][2]string, len(all))
	for i, m := range all {
		out[i] = m.parts
	}
	return out, nil
}

// Limits of the pieces. Without them, a small file could ask for much memory and time.
const (
	maxPiece       = 1024
	mergesPerPiece = 32 // on average
)

func (v vocabulary) ids() map[string]int {
	ids := make(map[string]int, len(v.tokens))
	for i, t := range v.tokens {
		ids[t] = i
	}
	return ids
}

// complete adds the special tokens, and the first token of each text.
func (v vocabulary) complete(file object) {
	var added []object
	for i, k := range v.kinds {
		if k == kindControl || k == kindUser {
			added = append(added, object{
				"id": i, "content": v.tokens[i], "special": k == kindControl,
				"single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
			})
		}
	}
	file["version"], file["added_tokens"] = "1.0", added
	if v.addBOS {
		bos := v.tokens[v.bos]
		first := object{"SpecialToken": object{"id": bos, "type_id": 0}}
		text := object{"Sequence": object{"id": "A", "type_id": 0}}
		second := object{"Sequence": object{"id": "B", "type_id": 1}}
		file["post_processor"] = object{
			"type": "TemplateProcessing", "single": []object{first, text}, "pair": []object{first, text, first, second},
			"special_tokens": object{bos: object{"id": bos, "ids": []int64{v.bos}, "tokens": []string{bos}}},
		}
	}
}
