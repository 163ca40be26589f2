package bert

import (
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
)

// heads are the beginnings of the names of all heads.
var heads = []string{"cls.", "lm_head.", "classifier.", "qa_outputs."}

// loadOptions are the options that read the files of a module whose head's names begin with
// head. It is "" for a [Model], whose names have no prefix.
func (c Config) loadOptions(head string) []nn.LoadOption {
	return []nn.LoadOption{nn.RenameFunc(func(name string) string { return c.stateName(name, head) })}
}

// stateName returns the module's name of a tensor of a file, or "" for a tensor to leave
// out.
func (c *Config) stateName(name, head string) string {
	name = withEnd(withEnd(name, ".gamma", ".weight"), ".beta", ".bias") // names of TensorFlow
	if slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(name, h) }) {
		if head == "" || !strings.HasPrefix(name, head) {
			return ""
		}
		return name
	}
	name = strings.TrimPrefix(name, c.prefix()+".")
	switch {
	case name == "embeddings.position_ids", name == "embeddings.token_type_ids": // constants
		return ""
	case !c.AddPoolingLayer && strings.HasPrefix(name, "pooler."):
		return ""
	case head == "":
		return name
	}
	return c.prefix() + "." + name
}

// withEnd returns name with the end to if its end is from.
func withEnd(name, from, to string) string {
	if before, ok := strings.CutSuffix(name, from); ok {
		return before + to
	}
	return name
}

// HasPooler reports whether a file with these names has the weights of a [Pooler].
func HasPooler(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "pooler.dense.weight") })
}
