package docblocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fence = "```"

// page is a Markdown page. It has a block for each mistake that must be reported, and for
// each valid use.
const page = `# Page

~~~go
type Net struct{ nn.Base }
~~~

<!-- given: small := x.Narrow(0, 0, 1) -->
<!-- then: var _ *Net -->
~~~go
y := small.Sum()
fmt.Println(small.Shape()) // (1, 20)
~~~

<!-- continues -->
~~~go
fmt.Println(y.Dim(), "of", y.Numel())
~~~

~~~text
0 of 1
~~~

~~~go
fmt.Println(x.Size(0)) // 3
~~~

~~~go
x.Index(100)
~~~

<!-- panics: out of bounds -->
~~~go
x.Index(100)
~~~

<!-- panics: out of bounds -->
~~~go
x.Index(0)
~~~

~~~go
_, err := os.Open("nothing")
~~~

~~~go
os.Exit(3)
~~~

~~~go
func TestIt(t *testing.T) { t.Error("it is wrong") }
~~~

~~~go
fmt.Println("one", 0.50, 1)
fmt.Println("two")
~~~

~~~
one 0.6 1
two
~~~

~~~go
package main

import "fmt"

func main() { fmt.Println("whole") }
~~~

This is printed:

~~~
whole
~~~
`

func TestWhatFails(t *testing.T) {
	blocks, err := parse("docs/page.md", strings.ReplaceAll(page, "~~~", fence))
	require.NoError(t, err)
	p, err := newProgram("../..", "", "given.go")
	require.NoError(t, err)
	r, err := p.run(t.Context(), blocks, t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, 11, r.ran)
	var lines []string
	for _, f := range r.failures {
		line, _, _ := strings.Cut(f, "\n")
		lines = append(lines, line)
	}
	want := []string{
		`docs/page.md:24: docs/page.md:24: prints "4", and the page has "3"`,
		"docs/page.md:28: panics: torch: Index:",
		"docs/page.md:38: must panic with \"out of bounds\": \"\"",
		"docs/page.md:42: left in err: open nothing",
		"docs/page.md:46: ended the program: exit status 3",
		"docs/page.md:50: TestIt failed",
		"docs/page.md:59: the block above prints",
	}
	require.Len(t, lines, len(want), "%s", strings.Join(lines, "\n"))
	for i, w := range want {
		assert.True(t, strings.HasPrefix(lines[i], w), "%s\n%s", w, lines[i])
	}
}

func TestWhatDoesNotCompile(t *testing.T) {
	for src, want := range map[string]string{
		"x.Foo()":                      "docs/page.md:2: x.Foo undefined",
		"train(...)":                   "expected operand",
		"for epoch := range epochs {}": "docs/page.md:2: declared and not used: epoch",
		"unknown()":                    "docs/page.md:2: undefined: unknown",
	} {
		p, err := newProgram("../..", "", "given.go")
		require.NoError(t, err)
		blocks, err := parse("docs/page.md", fence+"go\n"+src+"\n"+fence)
		require.NoError(t, err)
		_, err = p.run(t.Context(), blocks, t.TempDir())
		require.Error(t, err, src)
		assert.Contains(t, err.Error(), want)
	}
}

func TestMarksWithoutBlocks(t *testing.T) {
	_, err := parse("docs/page.md", "<!-- given: x := 1 -->\nText\n")
	require.Error(t, err)
	_, err = parse("docs/page.md", fence+"go\nx\n")
	require.Error(t, err)
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		page, printed string
		figures, same bool
	}{
		{"a 1\nb 2\n", "a 1\nb 2\n", false, true},
		{"a 1\nb 2\n", "a 1\nb 3\n", false, false},
		{"a 1\n...\nc 3\n", "a 1\nb 2\nb 2\nc 3\n", false, true},
		{"a 1\n...\n", "b 2\n", false, false},
		{"loss 0.500\n", "loss 0.501\n", false, true},
		{"loss 0.500\n", "loss 0.601\n", false, false},
		{"took 10 ms  of 2 GiB\n", "took 1.5 s of 17 MiB\n", true, true},
		{"took 10 ms\n", "went 10 ms\n", true, false},
	} {
		assert.Equal(t, c.same, same(c.page, c.printed, c.figures), "%q %q", c.page, c.printed)
	}
}
