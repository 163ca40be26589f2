package transformers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// golden has the tensors that a script wrote for a model. It compares results with them
// and remembers the largest difference.
type golden struct {
	t     *testing.T
	f     *safetensors.File
	worst float64
	equal int // results that are equal bit for bit
	all   int
}

func openGolden(t *testing.T, dir string) *golden {
	t.Helper()
	f, err := safetensors.Open(filepath.Join(dir, "cases.safetensors"))
	require.NoError(t, err)
	g := &golden{t: t, f: f}
	t.Cleanup(func() {
		require.NoError(t, f.Close())
		t.Logf("%d of %d results are equal bit for bit, the largest difference is %.2g", g.equal, g.all, g.worst)
	})
	return g
}

func (g *golden) get(name string) *torch.Tensor {
	g.t.Helper()
	x, err := g.f.Tensor(name)
	require.NoError(g.t, err)
	return x
}

// optional returns nil if there is no such tensor.
func (g *golden) optional(name string) *torch.Tensor {
	x, err := g.f.Tensor(name)
	if err != nil {
		return nil
	}
	return x
}

func (g *golden) check(name string, got *torch.Tensor) {
	g.t.Helper()
	want := g.get(name)
	torchtest.AllClose(g.t, want, got, torchtest.ATol(2e-6), torchtest.RTol(1e-5))
	g.all++
	if want.Equal(got) {
		g.equal++
		return
	}
	g.worst = max(g.worst, want.Sub(got).Abs().Max().Item())
}

// gradients compares the gradients of a loss. A parameter without a gradient in Python must
// have none in Go.
func (g *golden) gradients(m nn.Module, loss *torch.Tensor) {
	g.t.Helper()
	assert.InDelta(g.t, g.get("loss").Item(), loss.Item(), 2e-6)
	loss.Backward()
	for _, name := range g.f.Names() {
		if at, ok := strings.CutPrefix(name, "grad."); ok {
			if p := m.ModuleBase().GetParameter(at); assert.NotNil(g.t, p.Grad(), at) {
				torchtest.AllClose(g.t, g.get(name), p.Grad(), torchtest.ATol(2e-6), torchtest.RTol(1e-4))
			}
		}
	}
	for _, p := range m.ModuleBase().NamedParameters() {
		if g.optional("grad."+p.Name) == nil {
			assert.Nil(g.t, p.Tensor.Grad(), p.Name)
		}
	}
}

// Outputs, losses and gradients of BERT and its relatives with random weights equal
// Python's for every head, with and without padding. Files of old versions load, too.
func TestBERTEqualsPython(t *testing.T) {
	dir, names := written(t, "bert")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			m, run, loss := loadBERT(t, filepath.Join(dir, name), name[strings.LastIndex(name, ".")+1:])
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, filepath.Join(dir, name))
				ids, padded, mask := g.get("ids"), g.get("padded"), models.AttentionMask(g.get("mask"))
				check := func(prefix string, results map[string]*torch.Tensor) {
					for name, x := range results {
						g.check(prefix+"."+name, x)
					}
				}
				check("plain", run(ids))
				check("masked", run(padded, mask))
				check("types", run(ids, models.TokenTypeIDs(g.get("types"))))
				check("positions", run(ids, models.PositionIDs(g.get("positions"))))
				torch.NoGrad(func() {
					for name, x := range run(ids) { // kernels for few tokens differ in the last bits
						torchtest.AllClose(t, g.get("plain."+name), x, torchtest.ATol(2e-6), torchtest.RTol(1e-5))
					}
				})
				g.gradients(m, loss(g, run(padded, mask)))
			})
		})
	}
}

type bertRun = func(ids *torch.Tensor, opts ...models.EncoderOption) map[string]*torch.Tensor

type bertLoss = func(*golden, map[string]*torch.Tensor) *torch.Tensor

func loadBERT(t *testing.T, dir, head string) (m nn.Module, run bertRun, loss bertLoss) {
	t.Helper()
	logits := func(forward func(*torch.Tensor, ...models.EncoderOption) *torch.Tensor) bertRun {
		return func(ids *torch.Tensor, opts ...models.EncoderOption) map[string]*torch.Tensor {
			return map[string]*torch.Tensor{"logits": forward(ids, opts...)}
		}
	}
	tokens := func(g *golden, out map[string]*torch.Tensor) *torch.Tensor {
		return models.TokenLoss(out["logits"], g.get("labels"))
	}
	switch head {
	case "model":
		m, err := transformers.LoadModel(dir)
		require.NoError(t, err)
		run = func(ids *torch.Tensor, opts ...models.EncoderOption) map[string]*torch.Tensor {
			features, pooled := m.(models.Encoder).Forward(ids, opts...)
			return map[string]*torch.Tensor{"last_hidden_state": features, "pooler_output": pooled}
		}
		return m, run, func(_ *golden, out map[string]*torch.Tensor) *torch.Tensor {
			return out["last_hidden_state"].PowScalar(2).Mean().Add(out["pooler_output"].PowScalar(2).Mean())
		}
	case "masked":
		m, err := transformers.LoadMaskedLM(dir)
		require.NoError(t, err)
		return m, logits(m.Forward), tokens
	case "token":
		m, err := transformers.LoadTokenClassification(dir)
		require.NoError(t, err)
		return m, logits(m.Forward), tokens
	case "sequence":
		m, err := transformers.LoadSequenceClassification(dir)
		require.NoError(t, err)
		return m, logits(m.Forward), func(g *golden, out map[string]*torch.Tensor) *torch.Tensor {
			c := m.(*bert.ForSequenceClassification).Config
			assert.Len(t, m.Labels(), int(out["logits"].Size(-1)))
			return c.Labels.Loss(out["logits"], g.get("labels"))
		}
	case "answer":
		m, err := transformers.LoadQuestionAnswering(dir)
		require.NoError(t, err)
		run = func(ids *torch.Tensor, opts ...models.EncoderOption) map[string]*torch.Tensor {
			start, end := m.Forward(ids, opts...)
			return map[string]*torch.Tensor{"start_logits": start, "end_logits": end}
		}
		return m, run, func(g *golden, out map[string]*torch.Tensor) *torch.Tensor {
			return models.SpanLoss(out["start_logits"], out["end_logits"], g.get("start_positions"),
				g.get("end_positions"))
		}
	}
	t.Fatalf("unknown head %q", head)
	return nil, nil, nil
}

// The features and embeddings of all-MiniLM-L6-v2 equal Python's.
func TestMiniLMEqualsPython(t *testing.T) {
	script := filepath.Join("..", "scripts", "get_minilm.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("all-MiniLM-L6-v2 is not there: run scripts/get_minilm.sh")
	}
	weights, dir := strings.TrimSpace(string(out)), t.TempDir()
	for _, name := range []string{"model.safetensors", "tokenizer.json"} {
		require.NoError(t, os.Symlink(filepath.Join(weights, name), filepath.Join(dir, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"model_type": "bert", "hidden_size": 384,
		"num_hidden_layers": 6, "intermediate_size": 1536}`), 0o600))
	lines := filepath.Join("..", "examples", "embed", "sentences.txt")
	pythontest.Run(t, pythontest.Interpreter(t, "torch", "transformers", "tokenizers"), "", "models/testdata/minilm.py",
		dir, lines, filepath.Join(dir, "cases.safetensors"))
	defer torchtest.CheckLeaks(t)()

	m, err := transformers.LoadModel(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.ModuleBase().Close()) }()
	torch.Scope(func() {
		g := openGolden(t, dir)
		ids, mask := encodeLines(t, filepath.Join(dir, "tokenizer.json"), lines)
		require.True(t, g.get("ids").Equal(ids))
		require.True(t, g.get("mask").Equal(mask))
		torch.NoGrad(func() {
			features, pooled := m.(models.Encoder).Forward(ids, models.AttentionMask(mask))
			require.NotNil(t, pooled)
			g.check("features", features)
			g.check("embeddings", F.Normalize(models.MeanPool(features, mask)))
		})
	})
}

// encodeLines returns the token IDs of the lines of a file, with padding, and their mask.
func encodeLines(t *testing.T, tokenizer, path string) (ids, mask *torch.Tensor) {
	t.Helper()
	tok, err := tokenizers.FromFile(tokenizer)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var rows [][]int64
	width := 0
	for line := range strings.Lines(string(text)) {
		e, err := tok.Encode(strings.TrimSuffix(line, "\n"))
		require.NoError(t, err)
		n := slices.Index(e.AttentionMask, 0) // the file of the tokenizer asks for padding
		if n < 0 {
			n = e.Len()
		}
		rows = append(rows, e.IDs[:n])
		width = max(width, n)
	}
	var all []int64
	for _, r := range rows {
		all = append(append(all, r...), make([]int64, width-len(r))...)
	}
	ids = torch.FromSlice(all, int64(len(rows)), int64(width))
	return ids, ids.NeScalar(0).Long()
}
