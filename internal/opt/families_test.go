package opt_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each family is the option of a function, and has an option.
func TestNoFamilyIsWithoutUse(t *testing.T) {
	source := func(pattern string) string {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		var all []byte
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all = append(all, text...)
		}
		return string(all)
	}
	families := regexp.MustCompile(`(?m)^\t(\w+) +interface\{ (\w+)\(\) \}`).FindAllStringSubmatch(source("*.go"), -1)
	require.NotEmpty(t, families)
	here, users := source("*.go"), source("../../nn/*.go")+source("../../nn/functional/*.go")
	used, marked := map[string]bool{}, map[string]bool{}
	for _, m := range regexp.MustCompile(`\bopt\.(\w+)\b`).FindAllStringSubmatch(users, -1) {
		used[m[1]] = true
	}
	// A type of package nn may be the option of a family, beside those that it shares.
	for _, m := range regexp.MustCompile(`(?m)^func \(\w+\) (\w+)\(\)`).FindAllStringSubmatch(here+users, -1) {
		marked[m[1]] = true
	}
	known := map[string]bool{}
	for _, f := range families {
		known[f[2]] = true
		assert.Equal(t, f[1], f[2], "the marker of a family is named as the family")
		assert.True(t, used[f[1]], "no package uses the family %s", f[1])
		assert.True(t, marked[f[1]], "the family %s has no option", f[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^func \((\w+)\) (\w+(?:Func|Layer|Call))\(\) +\{\}`).FindAllStringSubmatch(here+users, -1) {
		assert.True(t, known[m[2]], "%s has the marker %s of no family", m[1], m[2])
	}
}
