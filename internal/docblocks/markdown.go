package docblocks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Block is a fenced block of a page.
type Block struct {
	Page   string // the path of the page in the repository
	Line   int    // line of the page on which the block's text begins
	Lang   string
	Source string
	Marks  []Mark

	near string // text of the page between this block and the block before
}

// A Mark is a comment above a block.
type Mark struct {
	Kind, Text string
	Line       int
}

// kinds are the valid kinds of marks. The value is true if the mark needs a text.
var kinds = map[string]bool{
	"given": true, "then": true, "continues": false, "panics": true, "compiled only": true,
	"figures differ": false, "no output": false,
}

// Mark returns the text of the block's mark of the given kind, and whether it has one.
func (b Block) Mark(kind string) (string, bool) {
	for _, m := range b.Marks {
		if m.Kind == kind {
			return m.Text, true
		}
	}
	return "", false
}

// Place returns the page and the line of the block, in the format of compilers.
func (b Block) Place() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Pages returns the paths of the pages that have blocks, relative to the directory root.
func Pages(root string) ([]string, error) {
	var pages []string
	for _, pattern := range []string{
		"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md", "notebooks/*.md",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return nil, err
			}
			pages = append(pages, filepath.ToSlash(rel))
		}
	}
	return pages, nil
}

// Read returns the blocks of all pages.
func Read(root string) ([]Block, error) {
	pages, err := Pages(root)
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page)) //nolint:gosec // a page of this repository
		if err != nil {
			return nil, err
		}
		found, err := parse(page, string(text))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, found...)
	}
	return blocks, nil
}

// parse finds the blocks of a page. A fence must be at the start of its line; in a list,
// spaces may precede it.
func parse(page, text string) ([]Block, error) {
	var blocks []Block
	var near []string // lines since the block before
	var marks []Mark
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case strings.HasPrefix(line, "```"):
			indent, _, _ := strings.Cut(lines[i], "```")
			b := Block{
				Page: page, Line: i + 2, Lang: line[3:], Marks: marks,
				near: strings.TrimSpace(strings.Join(near, "\n")),
			}
			var src strings.Builder
			for i++; ; i++ {
				if i == len(lines) {
					return nil, fmt.Errorf("%s: unterminated block", b.Place())
				}
				if strings.TrimSpace(lines[i]) == "```" {
					break
				}
				src.WriteString(strings.TrimPrefix(lines[i], indent) + "\n")
			}
			b.Source = src.String()
			blocks, near, marks = append(blocks, b), nil, nil
		case strings.HasPrefix(line, "<!--"):
			first := i
			for !strings.Contains(lines[i], "-->") {
				if i++; i == len(lines) {
					return nil, fmt.Errorf("%s:%d: unterminated comment", page, first+1)
				}
			}
			if m, ok := mark(strings.Join(lines[first:i+1], "\n"), first+1); ok {
				marks = append(marks, m)
			} else {
				near, marks = append(near, line), nil
			}
		case line == "":
		default:
			if len(marks) > 0 {
				return nil, fmt.Errorf("%s:%d: a mark without a block below it", page, marks[0].Line)
			}
			near = append(near, line)
		}
	}
	return blocks, nil
}

// mark parses a comment. It ignores comments that are not marks.
func mark(comment string, line int) (Mark, bool) {
	text := strings.TrimSpace(comment)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<!--"), "-->")
	kind, rest, _ := strings.Cut(text, ":")
	kind = strings.TrimSpace(kind)
	needs, known := kinds[kind]
	if !known || needs == (strings.TrimSpace(rest) == "") {
		return Mark{}, false
	}
	return Mark{kind, strings.Trim(rest, " \n"), line}, true
}
