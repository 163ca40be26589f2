package memory

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Frame is one call of a stack.
type Frame struct {
	Name     string `json:"name"`     // of the function
	Filename string `json:"filename"` // of the source file
	Line     int    `json:"line"`
}

// ForwardStack is the stack of a forward operator. In files each call is a line of
// text, outermost first, as in a Python traceback and as PyTorch writes it.
type ForwardStack []Frame

// lines returns the calls as lines of text, outermost first.
func (f ForwardStack) lines() []string {
	out := make([]string, len(f))
	for i, c := range f {
		out[len(f)-1-i] = fmt.Sprintf("  File \"%s\", line %d, in %s\n", c.Filename, c.Line, c.Name)
	}
	return out
}

var pythonCall = regexp.MustCompile(`^File "(.*)", line (\d+), in (.*)$`)

// forwardStack is the reverse of lines. A line that it cannot parse becomes the name of a
// call.
func forwardStack(lines []string) ForwardStack {
	out := make(ForwardStack, len(lines))
	for i, l := range lines {
		call, _, _ := strings.Cut(strings.TrimSpace(l), "\n")
		f := Frame{Name: call}
		if m := pythonCall.FindStringSubmatch(call); m != nil {
			if n, err := strconv.Atoi(m[2]); err == nil {
				f = Frame{Name: m[3], Filename: m[1], Line: n}
			}
		}
		out[len(lines)-1-i] = f
	}
	return out
}

// MarshalJSON writes the stack as lines of text.
func (f ForwardStack) MarshalJSON() ([]byte, error) { return json.Marshal(f.lines()) }

// UnmarshalJSON reads a stack from lines of text.
func (f *ForwardStack) UnmarshalJSON(b []byte) error {
	var lines []string
	if err := json.Unmarshal(b, &lines); err != nil {
		return err
	}
	*f = nil
	if len(lines) > 0 {
		*f = forwardStack(lines)
	}
	return nil
}
