package tokenizers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkEncode encodes the corpus 20 times, line by line. testdata/bench.py prints the time
// of Python's package for the same lines.
func BenchmarkEncode(b *testing.B) {
	data, err := os.ReadFile("testdata/corpus.txt")
	require.NoError(b, err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, file := range tokenizerFiles(b) {
		tok := load(b, file)
		b.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(b *testing.B) {
			b.SetBytes(int64(20 * len(data)))
			for b.Loop() {
				for range 20 {
					for _, s := range lines {
						if _, err := tok.Encode(s); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}
