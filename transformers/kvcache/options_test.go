package kvcache_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

func TestOptions(t *testing.T) {
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"New": optiontest.For(func(opts ...kvcache.Option) optiontest.Outcome {
			return optiontest.Outcome{"room": fmt.Sprint(kvcache.New(spec(), opts...).Room())}
		}, optiontest.Values(kvcache.Capacity(1), kvcache.Capacity(2)), optiontest.Refused(kvcache.Capacity(0)),
			optiontest.Refused(kvcache.Capacity(-1))),
	})
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/transformers/kvcache"}, Decls: "var s kvcache.Spec",
	}
	s.Accepts(t, "kvcache.New(s, kvcache.Capacity(1))")
	s.Rejects(t, "kvcache.New(s, 1)", "kvcache.NewPool(s, 1, kvcache.Capacity(1))")
}
