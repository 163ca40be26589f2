package analyzers

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Directive reads the comments that suppress reports of the other checks, and reports
// malformed ones.
var Directive = &analysis.Analyzer{
	Name: "directive",
	Doc: `report directives that name no check or give no reason

To suppress a report, put a directive with a reason at the end of the line, or on
a line of its own above it:

	//torchvet:ignore emptycache what it costs is measured here

Separate several checks by commas. A directive without a reason, or with a check
that does not exist, is reported and has no effect.`,
	ResultType: reflect.TypeFor[ignored](),
}

const directive = "//torchvet:ignore"

// line identifies a line of a file.
type line struct {
	file string
	line int
}

// ignored maps a line to the names of the checks that a directive suppresses there.
type ignored map[line][]string

func init() {
	// set in init, because readDirectives refers to Directive through checks
	Directive.Run = readDirectives
	for _, a := range checks {
		a.Run = heeding(a.Name, a.Run)
		a.Requires = append(a.Requires, Directive)
	}
}

// heeding wraps run so that it reports nothing on lines with a directive for the check.
func heeding(name string, run func(*analysis.Pass) (any, error)) func(*analysis.Pass) (any, error) {
	return func(pass *analysis.Pass) (any, error) {
		lines := pass.ResultOf[Directive].(ignored)
		heeds := *pass
		heeds.Report = func(d analysis.Diagnostic) {
			if !slices.Contains(lines[lineOf(pass, d.Pos)], name) {
				pass.Report(d)
			}
		}
		return run(&heeds)
	}
}

func readDirectives(pass *analysis.Pass) (any, error) {
	lines := ignored{}
	for _, file := range pass.Files {
		var code map[line]token.Pos // what codeLines returns, computed only for a file with directives
		for _, group := range file.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, directive)
				if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t") {
					continue
				}
				names, ok := readDirective(pass, c, rest)
				if !ok {
					continue
				}
				if code == nil {
					code = codeLines(pass, file)
				}
				at := lineOf(pass, c.Pos())
				if first, ok := code[at]; !ok || first > c.Pos() {
					// The directive is alone on its line, so it applies to the line after
					// its comment group.
					at = lineOf(pass, group.End())
					at.line++
				}
				lines[at] = append(lines[at], names...)
			}
		}
	}
	return lines, nil
}

// readDirective returns the names of the checks that a directive suppresses. If the
// directive is malformed, readDirective reports it and returns false.
func readDirective(pass *analysis.Pass, c *ast.Comment, rest string) (names []string, ok bool) {
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		pass.ReportRangef(c, "torchvet:ignore names no check and no reason")
		return nil, false
	}
	names = strings.Split(fields[0], ",")
	for _, name := range names {
		if !slices.ContainsFunc(checks, func(a *analysis.Analyzer) bool { return a.Name == name }) {
			pass.ReportRangef(c, "torchvet:ignore names %q, which is not a check", name)
			return nil, false
		}
	}
	if len(fields) == 1 {
		pass.ReportRangef(c, "torchvet:ignore %s gives no reason", fields[0])
		return nil, false
	}
	return names, true
}

// codeLines maps each line where a syntax node starts or ends to the first position of
// such a node on the line.
func codeLines(pass *analysis.Pass, file *ast.File) map[line]token.Pos {
	first := map[line]token.Pos{}
	add := func(pos token.Pos) {
		at := lineOf(pass, pos)
		if old, ok := first[at]; !ok || pos < old {
			first[at] = pos
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup:
			return false
		case *ast.File:
			return true // do not add its end, which may be the end of a comment
		}
		add(n.Pos())
		add(n.End() - 1)
		return true
	})
	return first
}

func lineOf(pass *analysis.Pass, pos token.Pos) line {
	p := pass.Fset.Position(pos)
	return line{p.Filename, p.Line}
}
