package hub

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	defaultRevision = "main"
	defaultEndpoint = "https://huggingface.co"
)

// defaults returns the settings without options, from the environment.
func defaults() settings {
	return settings{
		revision: defaultRevision, repoType: RepoTypeModel,
		cacheDir: expanded(cmp.Or(os.Getenv("HF_HUB_CACHE"), os.Getenv("HUGGINGFACE_HUB_CACHE"),
			filepath.Join(home(), "hub"))),
		endpoint: cmp.Or(os.Getenv("HF_ENDPOINT"), defaultEndpoint),
		token:    savedToken(),
		local:    isTrue(cmp.Or(os.Getenv("HF_HUB_OFFLINE"), os.Getenv("TRANSFORMERS_OFFLINE"))),
		retries:  5, delay: time.Second, timeout: 30 * time.Second, workers: 8,
	}
}

// home returns HF_HOME or its default.
func home() string {
	if dir := os.Getenv("HF_HOME"); dir != "" {
		return expanded(dir)
	}
	return expanded(filepath.Join(cmp.Or(os.Getenv("XDG_CACHE_HOME"), "~/.cache"), "huggingface"))
}

// expanded replaces a ~ at the start of a path, and environment variables.
func expanded(path string) string {
	path = os.ExpandEnv(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		if dir, err := os.UserHomeDir(); err == nil {
			path = dir + path[1:]
		}
	}
	return path
}

func isTrue(s string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(s))
}

// savedToken returns the token of the environment or of the token file, or "".
func savedToken() string {
	if isTrue(os.Getenv("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return ""
	}
	if token := cmp.Or(os.Getenv("HF_TOKEN"), os.Getenv("HUGGING_FACE_HUB_TOKEN")); token != "" {
		return strings.TrimSpace(token)
	}
	path := expanded(cmp.Or(os.Getenv("HF_TOKEN_PATH"), filepath.Join(home(), "token")))
	token, err := os.ReadFile(path)
	if err != nil || len(token) > 1<<12 { // without a readable file there is no token
		return ""
	}
	return strings.TrimSpace(string(token))
}
