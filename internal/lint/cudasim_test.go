package lint_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	simLayer   = regexp.MustCompile(`(?m)^//   (\w+\.c) `)
	simSection = regexp.MustCompile(`(?m)^// (\w+\.c)$`)
	simName    = regexp.MustCompile(`\bsim_\w+`)
	simDecl    = regexp.MustCompile(`\b(sim_\w+)(?:\(|;)`)
)

// A file of the simulated driver calls only files that are above it in the list in sim.h.
func TestTheSimulatedDriverHasLayers(t *testing.T) {
	dir := filepath.Join("..", "cudasim")
	header, err := os.ReadFile(filepath.Join(dir, "sim.h"))
	require.NoError(t, err)
	order := map[string]int{}
	for i, m := range simLayer.FindAllSubmatch(header, -1) {
		order[string(m[1])] = i
	}
	require.Greater(t, len(order), 4)

	// In sim.h, the name of a file stands above the declarations of its functions.
	of := map[string]string{}
	heads := simSection.FindAllSubmatchIndex(header, -1)
	for i, at := range heads {
		end := len(header)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		for _, m := range simDecl.FindAllSubmatch(header[at[1]:end], -1) {
			if name := string(m[1]); of[name] == "" {
				of[name] = string(header[at[2]:at[3]])
			}
		}
	}
	require.Equal(t, "ledger.c", of["sim_host"])
	require.Equal(t, "queue.c", of["sim_run_all"])

	files, err := filepath.Glob(filepath.Join(dir, "*.c"))
	require.NoError(t, err)
	for _, path := range files {
		file := filepath.Base(path)
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		if file == "driver.c" || file == "cupti.c" {
			assert.NotRegexp(t, simName, string(src))
			continue
		}
		require.Contains(t, order, file, "sim.h says where it stands")
		for _, name := range simName.FindAllString(string(src), -1) {
			if owner := of[name]; owner != "" {
				assert.LessOrEqual(t, order[owner], order[file], "%s uses %s of %s", file, name, owner)
			}
		}
	}
}
