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
	known := map[string]bool{}
	here, users := source("*.go"), source("../../nn/*.go")+source("../../nn/functional/*.go")
	for _, f := range families {
		known[f[2]] = true
		assert.Equal(t, f[1], f[2], "the marker of a family is named as the family")
		assert.Regexp(t, `\bopt\.`+f[1]+`\b`, users, "no package uses the family")
		assert.Regexp(t, `(?m)^func \(\w+\) `+f[1]+`\(\)`, here, "the family has no option")
	}
	for _, m := range regexp.MustCompile(`(?m)^func \((\w+)\) (\w+(?:Func|Layer|Call))\(\) +\{\}`).FindAllStringSubmatch(here, -1) {
		assert.True(t, known[m[2]], "%s has the marker %s of no family", m[1], m[2])
	}
}
