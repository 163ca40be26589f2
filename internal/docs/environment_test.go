package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	reads  = regexp.MustCompile(`(?:[gG]etenv|LookupEnv|\bis|\bis_number)\("([A-Z][A-Z0-9_]+)"`)
	inCode = regexp.MustCompile("`([A-Z][A-Z0-9_]*\\*?)`")
)

// docs/security.md lists each environment variable that the library's code reads.
func TestEnvironmentVariablesAreListed(t *testing.T) {
	var known []string
	for _, m := range inCode.FindAllStringSubmatch(read(t, "docs/security.md"), -1) {
		known = append(known, m[1])
	}
	found := map[string]string{}
	for _, folder := range []string{"cgotorch", "torch", "nn", "optim", "memory", "vision", "internal/native"} {
		require.NoError(t, filepath.WalkDir("../../"+folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") ||
				!slices.Contains([]string{".go", ".cpp", ".hpp", ".h"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range reads.FindAllStringSubmatch(string(text), -1) {
				found[m[1]] = path
			}
			return err
		}))
	}
	assert.Greater(t, len(found), 8)
	for name, path := range found {
		assert.True(t, slices.ContainsFunc(known, func(k string) bool {
			prefix, pattern := strings.CutSuffix(k, "*")
			return k == name || pattern && strings.HasPrefix(name, prefix)
		}), "%s, which %s reads, is not in docs/security.md", name, path)
	}
}
