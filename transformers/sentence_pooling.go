package transformers

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// pooling makes one vector of the features of a text. Follows
// sentence_transformers.models.Pooling.
type pooling struct {
	modes  []string // their results follow each other in a vector
	prompt bool     // whether tokens of the prompt count
}

type poolingMode struct{ mode, field string }

// poolingModes are the modes in the order in which old files join their results, with the
// fields of these files.
var poolingModes = []poolingMode{
	{"cls", "pooling_mode_cls_token"},
	{"max", "pooling_mode_max_tokens"},
	{"mean", "pooling_mode_mean_tokens"},
	{"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
	{"weightedmean", "pooling_mode_weightedmean_tokens"},
	{"lasttoken", "pooling_mode_lasttoken"},
}

// readPooling reads the folder of a Pooling. hidden is the number of features of the model.
func readPooling(dir string, hidden int64) (pooling, error) {
	b, err := readFile(dir, "config.json")
	if err != nil {
		return pooling{}, err
	}
	p, err := parsePooling(b, hidden)
	if err != nil && !errors.Is(err, torch.ErrUnsupported) {
		err = fmt.Errorf("%w: %w", torch.ErrFormat, err)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", filepath.Join(filepath.Base(dir), "config.json"), err)
	}
	return p, nil
}

// parsePooling reads the config.json of a Pooling.
func parsePooling(b []byte, hidden int64) (pooling, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return pooling{}, err
	}
	p := pooling{prompt: true}
	old := map[string]bool{}
	for name, raw := range fields {
		var err error
		switch {
		case name == "word_embedding_dimension" || name == "embedding_dimension":
			var n int64
			if err = json.Unmarshal(raw, &n); err == nil && n != hidden {
				err = fmt.Errorf("it is %d, but the model has %d features", n, hidden)
			}
		case name == "include_prompt":
			err = json.Unmarshal(raw, &p.prompt)
		case name == "pooling_mode":
			p.modes, err = readModes(raw)
		case strings.HasPrefix(name, "pooling_mode_"):
			var on bool
			err = json.Unmarshal(raw, &on)
			if !slices.ContainsFunc(poolingModes, func(m poolingMode) bool { return m.field == name }) {
				err = fmt.Errorf("%w: there is no such mode", torch.ErrUnsupported)
			}
			old[name] = on
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.modes == nil {
		for _, m := range poolingModes {
			if old[m.field] {
				p.modes = append(p.modes, m.mode)
			}
		}
	}
	if p.modes == nil {
		p.modes = []string{"mean"}
	}
	return p, nil
}

// readModes reads a mode or a list of modes.
func readModes(raw json.RawMessage) (modes []string, err error) {
	var one string
	if string(raw) == "null" {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &one); err == nil {
		modes = []string{one}
	} else if err := json.Unmarshal(raw, &modes); err != nil {
		return nil, err
	}
	if len(modes) == 0 || len(modes) > len(poolingModes) {
		return nil, fmt.Errorf("expected 1 to %d modes, got %d", len(poolingModes), len(modes))
	}
	for _, mode := range modes {
		if !slices.ContainsFunc(poolingModes, func(m poolingMode) bool { return m.mode == mode }) {
			return nil, fmt.Errorf("%w: there is no mode %q", torch.ErrUnsupported, mode)
		}
	}
	return modes, nil
}

// forward makes vectors (N, modes*hidden) of features (N, T, hidden). Tokens of text i are
// those before lengths[i]; the pooling leaves out the first prompts[i].
func (p pooling) forward(x *torch.Tensor, lengths, prompts []int) *torch.Tensor {
	n, t := x.Size(0), x.Size(1)
	at := make([]float32, 0, n*t)
	first, last := make([]int64, n), make([]int64, n)
	for i := range int(n) {
		first[i], last[i] = int64(i)*t+int64(prompts[i]), int64(i)*t+int64(lengths[i])-1
		for k := range int(t) {
			one := float32(0)
			if k >= prompts[i] && k < lengths[i] {
				one = 1
			}
			at = append(at, one)
		}
	}
	mask := torch.FromSlice(at, n, t).To(x.DType()).To(x.Device()).Unsqueeze(-1)
	sum := func(mask *torch.Tensor) (sum, weights *torch.Tensor) {
		return x.Mul(mask).Sum(torch.Dim(1)), mask.Sum(torch.Dim(1)).ClampMin(1e-9)
	}
	tokens := func(index []int64) *torch.Tensor {
		return x.Reshape(n*t, -1).IndexSelect(0, torch.FromSlice(index, n).To(x.Device()))
	}
	out := make([]*torch.Tensor, len(p.modes))
	for i, mode := range p.modes {
		switch mode {
		case "cls":
			out[i] = tokens(first)
		case "max":
			out[i], _ = x.MaskedFill(mask.EqScalar(0), math.Inf(-1)).MaxDim(1)
		case "mean":
			s, w := sum(mask)
			out[i] = s.Div(w)
		case "mean_sqrt_len_tokens":
			s, w := sum(mask)
			out[i] = s.Div(w.Sqrt())
		case "weightedmean":
			s, w := sum(mask.Mul(torch.Arange(1, t+1, x.Device()).To(x.DType()).View(1, t, 1)))
			out[i] = s.Div(w)
		case "lasttoken":
			out[i] = tokens(last)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return torch.Cat(out, 1)
}
