package transformers_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
)

// Every way to generate gives Python's tokens, for one prompt and for several of different
// lengths.
func TestGenerateEqualsPython(t *testing.T) {
	dir, _ := written(t, "causal")
	path := filepath.Join(dir, "generate.json")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var python struct {
		Prompts  [][]int64
		Settings map[string]json.RawMessage
		Models   map[string]map[string][2][][]int64
	}
	require.NoError(t, json.Unmarshal(data, &python))
	for name, cases := range python.Models {
		m, err := transformers.LoadCausalLM(filepath.Join(dir, name))
		require.NoError(t, err)
		for setting, want := range cases {
			t.Run(name+"/"+setting, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				c, err := generation.ParseConfig(python.Settings[setting])
				require.NoError(t, err)
				if c.PadTokenID == nil {
					c.PadTokenID = new(int64(0))
				}
				for i, prompts := range [][][]int64{python.Prompts[:1], python.Prompts} {
					torch.ManualSeed(7)
					got, err := generation.Generate(context.Background(), m, prompts, c)
					require.NoError(t, err)
					assert.Equal(t, unpadded(want[i], c), got)
				}
			})
		}
		require.NoError(t, m.ModuleBase().Close())
	}
}

// unpadded cuts each sequence after its end.
func unpadded(rows [][]int64, c generation.Config) [][]int64 {
	for i, row := range rows {
		for j, id := range row {
			if slices.Contains(c.EOSTokenIDs, id) {
				rows[i] = row[:j+1]
				break
			}
		}
	}
	return rows
}
