// Package jsonfile writes the results of a measurement.
package jsonfile

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes v as indented JSON, through a temporary file, so that readers never see
// half of it. It creates missing folders.
func Write(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
