package plain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/plain"
)

func TestPlain(t *testing.T) {
	long, many := strings.Repeat("é", 1000), strings.Split(strings.Repeat("n ", 30), " ")[:30]
	for got, want := range map[string]string{
		plain.Text("a \"é\" b"):           `a "é" b`,
		plain.Text("\x1b[31m\u202ex"):     `\x1b[31m\u202ex`,
		plain.Text("\xff"):                `\xff`,
		plain.Message("a\nb\x1b"):         `a\nb\x1b`,
		plain.Message(long + long + long): strings.Repeat("é", 2048) + "…",
		plain.Quote("a\"\n"):              `"a\"\n"`,
		plain.Quote(long):                 `"` + long[:200] + `"…`,
		plain.Quote(long[:200]):           `"` + long[:200] + `"`,
		plain.Short("\x1b" + long):        `\x1b` + long[:198] + "…",
		plain.List([]string{"a", "b\n"}):  `a, b\n`,
		plain.List(many):                  strings.Repeat("n, ", 20) + "and 10 more",
		plain.List(nil):                   "",
	} {
		assert.Equal(t, want, got)
	}
}
