package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// longest is the number of words that a sentence may have.
const longest = 35

// unclear are phrases that make a reader guess what they refer to. There is always a
// plainer way: name the thing, or use the usual word. "That is no longer" is allowed.
var unclear = regexp.MustCompile(`(?:^|[\s("*_])(` + strings.Join([]string{
	"all else", "anew", "are looked at", "as (?:it|they) comes?", "comes? of", "comes? to (?:no|what)", "for who",
	"in the place of", "in vain", "is looked at", "(?:is|are) said to", "(?:is|are) told so", "lets? go of",
	"makes? of", "nobody's", "(?:among|by|for|of|with) so many", "of theirs", "of what it", "of whoever",
	"rounds? otherwise", "says? of", "than it had when", "that they are of",
	`that (?:is|are) no (?:[^l\s]|l[^o])\w*`, "that (?:is|are) none", "those that there are",
	"what (?:is|are) no", "when told so", "whereby", "who waits",
}, "|") + `)(?:$|[\s.,;:!?)"*_])`)

// Prose returns the sentences of a Markdown page, or of the comments of a Go file, that
// are too long or contain an unclear phrase. Generated Go files have none.
func Prose(name, src string) ([]string, error) {
	if strings.HasSuffix(name, ".md") {
		return judge(name, page(src)), nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	var wrong []string
	for _, group := range file.Comments {
		wrong = append(wrong, judge(name, comment(fset, group))...)
	}
	return wrong, nil
}

func judge(name string, paragraphs [][]word) (wrong []string) {
	for _, p := range paragraphs {
		for _, s := range sentences(p) {
			if n := slices.Max(lengths(s)); n > longest {
				wrong = append(wrong, fmt.Sprintf("%s:%d: a sentence of %d words, of which %d are allowed: %s",
					name, s[0].line, n, longest, joined(s)))
			}
			if found := unclear.FindStringSubmatch(lowerFirst(joined(s))); found != nil {
				wrong = append(wrong, fmt.Sprintf("%s:%d: the phrase %q: %s", name, s[0].line, found[1], joined(s)))
			}
		}
	}
	return wrong
}

// word is one word of a text with its punctuation, and the line where it stands.
type word struct {
	text string
	line int
}

func joined(s []word) string {
	var b strings.Builder
	for _, w := range s {
		b.WriteString(" " + w.text)
	}
	return strings.TrimSpace(b.String())
}

var (
	errorName = regexp.MustCompile(`^[("\[]*(?:torch\.)?Err[A-Z]`)
	letter    = regexp.MustCompile(`[\pL\pN]`)
)

// lengths returns the number of words of a sentence, or of each item of a list of errors:
// "with ErrShape for a matrix, with ErrDType for integers".
func lengths(s []word) []int {
	names := 0
	for _, w := range s {
		if errorName.MatchString(w.text) {
			names++
		}
	}
	all := []int{0}
	for _, w := range s {
		if names > 1 && errorName.MatchString(w.text) {
			all = append(all, 0)
		}
		if letter.MatchString(w.text) {
			all[len(all)-1]++
		}
	}
	return all
}

// abbreviations end with a dot that does not end a sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "al."}

// sentences splits a paragraph. A colon ends a sentence if a capital letter follows.
func sentences(p []word) (all [][]word) {
	start := 0
	for i, w := range p {
		t := strings.TrimRight(w.text, `)"'*_]`)
		end := i == len(p)-1
		switch {
		case end || t == "":
		case slices.Contains(abbreviations, strings.TrimLeft(t, "(")) || strings.HasSuffix(t, "..."):
		case strings.ContainsAny(t[len(t)-1:], ".!?"):
			end = true
		case t[len(t)-1] == ':':
			next := strings.TrimLeft(p[i+1].text, `("*_[`)
			end = next != "" && next[0] >= 'A' && next[0] <= 'Z'
		}
		if end {
			all = append(all, p[start:i+1])
			start = i + 1
		}
	}
	return all
}

// lowerFirst returns a sentence with its first letter in lower case, because the patterns
// of unclear are in lower case.
func lowerFirst(s string) string {
	return strings.ToLower(s[:1]) + s[1:]
}
