package tokenizers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers/tokenizers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoldens(t *testing.T) {
	rows := map[string]any{}
	for _, file := range tokenizerFiles(t) {
		if filepath.Dir(file) == "testdata" {
			var texts []string
			for i := 0; i < len(hostile); i += 2 {
				texts = append(texts, hostile[i])
			}
			rows[filepath.Base(file)] = row{Tokenizer: file, Texts: texts, Pairs: [][2]string{{"a b", "Größe 12"}}}
		}
	}
	for name, want := range pythontest.Goldens[[]golden](t, "testdata/goldens.json", rows, "testdata/oracle.py") {
		check(t, name, rows[name].(row), want)
	}
}

func TestSavedTokenizersAsInPython(t *testing.T) {
	rows := map[string]row{}
	for _, file := range tokenizerFiles(t) {
		tok := load(t, file)
		n, err := tok.AddSpecialTokens("<new>", "<new>")
		require.NoError(t, err)
		require.Equal(t, 1, n)
		_, err = tok.AddTokens(tokenizers.AddedToken{Content: "Mañana", Normalized: true, SingleWord: true})
		require.NoError(t, err)
		data, err := json.Marshal(tok)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(path, data, 0o600))
		rows[filepath.Base(file)] = row{Tokenizer: path, Texts: []string{
			"a<new>b ¡Mañana será Mañanas <new>",
			hostile[5], "Der Fuchs",
		}}
	}
	for name, want := range askPython(t, rows) {
		check(t, name, rows[name], want)
	}
}

func TestEncodeBatchPads(t *testing.T) {
	tok := load(t, "testdata/gpt2.json")
	texts := []string{"a", "Hello, World", "", "naïve text"}
	batch, err := tok.EncodeBatch(texts, tokenizers.PaddingLongest, tokenizers.PadToken("<|endoftext|>"),
		tokenizers.PadToMultipleOf(4), tokenizers.PaddingSide(tokenizers.SideLeft))
	require.NoError(t, err)
	id, ok := tok.TokenToID("<|endoftext|>")
	require.True(t, ok)
	for i, e := range batch {
		one, err := tok.Encode(texts[i])
		require.NoError(t, err)
		require.Equal(t, batch[0].Len(), e.Len())
		require.Zero(t, e.Len()%4)
		pad := e.Len() - one.Len()
		assert.Equal(t, one.IDs, e.IDs[pad:])
		assert.Equal(t, slices.Repeat([]int64{id}, pad), e.IDs[:pad])
		assert.Equal(t, slices.Repeat([]int64{0}, pad), e.AttentionMask[:pad])
		assert.Equal(t, slices.Repeat([]int64{1}, pad), e.SpecialTokensMask[:pad])
	}
	e, err := tok.Encode("a b", tokenizers.MaxLength(8), tokenizers.PaddingMaxLength,
		tokenizers.PadToken("<|endoftext|>"))
	require.NoError(t, err)
	assert.Equal(t, 8, e.Len())
	bert := load(t, "testdata/bert.json")
	batch, err = bert.EncodeBatch(texts)
	require.NoError(t, err)
	assert.Equal(t, batch[1].Len(), batch[0].Len())
	batch, err = bert.EncodeBatch(texts, tokenizers.PaddingNone, tokenizers.Truncation(false))
	require.NoError(t, err)
	assert.Equal(t, 2, batch[2].Len())
}

func TestInvalidUTF8CountsAsReplacementCharacters(t *testing.T) {
	for _, file := range tokenizerFiles(t) {
		tok := load(t, file)
		for bad, good := range map[string]string{
			"a\xffb": "a\uFFFDb", "\xe4\xbd": "\uFFFD\uFFFD", "x\xed\xa0\x80y": "x\uFFFD\uFFFD\uFFFDy",
			"\xc3": "\uFFFD",
		} {
			got, err := tok.Encode(bad)
			require.NoError(t, err)
			want, err := tok.Encode(good)
			require.NoError(t, err)
			assert.Equal(t, want, got, file)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	for _, name := range []string{"gpt2", "bert", "unigram", "llama2"} {
		tok := load(t, "testdata/"+name+".json")
		var want []*tokenizers.Encoding
		for _, s := range hostile {
			e, err := tok.Encode(s)
			require.NoError(t, err)
			want = append(want, e)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range hostile {
					k := (i*(2*g+1) + g) % len(hostile)
					e, err := tok.Encode(hostile[k])
					if assert.NoError(t, err) {
						assert.Equal(t, want[k], e)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestVocabulary(t *testing.T) {
	tok := load(t, "testdata/gpt2.json")
	assert.Equal(t, 1504, tok.VocabSize())
	id, ok := tok.TokenToID("<tool>")
	require.True(t, ok)
	s, ok := tok.IDToToken(id)
	assert.True(t, ok)
	assert.Equal(t, "<tool>", s)
	_, ok = tok.TokenToID("no such token")
	assert.False(t, ok)
	for _, id := range []int64{-1, 1 << 40, 99999} {
		_, ok = tok.IDToToken(id)
		assert.False(t, ok)
	}
	assert.Len(t, tok.AddedTokens(), 5)
	_, err := tok.Decode([]int64{-1})
	assert.ErrorIs(t, err, tokenizers.ErrValue)
	text, err := tok.Decode([]int64{99999})
	require.NoError(t, err)
	assert.Empty(t, text)
}

func TestBadOptions(t *testing.T) {
	tok := load(t, "testdata/gpt2.json")
	for _, o := range []tokenizers.EncodeOption{
		nil, tokenizers.MaxLength(-1), tokenizers.Truncation(true), tokenizers.TruncationSide("up"),
		tokenizers.PaddingSide("up"),
		tokenizers.TruncationStrategy("x"), tokenizers.Padding("x"), tokenizers.PadToMultipleOf(0),
		tokenizers.PaddingMaxLength,
		tokenizers.PaddingLongest,
	} {
		_, err := tok.Encode("a", o)
		assert.ErrorIs(t, err, tokenizers.ErrValue, "%T", o)
	}
	_, err := load(t, "testdata/llama3.json").Encode("a", tokenizers.MaxLength(1))
	assert.ErrorIs(t, err, tokenizers.ErrValue)
	_, err = tok.Decode(nil, nil)
	assert.ErrorIs(t, err, tokenizers.ErrValue)
	_, err = tok.NewDecodeStream(nil).Step(1)
	assert.ErrorIs(t, err, tokenizers.ErrValue)
	_, err = tok.EncodePair("a", "b", tokenizers.MaxLength(1), tokenizers.TruncationStrategyOnlySecond)
	assert.ErrorIs(t, err, tokenizers.ErrValue)
}

func TestBadFiles(t *testing.T) {
	const model = `"model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}`
	format, unsupported, limit := tokenizers.ErrFormat, tokenizers.ErrUnsupported, tokenizers.ErrLimit
	deep := strings.Repeat(`{"type": "Sequence", "normalizers": [`, 99) + strings.Repeat("]}", 99)
	for want, texts := range map[error][]string{
		format: {
			"",
			"null",
			"{}",
			"{\xff}",
			`{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}`,
			`{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}`,
			`{"model": {"type": "Unigram", "vocab": [["a", 0]], "unk_id": 5}}`,
			`{"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, ` + model + `}`,
			`{"normalizer": {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""}, ` + model + `}`,
		},
		unsupported: {
			`{"version": "2.0"}`,
			`{"model": {"type": "Magic"}}`,
			`{"model": {"type": "BPE", "dropout": 0.1, "vocab": {}, "merges": []}}`,
			`{"model": {"type": "BPE", "vocab": {}, "merges": [], "secret": 1}}`,
			`{"normalizer": {"type": "Magic"}, ` + model + `}`,
			`{"pre_tokenizer": {"type": "UnicodeScripts"}, ` + model + `}`,
			`{"post_processor": {"type": "Magic"}, ` + model + `}`,
			`{"decoder": {"type": "Magic"}, ` + model + `}`,
			`{"extra": 1, ` + model + `}`,
			`{"normalizer": {"type": "Replace", "pattern": {"Regex": "(a)\\1"}, "content": ""}, ` + model + `}`,
		},
		limit: {
			`{"normalizer": ` + deep + `, ` + model + `}`,
		},
	} {
		for _, text := range texts {
			_, err := tokenizers.FromBytes([]byte(text))
			assert.ErrorIs(t, err, want, text)
			var e *tokenizers.Error
			assert.ErrorAs(t, err, &e)
		}
	}
	_, err := tokenizers.FromFile(filepath.Join(t.TempDir(), "none.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = tokenizers.FromReader(strings.NewReader("{"))
	assert.ErrorIs(t, err, tokenizers.ErrFormat)
	tok, err := tokenizers.FromBytes([]byte(
		`{` + model + `, "normalizer": {"type": "Replace", "pattern": {"Regex": "(a+b?)+c"}, "content": ""}}`))
	require.NoError(t, err)
	_, err = tok.Encode(strings.Repeat("a", 200))
	assert.ErrorIs(t, err, tokenizers.ErrLimit)
}

// patterns are regular expressions to compare with Python's.
var patterns = []string{
	`a`, `ab|cd`, `[a-c]+`, `[^a-c\s]+`, `\d{2,3}`, `\d{2}`, `\d{,2}x`, `\d{1,}`, `a*?b`, `(?:ab)+`,
	`(ab|a)(c|bcd)`, `\w+`, `\W+`, `\s+(?!\S)`, `\S+(?=\s)`,
	`(?i)ABC`, `(?i:abc)d`, `(?i)[a-c]+`, `a|(?i)b|c`, `^.`, `.$`, `\A\w`, `\w\z`, `\w\Z`, `\bw`, `\Bo`, `(?<=a)b`,
	`(?<!a)b`, `a++b`, `a?+a`, `(?>a|ab)c`, `(?m:.+)`, `.+`,
	`\p{L}`, `\P{L}+`, `\p{^L}+`, `[\p{L}\p{M}]+`, `[^\p{L}\p{N}]+`, `\p{Lu}\p{Ll}*`, `\p{Han}+`, `\p{Letter}`,
	`\p{Greek}+`, `\p{Sc}`, `\p{P}`, `[[:digit:]]+`, `[[:^space:]]+`, `[a-z&&[^aeiou]]+`,
	`[\u0041-\u0043]`, `\x41`, `\x{1F600}`, `\t|\n`, `[\]\-a]`, `[a\]-]`, `[-a]`, `[a-]`, `\.`, `a{`, `a{x}`, `{a`,
	`x{2,3}?`, `(?:a|b){2}`, `(?:ab){1,2}c`, `(a|b|)c`, `a(?#comment)b`, `(?<name>a)b`, `(?x) a b # c`,
	`(?:\s|^)a`, `[a[bc]]+`, `[^a[bc]]+`, `(?=a)\w`, `\r?\n`, `'(?:[sdmt]|ll|ve|re)| ?\p{L}++|\s++$`,
	`\p{N}{1,3}(?=(?:\p{N}{3})*\b)`, ` ?[^\s\p{L}\p{N}]+[\r\n]*`, `(?:[\p{L}--x]|y)`,
	`[\s\S]`, `\h+`, `\R`, `\X`, `\Gx`, `\K`, `(a)\1`, `*a`, `a**`, `a{2,1}`, `(a`, `a)`, `[a`, `[b-a]`, `\`,
	`(?<=a+)b`, `(?(1)a|b)`, `[[:foo:]]`, `\p{Foo}`, `(?z)`, `x*`, `(?i)ß`, `(?i)ss`, `(?i)fi`, `(?i)\u017f`, `(?i)K`,
}

func TestPatternsAsInPython(t *testing.T) {
	texts := []string{
		"abc abcd ab AbC aBcD cab baab aaab ac abbc", "12 345 6789 x12x 1,234,567 a1 1a",
		"Hello, World! don't I'LL we've ſ K k ß SS", "tab\there\nnew\r\nline  \n end\n", "  two  spaces   x ",
		"Größe ÀÉ 你好 世界 Ωμέγα €$ ½ ² ٣ e\u0301 😀A", "xx xxx xxxx {a a{ a{x} a-b]c [x] \\ . ab c",
		"wow two oowo\u00a0w-w", "", "\n", "a\nb", "aaaa bbbb ccc",
	}
	rows, toks := map[string]row{}, map[string]*tokenizers.Tokenizer{}
	for _, p := range patterns {
		quoted, err := json.Marshal(p)
		require.NoError(t, err)
		doc := fmt.Sprintf(`{"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Split",`+
			`"pattern": {"Regex": %s},`+
			`"behavior": "Isolated", "invert": false},`+
			`"model": {"type": "WordLevel", "unk_token": "u", "vocab": {"u": 0}}}`, quoted)
		tok, err := tokenizers.FromBytes([]byte(doc))
		if err != nil {
			assert.True(t, errors.Is(err, tokenizers.ErrUnsupported) || errors.Is(err, tokenizers.ErrFormat),
				"%s: %v", p, err)
			t.Log(err)
			continue
		}
		rows[p], toks[p] = row{JSON: doc, Texts: texts}, tok
	}
	assert.Greater(t, len(rows), 75)
	for p, want := range askPython(t, rows) {
		if want == nil {
			t.Logf("Oniguruma refuses %q", p)
			continue
		}
		for i, text := range texts {
			e, err := toks[p].Encode(text)
			require.NoError(t, err)
			assert.Equal(t, want[i].Offsets, e.Offsets, "%s on %q", p, text)
		}
	}
}
