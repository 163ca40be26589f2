package fileerr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/fileerr"
)

func TestInstead(t *testing.T) {
	for head, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid " +
			"sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n": "Git LFS",
		"<!DOCTYPE html>\n<html>":  "HTML",
		"\n\n  <!doctype HTML>":    "HTML",
		"\ufeff<html lang=\"en\">": "HTML",
		"":                         "",
		"version":                  "",
		"PK\x03\x04":               "",
		"\x08\x00\x00\x00\x00\x00\x00\x00{\"<html>": "",
	} {
		got := fileerr.Instead([]byte(head))
		if want == "" {
			assert.Empty(t, got, head)
		} else {
			assert.Contains(t, got, want, head)
		}
	}
}
