// Package jsonfile writes measurement results to JSON files.
package jsonfile

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes v to the file at path as indented JSON. It writes a temporary file first
// and renames it, so that readers never see half a file. It creates missing directories.
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
