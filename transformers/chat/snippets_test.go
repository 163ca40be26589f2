package chat_test

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// snippetLines has a template with one or a few features on each line, as a JSON string.
//
//go:embed testdata/snippets.txt
var snippetLines string

var snippets = func() []string {
	var out []string
	for line := range strings.Lines(snippetLines) {
		var s string
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			panic(err)
		}
		out = append(out, s)
	}
	return out
}()
