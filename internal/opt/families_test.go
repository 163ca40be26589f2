package opt_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each option family has at least one option, and package nn or functional uses it.
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
	used := map[string]bool{}
	users := source("../../nn/*.go") + source("../../nn/functional/*.go")
	for _, m := range regexp.MustCompile(`\bopt\.(\w+)\b`).FindAllStringSubmatch(users, -1) {
		used[m[1]] = true
	}
	markers := source("option_markers.go")
	for _, f := range families {
		assert.True(t, strings.EqualFold(f[1], f[2]), "the method of %s is named as the family", f[1])
		assert.True(t, used[f[1]], "no package uses the family %s", f[1])
		assert.Contains(t, markers, ") "+f[2]+"() ", "the family %s has no option", f[1])
	}
}
