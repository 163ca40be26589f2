package pythontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// An entry is a row of a test's table with the result from Python.
type entry[T any] struct {
	Row    any `json:"row"`
	Golden T   `json:"golden"`
}

// Goldens returns Python's result for each row of a table, by name. It reads the results
// from a file of entries. The test fails if a row has no entry in the file, if a row
// differs from its entry, or if an entry has no row.
//
// If GOTORCH_WRITE_GOLDENS is set, as by make generate MODE=goldens, Goldens updates the
// file instead. The script then reads the new rows as JSON from its input, and writes
// their results, by name, to its output. args are additional arguments of the script.
func Goldens[T any](t testing.TB, path string, rows map[string]any, script string, args ...string) map[string]T {
	t.Helper()
	have := map[string]entry[json.RawMessage]{}
	data, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &have))
	}
	fresh := map[string]any{}
	for name, row := range rows {
		if e, ok := have[name]; !ok || !equal(t, e.Row, row) {
			fresh[name] = row
		}
	}
	stale := 0
	for name := range have {
		if _, ok := rows[name]; !ok {
			delete(have, name)
			stale++
		}
	}
	if os.Getenv("GOTORCH_WRITE_GOLDENS") != "" && len(fresh)+stale > 0 {
		for name, golden := range ask(t, fresh, script, args) {
			have[name] = entry[json.RawMessage]{fresh[name], golden}
		}
		write(t, path, have)
	} else {
		require.Empty(t, slices.Sorted(maps.Keys(fresh)), "%s has no such rows: run make generate MODE=goldens", path)
		require.Zero(t, stale, "%s has more rows than the table: run make generate MODE=goldens", path)
	}
	goldens := map[string]T{}
	for name, e := range have {
		var g T
		require.NoError(t, json.Unmarshal(e.Golden, &g), name)
		goldens[name] = g
	}
	require.Len(t, goldens, len(rows))
	return goldens
}

// equal reports whether two rows are equal as JSON.
func equal(t testing.TB, a, b any) bool {
	t.Helper()
	text := func(v any) string {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		var plain any
		require.NoError(t, json.Unmarshal(data, &plain))
		data, err = json.Marshal(plain) // with sorted keys
		require.NoError(t, err)
		return string(data)
	}
	return text(a) == text(b)
}

// ask runs the script on rows and returns its results.
func ask(t testing.TB, rows map[string]any, script string, args []string) map[string]json.RawMessage {
	t.Helper()
	if len(rows) == 0 {
		return nil
	}
	in, err := json.Marshal(rows)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), Interpreter(t, "torch"), append([]string{script}, args...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var goldens map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(out, &goldens), "%s", out)
	require.Equal(t, slices.Sorted(maps.Keys(rows)), slices.Sorted(maps.Keys(goldens)), "the script's rows")
	return goldens
}

// write writes one entry per line, in the order of the names.
func write(t testing.TB, path string, entries map[string]entry[json.RawMessage]) {
	t.Helper()
	var b bytes.Buffer
	sep := "{\n"
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(entries[name]))
		fmt.Fprintf(&b, "%s%q: %s", sep, name, bytes.TrimSpace(line.Bytes()))
		sep = ",\n"
	}
	b.WriteString("\n}\n")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
}
