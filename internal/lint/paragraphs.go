package lint

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	htmlTag     = regexp.MustCompile(`</?[a-z][^>]*>`)
	link        = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	target      = regexp.MustCompile(`^\s*\[[^\]]+\]: \S+$`)
	fence       = regexp.MustCompile("^\\s*(?:```|~~~)")
	item        = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+`)
	codeSpan    = regexp.MustCompile("`[^`]+`")
)

// page returns the paragraphs of a Markdown page.
func page(src string) [][]word {
	src = htmlComment.ReplaceAllStringFunc(src, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})
	r := reader{}
	inCode := false
	for i, line := range strings.Split(src, "\n") {
		if fence.MatchString(line) {
			inCode = !inCode
			line = ""
		}
		line = strings.TrimLeft(line, ">")
		switch {
		case inCode, strings.HasPrefix(strings.TrimSpace(line), "|"):
			r.end()
		default:
			r.add(i+1, htmlTag.ReplaceAllString(line, ""))
		}
	}
	r.end()
	return r.all
}

// directive matches a comment that is for a tool, not for readers.
var directive = regexp.MustCompile(`^//(?:[a-z]+:\S|nolint|export |line |#)`)

// output matches the beginning of an example's expected output.
var output = regexp.MustCompile(`^(?:Unordered output|Output):`)

// comment returns the paragraphs of a Go comment. It returns none for the C code before
// import "C".
func comment(fset *token.FileSet, group *ast.CommentGroup) [][]word {
	r := reader{}
	for _, c := range group.List {
		if directive.MatchString(c.Text) {
			continue
		}
		body := strings.TrimSuffix(strings.TrimPrefix(c.Text[2:], "\n"), "*/")
		for i, line := range strings.Split(body, "\n") {
			line = strings.TrimPrefix(line, " ")
			switch {
			case output.MatchString(line):
				r.end()
				return r.all
			case strings.HasPrefix(line, "#include"), strings.HasPrefix(line, "#cgo"):
				return nil
			}
			r.add(fset.Position(c.Pos()).Line+i, strings.ReplaceAll(line, "\t", "    "))
		}
	}
	r.end()
	return r.all
}

// reader collects lines into paragraphs. Each heading and each item of a list is a
// separate paragraph.
type reader struct {
	all    [][]word
	lines  []string
	first  int  // number of the paragraph's first line
	inList bool // whether an indented line continues an item; otherwise it is code
}

func (r *reader) add(n int, line string) {
	indented := strings.HasPrefix(line, "    ")
	switch {
	case strings.TrimSpace(line) == "":
		r.end()
		return
	case item.MatchString(line) && (r.inList || !indented):
		r.end()
		r.inList = true
		line = item.ReplaceAllString(line, "")
	case indented && !r.inList && len(r.lines) == 0, target.MatchString(line):
		return
	case !strings.HasPrefix(line, " ") && len(r.lines) == 0:
		r.inList = false
	}
	if len(r.lines) == 0 {
		r.first = n
	}
	r.lines = append(r.lines, line)
	if strings.HasPrefix(line, "#") {
		r.end()
	}
}

// end ends a paragraph. A code span becomes one word, unless it is the name of an error.
func (r *reader) end() {
	s := codeSpan.ReplaceAllStringFunc(strings.Join(r.lines, "\n"), func(span string) string {
		if name := strings.Trim(span, "`"); errorName.MatchString(name) {
			return name
		}
		return strings.Repeat("\n", strings.Count(span, "\n")) + "CODE"
	})
	s = link.ReplaceAllString(s, "$1")
	var p []word
	for i, line := range strings.Split(s, "\n") {
		for _, w := range strings.Fields(line) {
			p = append(p, word{w, r.first + i})
		}
	}
	if len(p) > 0 {
		r.all = append(r.all, p)
	}
	r.lines = nil
}
