// Package jsonfile writes what a measurement found.
package jsonfile

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes v as indented JSON, through a file beside path so that a reader
// never sees half of it. Missing folders are made.
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
