package compilefail_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
)

var scope = compilefail.Scope{Imports: []string{"s strings", "io"}, Decls: "var b s.Builder"}

func TestScope(t *testing.T) {
	scope.Accepts(t,
		`b.WriteString("a")`,
		`n := 1`,
		`s.Repeat("a", 2)`,
		`s.Repeat`,
		`var _ io.Writer = &b`,
	)
	scope.Rejects(t,
		`b.WriteString(1)`,
		`s.Repeat("a", "b")`,
		`var _ io.Reader = &b`,
		`strings.Repeat("a", 2)`,
		`}{`,
	)
}

func ExampleScope() {
	scope := compilefail.Scope{
		Imports: []string{"strings"},
		Decls:   "var b strings.Builder",
	}
	fmt.Println(scope.Compile(`b.WriteString("a")`))
	fmt.Println(scope.Compile(`b.WriteString(1)`) != nil)
	// In a test: scope.Accepts(t, ...) and scope.Rejects(t, ...).
	// Output:
	// <nil>
	// true
}
