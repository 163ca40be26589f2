package tokenizers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers/tokenizers"
	"github.com/stretchr/testify/require"
)

// A golden is an encoding of Python.
type golden struct {
	IDs     []int64  `json:"ids"`
	Types   []int64  `json:"types"`
	Mask    []int64  `json:"mask"`
	Special []int64  `json:"special"`
	Tokens  []string `json:"tokens"`
	Offsets [][2]int `json:"offsets"`
	Words   []int    `json:"words"`
	Text    string   `json:"text"`
	All     string   `json:"all"`
	Stream  *string  `json:"stream"`
	Input   string   `json:"input"`
}

// A row is a request to testdata/oracle.py.
type row struct {
	Tokenizer string      `json:"tokenizer"`
	Texts     []string    `json:"texts,omitempty"`
	Lines     int         `json:"lines,omitempty"`
	Pairs     [][2]string `json:"pairs,omitempty"`
	MaxLength int         `json:"max_length,omitempty"`
	Side      string      `json:"side,omitempty"`
	Special   *bool       `json:"special,omitempty"`
	JSON      string      `json:"json,omitempty"` // in place of Tokenizer
}

func (r row) options() []tokenizers.EncodeOption {
	var opts []tokenizers.EncodeOption
	if r.MaxLength > 0 {
		opts = append(opts, tokenizers.MaxLength(r.MaxLength))
		if r.Side != "" {
			opts = append(opts, tokenizers.TruncationSide(r.Side))
		}
	}
	if r.Special != nil {
		opts = append(opts, tokenizers.AddSpecialTokens(*r.Special))
	}
	return opts
}

// hostile are texts that tokenizers tend to get wrong.
var hostile = []string{
	"", " ", "   ", "\n", "\r\n", "\t \n", "a", " a", "a ", "  a  b   ", "\u00a0x\u3000y\u2028z\u0085w",
	"e\u0301e\u0301\u0323 a\u0323\u0301 \u0301\u0323x \u1100\u1161\u11a8 \uac01\u11a8",
	"\u0344\u0f73\u0f75\u0f81 \u212b\u2126",
	"\u200b\u200c\u200d\u2060\ufeff\u00ad", "\x00\x01\x02\x7f\u0080\u009f", "\ufffd\ufffe\uffff\U0010ffff\ue000",
	"<s></s><mask>  <mask> <r>  x<tool>y", "<|endoftext|><|endoftext|> <|begin_of_text|>a<|eot_id|>",
	"[CLS] [SEP][MASK] [PAD]",
	"naïve naïvety xnaïve (naïve)", "<unk><extra><0x41><0xE2>", "Größe größe FuchsFuchs",
	"\u0130stanbul \u1e9e \u03a3\u03c3\u03c2 \u01c5 \u0149 \ufb01 \u1fb3\u03a9\u0399",
	"don't DON'T 'S 's I'll'll 'ſ \u2019s",
	"\u1e0a\u0323 \u0958 \u2adc \U0001d15e \U0002f800 \ufdfa \u00bd\u2460\u3392", "👨‍👩‍👧‍👦👍🏽🇩🇪🇫🇷",
	"a\u0300\u0301\u0302\u0303\u0304b",
	"12345678901234567890 1.5e-10 ٣٤٥ Ⅷ²", "...!!!???---___===", "　全角　ＡＢＣ、。「」",
	"A\u00adB\u200bC\u2581D \u2581 \u2581\u2581x",
	"x\u0301\u0300 \u0e01\u0e33 \r\n\r\n  \n\n a\n b", "\u0915\u094d\u0937 \u0d15\u0d4d\u200d",
	"\u4e00\u9fff\u3400\U00020000\U0002b920\uf900",
	"ġĠĊ Ġ ĉ", "</w> a</w>b", "##a ## #", "\u1160\u11a7\u115f", "\U0001f1e9 e\u0301 Ä ﬁ①\u00ad65", "a|b | <pad><pad>c",
}

func tokenizerFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		if filepath.Base(f) != "goldens.json" {
			out = append(out, f)
		}
	}
	return append(out, strings.Fields(os.Getenv("GOTORCH_TOKENIZERS"))...)
}

func load(t testing.TB, path string) *tokenizers.Tokenizer {
	t.Helper()
	tok, err := tokenizers.FromFile(path)
	require.NoError(t, err, path)
	return tok
}

// check compares the encodings of a row with Python's.
func check(t *testing.T, name string, r row, want []golden) {
	t.Helper()
	tok := load(t, r.Tokenizer)
	inputs := make([][]string, 0, len(want))
	for _, s := range r.Texts {
		inputs = append(inputs, []string{s})
	}
	for i := range r.Lines {
		inputs = append(inputs, []string{want[i].Input})
	}
	for _, p := range r.Pairs {
		inputs = append(inputs, p[:])
	}
	require.Len(t, want, len(inputs))
	for i, in := range inputs {
		var e *tokenizers.Encoding
		var err error
		if len(in) == 1 {
			e, err = tok.Encode(in[0], r.options()...)
		} else {
			e, err = tok.EncodePair(in[0], in[1], r.options()...)
		}
		require.NoError(t, err, "%s: %q", name, in)
		w := want[i]
		require.Equal(t, w.Tokens, e.Tokens, "%s: tokens of %q", name, in)
		require.Equal(t, w.IDs, e.IDs, "%s: IDs of %q", name, in)
		require.Equal(t, w.Offsets, e.Offsets, "%s: offsets of %q, tokens %q", name, in, w.Tokens)
		require.Equal(t, w.Words, e.WordIDs, "%s: words of %q", name, in)
		require.Equal(t, w.Types, e.TypeIDs, "%s: types of %q", name, in)
		require.Equal(t, w.Mask, e.AttentionMask, "%s: mask of %q", name, in)
		require.Equal(t, w.Special, e.SpecialTokensMask, "%s: special tokens of %q", name, in)
		checkDecoding(t, tok, name, w)
	}
}

func checkDecoding(t *testing.T, tok *tokenizers.Tokenizer, name string, w golden) {
	t.Helper()
	text, err := tok.Decode(w.IDs)
	require.NoError(t, err)
	require.Equal(t, w.Text, text, "%s: text of %q", name, w.Tokens)
	text, err = tok.Decode(w.IDs, tokenizers.SkipSpecialTokens(false))
	require.NoError(t, err)
	require.Equal(t, w.All, text, "%s: text of %q", name, w.Tokens)
	stream := tok.NewDecodeStream(tokenizers.SkipSpecialTokens(false))
	var b strings.Builder
	for _, id := range w.IDs {
		s, err := stream.Step(id)
		require.NoError(t, err)
		b.WriteString(s)
	}
	if w.Stream != nil { // else Python's stream ended with an error
		require.Equal(t, *w.Stream, b.String(), "%s: stream of %q", name, w.Tokens)
	}
}

// askPython runs testdata/oracle.py.
func askPython(t *testing.T, rows map[string]row) map[string][]golden {
	t.Helper()
	in, err := json.Marshal(rows)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), pythontest.Interpreter(t, "tokenizers"), "testdata/oracle.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	data, err := cmd.Output()
	require.NoError(t, err)
	var out map[string][]golden
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

func TestHostileTextsAsInPython(t *testing.T) {
	no := false
	for _, file := range tokenizerFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var pairs [][2]string
			for i := range hostile {
				pairs = append(pairs, [2]string{hostile[i], hostile[(i*7+3)%len(hostile)]})
			}
			long := []string{
				strings.Repeat("a", 3000), strings.Repeat("ab ", 1000), strings.Repeat("\u0301", 500),
				strings.Repeat(" ", 500) + "x",
			}
			rows := map[string]row{
				"all":   {Tokenizer: file, Texts: append(long, hostile...), Pairs: pairs},
				"plain": {Tokenizer: file, Texts: hostile, Pairs: pairs, Special: &no},
				"right": {Tokenizer: file, Texts: hostile, Pairs: pairs, MaxLength: 9},
				"left":  {Tokenizer: file, Texts: hostile, Pairs: pairs, MaxLength: 9, Side: "left"},
			}
			for name, want := range askPython(t, rows) {
				check(t, name, rows[name], want)
			}
		})
	}
}

func TestRealTextsAsInPython(t *testing.T) {
	for _, file := range tokenizerFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			lines := 200
			if os.Getenv("GOTORCH_TEST_THOROUGH") != "" {
				lines = 10000
			}
			r := row{Tokenizer: file, Lines: lines}
			check(t, "lines", r, askPython(t, map[string]row{"lines": r})["lines"])
		})
	}
}
